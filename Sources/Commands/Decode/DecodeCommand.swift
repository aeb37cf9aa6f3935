// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl decode`: decodes values without a device, and prints them as `read` does.
struct DecodeCommand: Command {
    static var commandName: CommandName { .decode }
    static let recordSchemas: [RecordSchema] = [DecodedValueResult.record.schema]

    static let type = Argument(
        required: .valueType,
        summary: "the characteristic or descriptor whose value it is",
        details: "By name or UUID: `battery-level`, `0x2A19`, `cccd`."
    )

    static let values = Argument(
        oneOrMore: .text("VALUE", completion: .fileBehindAt),
        summary: "the bytes",
        details: """
            In hexadecimal, or another form of VALUES in `blectl(1)`; `@FILE` is the bytes of a file, `-` those of \
            standard input.
            """
    )

    static let lines = Option(
        flag: "lines",
        summary: "read values from `@FILE` or `-` as text, one in each line",
        details: "Each is printed when its line has come, as from a growing log."
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .formats],
        summary: "decode a value, without a device",
        discussion: [
            """
            Prints what `read` would print for these bytes: numbers with units, names for numbers, dates; also by \
            `--formats`.
            """,
            """
            A value that breaks its format is decoded up to the fault, which is reported; the status is 65. Octets \
            after the last field are accepted, because later versions of a specification append fields.
            """,
            """
            Some formats have changed: machines of edition 1.0 of the Fitness Machine Service send a resistance level \
            in two octets, and a treadmill its pace in km/min. The octets decide on the edition, in every command: the \
            one that covers them exactly; else, of those that they fill, the one that leaves fewer octets over; else \
            the edition in force, which `encode` writes. Fields of one edition only are null in values of the other.
            """,
            """
            Two models use some private UUIDs in different ways: thermometer, hygrometer and barometer of the \
            SensorTags CC2541 and CC2650. The services of a device tell its model. Here, and if they do not, each \
            model's reading is given under its name.
            """,
        ],
        arguments: [type.spec, values.spec],
        options: [lines.spec],
        groups: [.global],
        examples: [
            "blectl decode heart-rate-measurement 16480e03": "a heart rate from a log",
            "blectl decode 0x2A6E 0d0a f6ff": "two temperatures",
            "blectl decode cpf 0efe2f27010000 --json": "a descriptor, as JSON",
            "blectl decode indoor-bike-data 6000d0071400f000": "a bike that speaks edition 1.0",
        ],
        seeAlso: ["encode", "lookup", "read"]
    )

    let options: DecodeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try DecodeOptions(arguments)
    }

    func action(on found: String?) -> String { "decode \(options.type.text)" }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.type.descriptor == nil ? [options.type.characteristic.flatMap { formats.format(of: $0) }] : nil
    }

    static func source(of text: String, isFirst: Bool) -> String? { isFirst ? nil : ValueInput.source(of: text) }

    static func literalHint(for word: String) -> String { "as a text: text:\(word)" }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        // One faulty value does not keep the others from being printed. It shows in the exit status only.
        var isFaulty = false
        switch options.source {
        case .values(let values):
            for value in values {
                if try await !decode(try await octets(value, in: context), in: context) { isFaulty = true }
            }
        case .lines(let path):
            var lines = LineSource(try ByteSource(path: path, blocking: context.process.blocking))
            // Line by line, so that values from a pipe appear as they come.
            while let line = try await lines.next() {
                if try await !decode(try octets(line, number: lines.number), in: context) { isFaulty = true }
            }
        }
        // Each fault was printed.
        if isFaulty { throw PartialFailure(status: .badData) }
    }

    private func octets(_ value: DecodeOptions.Value, in context: CommandContext) async throws -> [UInt8] {
        switch value {
        case .octets(let octets): return octets
        case .file(let path):
            let action = "decode \(options.type.text)"
            return try await context.reading(path) { try StandardStreams.readValue(path, doing: action) }
        }
    }

    /// The octets of a line in hexadecimal notation. A line that is none ends the command.
    private func octets(_ line: String, number: Int) throws(BlectlError) -> [UInt8] {
        do throws(ValueFormatError) {
            return try ValueFormat.encode(line)
        } catch {
            throw BlectlError(.badData, cannot: "decode line \(number)", error.description)
        }
    }

    /// Prints a value, and a fault on standard error. `false` if it has a fault other than octets after its fields.
    private func decode(_ value: [UInt8], in context: CommandContext) async throws -> Bool {
        let presentation = try ValuePresentation(value, of: options.type, context.options.formats)
        guard let decoded = presentation.decoded else {
            throw BlectlError(
                .badData,
                cannot: "decode \(options.type.text)",
                "the format of its values is not known",
                hint: "--formats FILE describes private characteristics: man blectl-formats"
            )
        }
        try await context.output.emit(
            DecodedValueResult(
                type: options.type,
                presentation: presentation,
                formats: context.options.formats,
                timestamp: Timestamp(context.time)
            )
        )
        // The intact fields were printed above.
        guard let fault = decoded.fault, fault.isError else { return true }
        try await context.report(BlectlError(.badData, cannot: "decode \(options.type.text)", fault.description))
        return false
    }
}

extension CommandName {
    static var decode: CommandName { CommandName("decode", DecodeCommand.self) }
}

extension DecodingFault {
    /// Whether the value is not one of its format. Later versions of a specification append fields and use reserved
    /// numbers.
    fileprivate var isError: Bool {
        switch reason {
        case .tooShort, .contradictory, .outOfRange: true
        case .reserved, .surplus: false
        }
    }
}

/// The types of values for `decode` and `encode`. Their text is parsed by the commands.
extension ValueSyntax where Value == String {
    static var valueType: ValueSyntax { .text("TYPE", completion: .target) }
}
