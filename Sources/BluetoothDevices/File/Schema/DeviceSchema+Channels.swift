// SPDX-License-Identifier: MIT

extension DeviceSchema {
    /// A service on credit-based channels.
    static let channel = SchemaType(
        name: .channel,
        prose: ["A service on L2CAP credit-based channels, and what the device does there."],
        kind: .object(
            SchemaObject([
                SchemaMember(
                    required: "psm",
                    .integer(1...255),
                    "The number of the service. Those from 128 on are for the device to choose."
                ),
                SchemaMember(
                    required: "does",
                    .words([
                        SchemaWord("echo", "it sends back what it receives"),
                        SchemaWord("sink", "it takes what it receives, and sends nothing"),
                        SchemaWord("source", "it sends as fast as the client takes it"),
                    ]),
                    "What the device does on an open channel."
                ),
                SchemaMember(
                    "octets",
                    .integer(0...2_147_483_647),
                    default: "without end",
                    "How many octets a source sends before it closes the channel. They count from 0 to 255 again and again."
                ),
                SchemaMember(
                    "mtu",
                    .integer(23...65_535),
                    default: "512",
                    "The largest unit that it receives, in octets."
                ),
                SchemaMember(
                    "mps",
                    // Core 5.4, Vol 3, Part A, 4.22: an MPS is from 23 to 65,533 octets.
                    .integer(23...65_533),
                    default: "247",
                    "The largest frame that a simulated device receives, in octets."
                ),
                SchemaMember(
                    "credits",
                    .integer(0...65_535),
                    default: "10",
                    "How many frames a client of a simulated device may send in advance. With 0 it may send nothing at all."
                ),
                SchemaMember(
                    "connections",
                    .integer(0...64),
                    default: "8",
                    "How many channels of a simulated link there may be at once. With 0 each is refused for lack of resources."
                ),
                SchemaMember(
                    "security",
                    .words([
                        SchemaWord("none", "none"),
                        SchemaWord("encrypted", "an encrypted link"),
                        SchemaWord("authenticated", "and a key that is protected against a man in the middle"),
                    ]),
                    default: "none",
                    "The security without which the device refuses a channel."
                ),
            ])
        )
    )
}
