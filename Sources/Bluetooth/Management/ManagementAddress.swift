// SPDX-License-Identifier: MIT

/// A device's address in management packets, with its transport. Unknown types are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Pair Device Command
public struct ManagementAddress: Hashable, Sendable {
    /// The type of an address, which names the transport too.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The octet on the wire.
        public let rawValue: UInt8

        /// Keeps any value, also an unknown one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A device on Basic Rate.
        public static let basicRate = Self(rawValue: 0)
        /// A public address on Low Energy.
        public static let lePublic = Self(rawValue: 1)
        /// A random address on Low Energy.
        public static let leRandom = Self(rawValue: 2)
    }

    /// The 48 bits.
    public var address: BluetoothAddress
    /// The type and the transport.
    public var kind: Kind

    /// Creates an address with its type.
    public init(_ address: BluetoothAddress, _ kind: Kind) {
        self.address = address
        self.kind = kind
    }

    /// The address of a device on Low Energy.
    public init(_ device: DeviceAddress) {
        self.init(device.address, device.type.connectionType == .public ? .lePublic : .leRandom)
    }

    /// The address on Low Energy; `nil` for another transport.
    public var device: DeviceAddress? {
        switch kind {
        case .lePublic: DeviceAddress(address, .public)
        case .leRandom: DeviceAddress(address, .random)
        default: nil
        }
    }
}

extension ManagementAddress: CustomStringConvertible {
    /// `F0:F1:F2:F3:F4:F5 (random)`
    public var description: String {
        if let device { return "\(device)" }
        return kind == .basicRate ? "\(address) (br/edr)" : "\(address) (type \(kind.rawValue))"
    }
}

extension ManagementAddress: ManagementReturnParameters {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        address = BluetoothAddress(rawValue: try reader.uint48("address"))
        kind = Kind(rawValue: try reader.uint8("address type"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(address)
        writer.uint8(kind.rawValue)
    }

    public var details: String { description }
}
