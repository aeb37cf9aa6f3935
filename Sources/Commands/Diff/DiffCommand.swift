// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl diff`: compares two devices.
struct DiffCommand: Command {
    static var commandName: CommandName { .diff }
    static let recordSchemas: [RecordSchema] = [DifferenceResult.record.schema, ComparisonResult.record.schema]

    let options: DiffOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try DiffOptions(arguments)
    }

    func action(on found: String?) -> String {
        "compare \(Prose.list(options.devices.map { Prose.quoted($0) }, "and"))"
    }

    var givenNames: [String] { options.givenNames }

    var comparedDevices: [String] { options.devices }

    static func source(of text: String, isFirst: Bool) -> String? { text == "-" ? "standard input" : nil }

    static func literalHint(for word: String) -> String { "as the name of a device: device:\(word)" }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await DiffRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var diff: CommandName { CommandName("diff", DiffCommand.self) }
}
