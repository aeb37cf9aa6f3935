// SPDX-License-Identifier: MIT

/// The operations that a characteristic declaration announces for its value.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.1.1
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value may be written without a response.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value may be written with a response.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value may be notified.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value may be indicated.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value may be written with a signature.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// A Characteristic Extended Properties descriptor announces more.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)

    private static let table: [(property: CharacteristicProperties, name: String)] = [
        (.broadcast, "broadcast"),
        (.read, "read"),
        (.writeWithoutResponse, "write-without-response"),
        (.write, "write"),
        (.notify, "notify"),
        (.indicate, "indicate"),
        (.authenticatedSignedWrites, "authenticated-signed-writes"),
        (.extendedProperties, "extended-properties"),
    ]

    /// The specification's names of the properties, from the lowest bit up: `["read", "notify"]`.
    public var names: [String] { Self.table.filter { contains($0.property) }.map(\.name) }
}

extension CharacteristicProperties: CustomStringConvertible {
    /// `read, notify`
    public var description: String { names.joined(separator: ", ") }
}

/// The operations that the Characteristic Extended Properties descriptor announces.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.1
public struct CharacteristicExtendedProperties: OptionSet, Hashable, Sendable {
    /// The two octets on the wire.
    public let rawValue: UInt16

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reliable writes are possible.
    public static let reliableWrite = CharacteristicExtendedProperties(rawValue: 0x0001)
    /// The Characteristic User Description descriptor can be written.
    public static let writableAuxiliaries = CharacteristicExtendedProperties(rawValue: 0x0002)
}

/// The subscription that a client writes into a Client Characteristic Configuration descriptor (CCCD).
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
    /// The two octets on the wire.
    public let rawValue: UInt16

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The client wants notifications, which it does not confirm.
    public static let notification = ClientConfiguration(rawValue: 0x0001)
    /// The client wants indications, each of which it confirms.
    public static let indication = ClientConfiguration(rawValue: 0x0002)

    /// The descriptor's value: two octets, least significant first.
    public var encoded: [UInt8] {
        [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)]
    }
}
