// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `trace` prints for each packet.
    public static let packet = RecordSchema(
        "packet",
        by: [.trace],
        "a packet of a capture: `time` is when it passed, and `monotonic_ns` counts from the first packet of the file",
        keys: [
            RecordKey("number", .integer(unit: nil), "its number in the file, from 1"),
            RecordKey("kind", .string, "`hci`, `att`, `smp`, `l2cap`, `acl` (a part of a frame), `mgmt` or `note`"),
            RecordKey("direction", .string, "`sent` by the host or `received` by it"),
            RecordKey("adapter", .string, orNull: true, "the adapter, such as `hci0`, if the file tells"),
            RecordKey("connection", .integer(unit: nil), orNull: true, "the handle of the connection"),
            RecordKey("address", .string, orNull: true, "the address of the device, if it is known"),
            RecordKey(
                "address_type",
                .string,
                orNull: true,
                "`public` or `random`, or another type; null if it is not known"
            ),
            RecordKey(
                "private_address",
                .string,
                orNull: true,
                "the resolvable private address that the device uses on the connection, if the capture tells both"
            ),
            RecordKey("name", .string, orNull: true, "the name of the PDU, the command or the event"),
            RecordKey("text", .string, "the packet in words"),
            RecordKey(
                "bytes",
                .hex,
                orNull: true,
                "the bytes of the HCI packet, the PDU or the frame; null where they may be keys"
            ),
            RecordKey("handles", .array(of: .integer(unit: nil)), "the attributes that an ATT packet is about"),
            RecordKey("answer_to", .integer(unit: nil), orNull: true, "the number of the packet that it answers"),
            RecordKey("delay_ns", .integer(unit: "ns"), orNull: true, "the time that the answer took"),
            RecordKey("malformed", .boolean, "whether it is not a valid packet"),
            RecordKey("missing", .integer(unit: "bytes"), "how many of its bytes the file does not have"),
        ]
    )
}
