// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl encode`: encodes a value without a device.
struct EncodeCommand: Command {
    static var commandName: CommandName { .encode }
    static let recordSchemas: [RecordSchema] = [EncodedValueResult.record.schema]

    static let type = Argument(
        required: .valueType,
        summary: "the characteristic or descriptor whose value to make",
        details: "By its assigned name or its UUID: `battery-level`, `0x2A19`, `cccd`."
    )

    static let values = Argument(
        oneOrMore: .text("VALUE", completion: .fileBehindAt),
        summary: "its fields as FIELD=VALUE, or its only field",
        details: """
            By the keys of the JSON records, with or without the unit. `blectl lookup TYPE` lists them.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .formats],
        summary: "encode a value, without a device",
        discussion: [
            """
            Prints the bytes in hexadecimal, as `write` takes them. Numbers are in the unit of the field and rounded \
            to its resolution; names stand for choices. Fields may be left out if the format allows it; the flags \
            follow from the present ones.
            """,
            """
            Elements of a list are separated by commas, or given one by one: `rr_intervals[0]=812`. A field of an \
            object has a path: `records[0].glucose=5.2`. A JSON object, such as `decoded` in the records of `decode` \
            and `read`, also gives the fields. VALUES in `blectl(1)` has all forms.
            """,
        ],
        arguments: [type.spec, values.spec],
        groups: [.global],
        examples: [
            "blectl encode heart-rate-measurement heart-rate=72 contact=true": "two fields",
            "blectl encode alert-level high": "the only field, by the name of a choice",
            "blectl encode date-time 2026-11-22T10:00:00": "a time",
        ],
        seeAlso: ["decode", "lookup", "write"]
    )

    let options: EncodeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try EncodeOptions(arguments)
    }

    func action(on found: String?) -> String { "encode \(options.type.text)" }

    static func source(of text: String, isFirst: Bool) -> String? { isFirst ? nil : ValueInput.source(of: text) }

    static func literalHint(for word: String) -> String { "as a text: text:\(word)" }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        let result = try await context.reading(options.file) { [options] in
            try options.result(in: context.options.formats, at: Timestamp(context.time))
        }
        try await context.output.emit(result)
    }
}

extension CommandName {
    static var encode: CommandName { CommandName("encode", EncodeCommand.self) }
}

struct EncodeOptions: Sendable, Equatable {
    enum Source: Sendable, Equatable {
        case words([String])
        /// The octets of a file, or those of standard input for `-`.
        case file(String)
    }

    let type: ValueType
    let source: Source

    var file: String? { if case .file(let path) = source { path } else { nil } }
}

extension EncodeOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        type = try arguments.valueType(arguments[EncodeCommand.type], of: EncodeCommand.type)
        let words = arguments[EncodeCommand.values]
        source = try arguments.file(of: words).map { .file($0) } ?? .words(words)
    }
}
