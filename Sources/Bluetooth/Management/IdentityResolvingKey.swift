// SPDX-License-Identifier: MIT

/// The identity resolving key of a bond: it resolves the private addresses of the device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Identity Resolving Keys Command
public struct IdentityResolvingKey: Hashable, Sendable {
    /// The number of octets on the wire.
    static let length = 23

    /// The device: its identity address.
    public var device: ManagementAddress
    /// The key.
    public var value: SecurityKey

    /// Creates a key.
    public init(device: ManagementAddress, value: SecurityKey) {
        self.device = device
        self.value = value
    }
}

extension IdentityResolvingKey: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        value = try SecurityKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.append(value)
    }
}
