// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `simulate serve` prints when processes can join, and when the world ends.
    public static let world = RecordSchema(
        "world",
        by: [.simulate],
        "a simulated world that processes share",
        keys: [
            RecordKey("socket", .string, "the path of its socket"),
            RecordKey("state", .string, "`running` or `stopped`"),
            RecordKey("devices", .integer(unit: nil), orNull: true, "the number of its devices, when it begins"),
        ]
    )

    /// The record that `simulate` prints for a device of the world.
    public static let worldDevice = RecordSchema(
        "world-device",
        by: [.simulate],
        "a device of a simulated world as it is now",
        keys: [
            RecordKey("name", .string, "the device's name in blectl"),
            RecordKey("advertised_name", .string, orNull: true, "the name that it advertises"),
            RecordKey("address", .string, "its address"),
            RecordKey("address_type", .string, "`public` or `random`"),
            RecordKey("connectable", .boolean, "whether it accepts connections"),
            RecordKey("in_range", .boolean, "whether it is in range"),
            RecordKey("paused", .boolean, "whether its answers are held back"),
            RecordKey("rssi_dbm", .integer(unit: "dBm"), "the mean strength of its signal at the adapters"),
            RecordKey("connections", .integer(unit: nil), "the number of its links"),
            RecordKey("requests", .integer(unit: nil), "the number of requests and commands that it has served"),
        ]
    )

    /// The record that `simulate` prints for an adapter in the world.
    public static let worldAdapter = RecordSchema(
        "world-adapter",
        by: [.simulate],
        "the adapter of a process in a simulated world",
        keys: [
            RecordKey("address", .string, "its address"),
            RecordKey("powered", .boolean, "whether it is on"),
            RecordKey("scanning", .boolean, "whether it scans"),
            RecordKey("advertising", .boolean, "whether it advertises for connections"),
            RecordKey("connections", .integer(unit: nil), "the number of its links"),
        ]
    )
}
