// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl write`.
public enum WriteSpec {
    /// `TARGET`
    public static let target = Argument(
        required: .target,
        summary: TargetDocumentation.summary,
        details: TargetDocumentation.details
    )

    /// `VALUE`
    public static let value = Argument(
        required: .text("VALUE", completion: .fileBehindAt),
        summary: "what to write",
        details: """
            Bytes in hexadecimal (`0x01ff` or `01ff`), `text:hello` for text in UTF-8, a typed number (`u16:500`, \
            `s8:-5`, `f32be:1.5`; several with commas, `u8:1,2,3`), `@file` for the bytes of a file, or `-` for the \
            bytes of standard input. The types are those of `blectl-read(1)`.
            """
    )

    /// `--no-response`
    public static let noResponse = Option(
        flag: "no-response",
        summary: "write without response",
        details: """
            The value is not acknowledged. A file or standard input that is longer than a packet is sent in pieces, \
            see `--chunk`; any other value has to fit into one packet.
            """
    )

    /// `--reliable`
    public static let reliable = Option(
        flag: "reliable",
        excludes: ["no-response"],
        summary: "have the device repeat the value before it is written",
        details: """
            The device repeats each piece of the value before any of it is written. If a piece comes back changed, \
            everything is cancelled. Only values of characteristics with the extended property "reliable write" can be \
            written in this way.
            """
    )

    /// `--verify`
    public static let verify = Option(
        flag: "verify",
        summary: "read the value back and compare it",
        details: """
            A value that differs ends the command with status 1. A characteristic that cannot be read is refused before \
            anything is written. If only the device knows, as for a handle, the message says that the value was written \
            and not verified.
            """
    )

    /// `--chunk`
    public static let chunk = Option(
        value: "chunk",
        .integer("SIZE", in: 1...512),
        excludes: ["reliable", "verify"],
        summary: "write in pieces of at most this many bytes",
        details: """
            Each piece is written as a value of its own, as a serial service expects it, and is never longer than a \
            packet, however large SIZE is. So there may be any number of bytes, and standard input is sent as it \
            arrives. With response, each piece waits until the one before is acknowledged. Without response, pieces \
            are sent as fast as the connection takes them; after every 64 pieces, and after the last, a request \
            follows, whose answer shows that they have arrived. If the connection is lost or the command is \
            interrupted, it says how many bytes were written. Without `--chunk`, only `--no-response` splits a value \
            into pieces, each as large as a packet, and only that of a file or of standard input.
            """
    )

    static let command = CommandSpec(
        .write,
        summary: "write a characteristic or a descriptor",
        discussion: [
            """
            Connects and writes, with response unless `--no-response` is given. A value that does not fit into one \
            packet is written in pieces, which the device puts together (a prepared write). A value that is too long \
            for the device is refused before the first byte is sent. Data for a serial service may be of any length: \
            see `--chunk`.
            """,
            """
            Because writing changes the device, a search has to find exactly one device, and TARGET has to fit exactly \
            one attribute: if there are several, they are listed and nothing is written. A service before it \
            (`SERVICE/CHARACTERISTIC`) or a handle names one.
            """,
        ],
        arguments: [target.spec, value.spec],
        options: [noResponse.spec, reliable.spec, verify.spec, chunk.spec],
        groups: [.device, .global],
        examples: [
            CommandExample("blectl write -d Lamp 0xFF01 0x01", "one byte"),
            CommandExample("blectl write -d Lamp 0xFF02 u16:500 --verify", "a number, read back"),
            CommandExample("blectl write -d Echo 0xFF03 @image.bin --no-response", "a file, without responses"),
            CommandExample("blectl write -d Echo 0xFF03 - --chunk 20", "standard input, at most 20 bytes at a time"),
        ],
        seeAlso: [.read, .inspect]
    )
}
