// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothProfiles

/// A command and its typed options, completely checked.
///
/// `ParsedArguments` has checked each text separately. This value has resolved names and checked combinations; commands
/// do not see the texts.
public struct CommandRequest: Sendable {
    /// The command's name.
    public let name: CommandName
    /// The options that every command accepts.
    public let global: GlobalOptions
    let command: Command

    /// Reads a command line. Throws if options contradict each other, or if a name is unknown.
    ///
    /// - Parameters:
    ///   - formats: The names and formats of private characteristics.
    ///   - hasSessions: Whether there may be sessions; a command that names no device may mean that of one.
    public init(
        _ arguments: ParsedArguments,
        formats: FormatCatalogue = .assigned,
        hasSessions: () -> Bool = { false }
    ) throws(UsageError) {
        var arguments = arguments
        arguments.formats = formats
        name = arguments.command
        global = try GlobalOptions(arguments)
        do throws(UsageError) {
            command = try Command(arguments)
        } catch {
            // Asked only now, because the answer takes a look into the folder of the sessions.
            guard hasSessions() else { throw error }
            arguments.hasSessions = true
            command = try Command(arguments)
        }
        try checkWrittenFiles()
        try checkFields(arguments)
    }
}

extension CommandRequest {
    /// Whether this process uses an adapter, a real or a simulated one. Of `session`, only the process that holds a
    /// link does.
    package var usesRadio: Bool {
        guard case .session(let options) = command else { return name.usesRadio }
        guard case .start(let start, _) = options.action else { return false }
        return start.isForeground
    }

    /// Whether this process holds the link of a session, in real time.
    package var holdsSession: Bool { name == .session && usesRadio && global.radio != .simulation(.virtual) }
}

extension CommandRequest {
    /// The device of a command that works on one; `nil` for every other command.
    var device: DeviceOptions? { command.device }

    /// The names of devices among its words, which redacted errors do not show. A session may be meant by that of its
    /// device.
    var givenNames: [String] {
        switch command {
        case .session(let options):
            switch options.action {
            case .start(_, let device): [device.selector?.givenName].compactMap { $0 }
            case .stop(.named(let name)): [name]
            case .stop, .list: []
            }
        case .pair(_, let device): [device.selector?.givenName].compactMap { $0 }
        case .unpair(.device(.name(let name))), .forget(.device(.name(let name))): [name]
        case .diff(let options): options.givenNames
        default: [command.linkedDevice?.selector?.givenName].compactMap { $0 }
        }
    }
}
