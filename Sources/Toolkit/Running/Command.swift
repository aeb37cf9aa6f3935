// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import CommandLineInterface
package import Records

/// A command of blectl with its options, completely checked: what it takes, what it does, and what it results in.
///
/// A command is a folder under `Commands/`, and a line in `AllCommands.swift`. Its options are static members that `spec`
/// lists in the order of their documentation; `init` reads them. Whoever deals with commands in general (scripts,
/// sessions, the shell, completion, the documentation) asks the members of this protocol.
package protocol Command: CommandSyntax {
    /// The records that the command prints, without those of failures.
    static var recordSchemas: [RecordSchema] { get }

    /// Those that have the member `timing` with `--timing`, beside all of a command that times its records.
    static var timedRecords: [RecordSchema] { get }

    /// Reads a command line, of which each text has been checked separately. Throws if options contradict each other,
    /// or if a name is unknown.
    init(_ arguments: ParsedArguments) throws(UsageError)

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

    /// Whether its only purpose is its output, as the trait says.
    var isForItsOutput: Bool { get }

    /// The socket of the shared world that the command asks without a machine of its own there; `nil` for none.
    var askedWorld: String? { get }

    /// The limits of a command that may go on until a person or a signal ends it; `nil` if it ends by itself.
    var limits: StopLimits? { get }

    /// Why a script may not have it as a step although it may have the command; `nil` if it may.
    ///
    /// - Parameter isOnAir: Whether the script runs on a real radio.
    func stepProblem(isOnAir: Bool) -> String?

    /// The files that are written at the end or during the run, with their options.
    var writtenFiles: [(option: String, path: String)] { get }

    var captureStyle: CaptureStyle { get }

    /// The kinds of records that this run does not print, although the command can.
    var absentRecords: [RecordSchema] { get }

    /// Why a template of `--format` would print no line in this run; `nil` if it may.
    func problem(with template: LineFormat) -> String?

    /// The devices that its operands name, if it compares them.
    var comparedDevices: [String] { get }

    /// The formats of all values that the command decodes, with `nil` in the place of one that is not known before it
    /// comes; `nil` if it decodes none, or values in a format of the command line.
    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]?
}

extension Command {
    package static var timedRecords: [RecordSchema] { [] }

    package var action: String { action(on: nil) }

    /// The fields of all values that the command decodes; `nil` if the format of one is not known before it comes.
    package func fields(in formats: FormatCatalogue) -> [FieldDescription]? {
        guard let formats = self.formats(in: formats) else { return nil }
        let known = formats.compactMap(\.self)
        return known.count == formats.count ? known.flatMap(\.possibleFields) : nil
    }

    package func action(on found: String?) -> String { Self.commandName.rawValue }
    package var device: DeviceOptions? { nil }
    package var linkedDevice: DeviceOptions? { device }
    package var givenNames: [String] { [linkedDevice?.selector?.givenName].compactMap(\.self) }
    package var usesRadio: Bool { Self.spec.traits.contains(.radio) }
    package var isForItsOutput: Bool { Self.spec.traits.contains(.forItsOutput) }
    package var askedWorld: String? { nil }
    package var limits: StopLimits? { nil }
    package func stepProblem(isOnAir: Bool) -> String? { nil }
    package var writtenFiles: [(option: String, path: String)] { [] }
    package var captureStyle: CaptureStyle { .file }
    package var absentRecords: [RecordSchema] { [] }
    package var comparedDevices: [String] { [] }
    package func problem(with template: LineFormat) -> String? { nil }
    package func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? { nil }
}

package protocol DeviceCommand: Command {
    var target: DeviceOptions { get }
}

extension DeviceCommand {
    package var device: DeviceOptions? { target }
}

package enum CaptureStyle: Sendable {
    /// A file or a pipe, whose name tells the format.
    case file
    /// A pipe of Wireshark, which opens it when this program runs, and reads pcapng.
    case pipeForWireshark
}
