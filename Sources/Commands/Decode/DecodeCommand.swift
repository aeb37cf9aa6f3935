// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl decode`: decodes values without a device, and prints them as `read` does.
struct DecodeCommand: Command {
    static var commandName: CommandName { .decode }
    static let recordSchemas: [RecordSchema] = [DecodedValueResult.record.schema]

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
            for value in values where try await !decode(try octets(value), in: context) { isFaulty = true }
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

    private func octets(_ value: DecodeOptions.Value) throws(BlectlError) -> [UInt8] {
        switch value {
        case .octets(let octets): octets
        case .file(let path): try StandardStreams.readValue(path, doing: "decode \(options.type.text)")
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
        // A descriptor type includes its characteristic, so the descriptor has to be checked first.
        let presentation =
            if let descriptor = options.type.descriptor {
                ValuePresentation(value, ofDescriptor: descriptor, under: options.type.characteristic)
            } else if let characteristic = options.type.characteristic {
                ValuePresentation(value, ofCharacteristic: characteristic, formats: context.options.formats)
            } else {
                throw BlectlError(.internalError, "a value has no type")
            }
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
