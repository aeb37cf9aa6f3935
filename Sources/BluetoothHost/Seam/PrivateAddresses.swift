// SPDX-License-Identifier: MIT

public import Bluetooth

/// The private addresses of this machine, which uses them on the air one after the other.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.3.2; Vol 3, Part C, 10.7
public struct PrivateAddresses: Sendable {
    /// The usual life of a private address.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, Appendix A, T_GAP(private_addr_int)
    public static let usualLife = Duration.seconds(15 * 60)

    /// The identity that bonded devices know; `nil` for addresses that no bonded device can resolve.
    public let identity: DeviceIdentity?
    /// How long an address is used before the next one replaces it.
    public let life: Duration
    private let random: @Sendable () -> UInt64

    /// Creates the addresses.
    ///
    /// - Parameters:
    ///   - identity: The identity that bonded devices know; `nil` for addresses that no bonded device can resolve.
    ///   - life: How long an address is used.
    ///   - random: Unpredictable random numbers.
    public init(
        of identity: DeviceIdentity?,
        life: Duration = usualLife,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 0...UInt64.max) }
    ) {
        self.identity = identity
        self.life = max(life, .seconds(1))
        self.random = random
    }

    /// A new address: resolvable if there is an identity.
    public func make() -> BluetoothAddress {
        guard let identity else {
            // The two most significant bits are zeros, and the rest is neither all zeros nor all ones.
            return BluetoothAddress(rawValue: min(max(random() & 0x3FFF_FFFF_FFFF, 1), 0x3FFF_FFFF_FFFE))
        }
        return identity.privateAddress(random: UInt32(truncatingIfNeeded: random())).address
    }
}
