// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

/// The types of values for `decode` and `encode`. Their text is parsed by the commands.
extension ValueSyntax where Value == String {
    static var valueType: ValueSyntax { .text("TYPE", completion: .target) }
}

extension DecodeCommand {
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
        seeAlso: [.encode, .lookup, .read]
    )
}
