// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl write`: writes a value.
struct WriteCommand: DeviceCommand {
    static var commandName: CommandName { .write }
    static let recordSchemas: [RecordSchema] = [WriteResult.record.schema]
    static let foreignNames = [
        "char-write", "char-write-cmd", "char-write-req", "write-gatt-char", "set", "send", "put",
    ]

    static let target = Argument(
        required: .target,
        summary: TargetDocumentation.summary,
        details: TargetDocumentation.details
    )

    static let value = Argument(
        oneOrMore: .text("VALUE", completion: .fileBehindAt),
        summary: "what to write",
        details: """
            In the format of TARGET (`50`, `21.5C`, `high`, `FIELD=VALUE`); bytes (`0x01ff`), or those of a file \
            (`@FILE`) or standard input (`-`); without a known format, hex digits. See VALUES in `blectl(1)`.
            """
    )

    static let noResponse = Option(
        flag: "no-response",
        summary: "write without response",
        details: """
            It is not acknowledged, and has to fit into a packet. Files and standard input are sent in pieces, as with \
            `--chunk`.
            """
    )

    static let reliable = Option(
        flag: "reliable",
        excludes: ["no-response"],
        summary: "have the device repeat the value before it is written",
        details: """
            If a piece comes back changed, nothing is written. Needs the extended property "reliable write".
            """
    )

    static let signed = Option(
        flag: "signed",
        excludes: ["no-response", "reliable", "chunk"],
        summary: "write without response, signed with the key of the bond",
        details: """
            It proves who writes, without encryption; on an encrypted link the value is a plain write without \
            response, as specified. `--verify` also needs `--security medium`, because otherwise it would read from a \
            device that has not proved who it is.
            """
    )

    static let verify = Option(
        flag: "verify",
        summary: "read the value back and compare it",
        details: """
            A different value is status 1; a characteristic that cannot be read is refused before anything is written. \
            If only the device knows, as for a handle, the message says that the value was written and not verified.
            """
    )

    static let chunk = Option(
        value: "chunk",
        // The longest value of an attribute: Core 5.4, Vol 3, Part F, 3.2.9.
        .integer("SIZE", in: 1...512),
        excludes: ["reliable", "verify"],
        summary: "write in pieces of at most this many bytes",
        details: """
            Each piece is a value of its own, as for a serial service, and never longer than a packet. There may be \
            any number of bytes; standard input is sent as it arrives.
            """
    )

    static let raw = Option(
        flag: "raw",
        summary: "write bytes that are no value of the known format",
        details: """
            VALUE is read as if the format of TARGET was not known. Without it, a value that the format cannot have is \
            refused before it is sent.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .formats, .changesDevice],
        summary: "write a characteristic or a descriptor",
        discussion: [
            """
            Connects and writes, with response unless `--no-response` is given. A value that does not fit into a \
            packet is written in pieces, which the device joins (a prepared write); one too long for the device is \
            refused before the first byte is sent. For data of a serial service, see `--chunk`.
            """,
            """
            With `--chunk`, each piece waits for the acknowledgement of the one before. With `--no-response` as well, \
            pieces are sent as fast as possible; a request after every 64, and after the last, shows that they have \
            arrived. After a lost connection or an interruption, the command says how many bytes were written.
            """,
            """
            A signature (`--signed`) needs a bond with a key for signatures (`local-csrk` in `blectl bonds`), and the \
            property `authenticated-signed-writes`. Each has a number, kept with the bond before the value is sent, so \
            that nobody can repeat a write. The value may have 12 bytes less. A device that refuses the signature does \
            not say so.
            """,
            """
            On an unencrypted link anybody can pretend to be the device, and name any handle for the value. For a \
            signed write, the handle of TARGET is therefore first looked up on an encrypted link, which ends before \
            the value is sent over another one. With a handle as TARGET only the second link is made.
            """,
            """
            A search has to find exactly one device, and TARGET exactly one attribute: several are listed, and nothing \
            is written. `SERVICE/CHARACTERISTIC` or a handle names one.
            """,
        ],
        arguments: [target.spec, value.spec],
        options: [noResponse.spec, reliable.spec, signed.spec, verify.spec, chunk.spec, raw.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl write -d 'Pulse HR' heart-rate-control-point 0x01": "one byte",
            "blectl write heart-rate-control-point reset-energy-expended": "the same by name, to the only such device",
            "blectl write -d 'Thermo 1' measurement-interval 60s --verify": "a number, read back",
            "blectl write -d 'UART Echo' nordic-uart-rx @image.bin --no-response": "a file, without responses",
            "blectl write -d 'UART Echo' nordic-uart-rx - --chunk 20": "standard input, at most 20 bytes at a time",
        ],
        seeAlso: ["read", "inspect"]
    )

    let options: WriteOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try WriteOptions(arguments)
        let likely = options.target.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
        target = try DeviceOptions(arguments, likely: likely, mustBeOnlyOne: true)
        self.options = options
    }

    func action(on found: String?) -> String { "write \(options.target) to \(target.text(found))" }

    static func source(of text: String, isFirst: Bool) -> String? {
        isFirst ? nil : ValueInput.source(of: text)
    }

    static func literalHint(for word: String) -> String {
        "as a text: text:\(word); the octets of a file: @${PATH}, with the '@' in the script"
    }

    /// The value may be any word.
    static func takesOperand(likeWorld word: String) -> Bool { !word.isPathOfWorld }

    func run(in context: CommandContext) async throws {
        try await WriteRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var write: CommandName { CommandName("write", WriteCommand.self) }
}
