// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// A command of blectl with its options, completely checked: what it takes, what it does, and what it results in.
///
/// A command is a folder under `Commands/`, and a line in `CommandTable`. Its options are static members that `spec`
/// lists in the order of their documentation; `init` reads them. Whoever deals with commands in general (scripts,
/// sessions, the shell, completion, the documentation) asks the members of this protocol.
protocol Command: Sendable {
    /// The word on the command line.
    static var commandName: CommandName { get }

    /// The row of the table, from which the parser, help, manual pages and completions are made.
    static var spec: CommandSpec { get }

    /// The records that the command prints, without those of failures.
    static var recordSchemas: [RecordSchema] { get }

    /// Reads a command line, of which each text has been checked separately. Throws if options contradict each other,
    /// or if a name is unknown.
    init(_ arguments: ParsedArguments) throws(UsageError)

    /// Runs the command.
    func run(in context: CommandContext) async throws

    /// The command in words, to follow "cannot" in an error that ends all of it: `read battery-level from a device
    /// named 'Thermo 1'`.
    ///
    /// - Parameter found: The device as it was found, in words; `nil` if it is not known yet.
    func action(on found: String?) -> String

    /// The device on whose attributes the command works; `nil` if there is not exactly one.
    var device: DeviceOptions? { get }

    /// The device to which the command has a link, also without attributes; `nil` if there is not exactly one.
    var linkedDevice: DeviceOptions? { get }

    /// The names of devices among its words, which redacted errors do not show.
    var givenNames: [String] { get }

    /// Whether this process uses an adapter.
    var usesRadio: Bool { get }

    /// The limits of a command that may go on until a person or a signal ends it; `nil` if it ends by itself.
    var limits: StopLimits? { get }

    /// The files that are written at the end or during the run, with their options.
    var writtenFiles: [(option: String, path: String)] { get }

    /// The kinds of records that this run does not print, although the command can.
    var absentRecords: [RecordSchema] { get }

    /// Why a template of `--format` would print no line in this run; `nil` if it may.
    func problem(with template: LineFormat) -> String?

    /// The devices that its operands name, if it compares them.
    var comparedDevices: [String] { get }

    /// The formats of all values that the command decodes, with `nil` in the place of one that is not known before it
    /// comes; `nil` if it decodes none, or values in a format of the command line.
    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]?

    /// Why a script may not have the command as a step; `nil` if it may.
    static var stepRefusal: String? { get }

    /// What an operand would be read from that a variable of a script has brought: `a file` or `standard input`; `nil`
    /// if it is the operand itself.
    ///
    /// - Parameter isFirst: Whether no operand stands before it.
    static func source(of text: String, isFirst: Bool) -> String?

    /// How a script writes such a word so that it is the operand itself.
    static func literalHint(for word: String) -> String

    /// Whether an operand may be a word that looks like the world of `--simulate`.
    static func takesOperand(likeWorld word: String) -> Bool

    /// Words and options of other tools that mean this command.
    static var foreignNames: [String] { get }
}

extension Command {
    var action: String { action(on: nil) }

    /// The fields of all values that the command decodes; `nil` if the format of one is not known before it comes.
    func fields(in formats: FormatCatalogue) -> [FieldDescription]? {
        guard let formats = self.formats(in: formats) else { return nil }
        let known = formats.compactMap(\.self)
        return known.count == formats.count ? known.flatMap(\.possibleFields) : nil
    }

    func action(on found: String?) -> String { Self.commandName.rawValue }
    var device: DeviceOptions? { nil }
    var linkedDevice: DeviceOptions? { device }
    var givenNames: [String] { [linkedDevice?.selector?.givenName].compactMap(\.self) }
    var usesRadio: Bool { Self.spec.traits.contains(.radio) }
    var limits: StopLimits? { nil }
    var writtenFiles: [(option: String, path: String)] { [] }
    var absentRecords: [RecordSchema] { [] }
    var comparedDevices: [String] { [] }
    func problem(with template: LineFormat) -> String? { nil }
    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? { nil }
    static var stepRefusal: String? { nil }
    static var foreignNames: [String] { [] }
    static func source(of text: String, isFirst: Bool) -> String? { nil }
    static func literalHint(for word: String) -> String { "for standard input, the script has the '-'" }

    /// The refusal of commands that are for the command line.
    static var forCommandLine: String { "it is for the command line" }

    /// A path, or one of the worlds that have a name, is meant as the world.
    static func takesOperand(likeWorld word: String) -> Bool {
        !word.isPathOfWorld && word != "security" && word != "bench"
    }
}

extension String {
    /// Whether it can only be the path of a world's file.
    var isPathOfWorld: Bool { hasSuffix(".json") || ["/", "./", "../"].contains { hasPrefix($0) } }
}

/// A command on the attributes of one device.
protocol DeviceCommand: Command {
    var target: DeviceOptions { get }
}

extension DeviceCommand {
    var device: DeviceOptions? { target }
}
