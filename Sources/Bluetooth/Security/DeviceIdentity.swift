// SPDX-License-Identifier: MIT

/// The identity of a bonded device, with the key that its private addresses are made with.
///
/// Spec: Core 5.4, Vol 3, Part C, 10.8.2; Vol 6, Part B, 1.3.2
public struct DeviceIdentity: Hashable, Sendable {
    /// The identity address: public or random static.
    public var address: DeviceAddress
    /// The identity resolving key.
    public var key: SecurityKey

    /// Creates an identity.
    public init(address: DeviceAddress, key: SecurityKey) {
        self.address = address
        self.key = key
    }

    /// Whether an address is a private one of this device. With a key of zeros none is, because a device without
    /// privacy has that key, and any device could make such addresses.
    public func owns(_ address: DeviceAddress) -> Bool {
        guard key != .zero, address.kind == .resolvable else { return false }
        let prand = UInt32(truncatingIfNeeded: address.address.rawValue >> 24)
        return SecurityToolbox.ah(key: key, prand: prand) == UInt32(address.address.rawValue & 0xFF_FFFF)
    }

    /// A resolvable private address of this device.
    ///
    /// - Parameter random: A random number, of which 22 bits are used.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 1.3.2.2
    public func privateAddress(random: UInt32) -> DeviceAddress {
        // The random part is neither all zeros nor all ones. The two most significant bits, 0b01, mark the address as
        // resolvable.
        let prand = min(max(random & 0x3F_FFFF, 1), 0x3F_FFFE) | 0x40_0000
        let hash = SecurityToolbox.ah(key: key, prand: prand)
        return DeviceAddress(BluetoothAddress(rawValue: UInt64(prand) << 24 | UInt64(hash)), .random)
    }
}
