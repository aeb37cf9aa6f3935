// SPDX-License-Identifier: MIT

public import Bluetooth

/// How a simulated device pairs, whether it keeps the keys, and whether its address is private.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3 and 2.4
public struct DevicePairing: Hashable, Sendable {
    /// The use of Secure Connections.
    public enum SecureConnections: String, Hashable, Sendable, CaseIterable {
        /// With a central that supports it.
        case on
        /// Never: legacy pairing only.
        case off
        /// Always: it does not pair without.
        case only
    }

    /// The treatment of the keys after a pairing.
    public enum Bonding: String, Hashable, Sendable, CaseIterable {
        /// The device keeps them.
        case kept
        /// The device does not bond, and says so in the pairing.
        case none
        /// The device says that it bonds, and has no key when the link is made again.
        case forgotten
        /// The device says that it bonds, and encrypts the next link with another key.
        case otherKey = "other-key"
    }

    /// The step at which a silent device stops to answer.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// It does not answer the Pairing Request.
        case request
        /// It does not prove that it has the right key or passkey.
        case confirmation
        /// It does not send its keys.
        case keys
    }

    /// The data that reach a central another way than by the link.
    public struct OutOfBand: Hashable, Sendable {
        /// The hash of the device's public key.
        public var hash: SecurityKey
        /// The random number in it.
        public var random: SecurityKey

        /// Creates data.
        public init(hash: SecurityKey, random: SecurityKey) {
            self.hash = hash
            self.random = random
        }
    }

    /// The time after which most devices change their private address.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, Appendix A (TGAP(private_addr_int))
    public static let usualAddressLife = Duration.seconds(900)

    /// The input and output of the device.
    public var capability = IOCapability.noInputNoOutput
    /// Whether it demands protection against a man in the middle.
    public var needsAuthentication = false
    /// The use of Secure Connections.
    public var secureConnections = SecureConnections.on
    /// The digits that it shows, 0 to 999,999, or that are entered at it; `nil` for others each time, or the right
    /// ones.
    public var passkey: UInt32?
    /// The longest key that it supports, in octets: 7 to 16.
    public var maximumKeySize: UInt8 = 16
    /// The treatment of the keys.
    public var bonding = Bonding.kept
    /// Whether signature keys are exchanged.
    public var signs = false
    /// The reason with which it refuses each Pairing Request; `nil` if it does not.
    public var refusal: PairingFailure?
    /// The step at which it stops to answer; `nil` if it answers.
    public var silence: Step?
    /// The data without which it does not pair; `nil` if it needs none.
    public var outOfBand: OutOfBand?
    /// The time after which its private address changes; `nil` if it is known by its identity address.
    public var addressLife: Duration?

    /// A device without input and output that bonds with every central.
    public init() {}
}
