// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothProfiles

/// The table's row for `blectl read`.
public enum ReadSpec {
    /// `TARGET...`
    public static let targets = Argument(
        oneOrMore: .target,
        summary: TargetDocumentation.summary,
        details: TargetDocumentation.details
    )

    /// `--as`
    public static let format = Option(
        value: "as",
        .format,
        summary: "how to print the bytes",
        details: """
            `hex`, text (`utf8`, `utf16`), `raw` (the bytes as they are, nothing added), or numbers: unsigned (`u8`, \
            `u16`, `u24`, `u32`, `u48`, `u64`), signed (`s8` to `s64`), `f32`, `f64`, `medfloat16`, `medfloat32`, \
            little-endian unless `be` follows, as in `u16be`. \
            Without it, known characteristics are decoded, and others are printed in hexadecimal.
            """
    )

    static let command = CommandSpec(
        .read,
        summary: "read characteristics and descriptors",
        discussion: [
            """
            Connects and reads, with as few requests as possible: a characteristic by its UUID takes a single one. \
            Long values are read to their end.
            """,
            """
            Some devices describe the values of their own characteristics by a Presentation Format descriptor. \
            `inspect --values` keeps these with the attributes of the device; from then on `read` and `notify` show such \
            a value with its unit, for one request more, by which the device confirms that they are still valid.
            """,
            """
            A target that cannot be read does not keep the others from being read. The exit status is that of the \
            first failure.
            """,
        ],
        arguments: [targets.spec],
        options: [format.spec],
        groups: [.device, .global],
        examples: [
            CommandExample("blectl read battery-level -d F0:F1:F2:F3:F4:F5", "the battery of one device"),
            CommandExample("blectl read --name 'Thermo*' model-number-string battery-level", "two values at once"),
            CommandExample("blectl read -d Scale 0x181D/0x2A9D --as u16", "a characteristic in a service, as numbers"),
            CommandExample("blectl read -d Scale handle:0x0018 --as raw", "the bytes behind a handle, unchanged"),
        ],
        seeAlso: [.inspect, .write, .notify]
    )
}
