// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl session`: holds a link for other commands.
struct SessionCommand: Command {
    static var commandName: CommandName { .session }
    static let recordSchemas: [RecordSchema] = [SessionResult.record.schema]

    let options: SessionOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try SessionOptions(arguments)
    }

    func action(on found: String?) -> String { options.text(found) }

    /// Only the process that holds the link uses an adapter.
    var usesRadio: Bool { holdsLink }

    var limits: StopLimits? {
        if case .start(let start, _) = options.action, start.isForeground, start.idle == nil {
            StopLimits()
        } else {
            nil
        }
    }

    private var holdsLink: Bool {
        if case .start(let start, _) = options.action { start.isForeground } else { false }
    }

    /// A session may be meant by the name of its device.
    var givenNames: [String] {
        switch options.action {
        case .start(_, let device): [device.selector?.givenName].compactMap(\.self)
        case .stop(let selection), .list(let selection): [selection.givenName].compactMap(\.self)
        }
    }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await SessionRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var session: CommandName { CommandName("session", SessionCommand.self) }
}
