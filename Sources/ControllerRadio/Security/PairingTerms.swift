// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// What one side of a pairing knows and demands before it begins.
struct PairingTerms: Sendable {
    /// The addresses on the air, which both sides compute with.
    let own: DeviceAddress
    let peer: DeviceAddress
    var demandsSecureConnections = false
    var peerData: OutOfBandData.Pair?
    /// The data of this side that others may have.
    var ownData: GivenData?
    /// The identity that this side sends, if it sends one.
    var identity: DeviceIdentity?
    /// The shortest key that is taken, in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.4
    var shortestKey: UInt8 = 7

    /// Out-of-band data that were given away, with the key pair that they are of.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.5.6.4
    struct GivenData: Sendable {
        let keys: P256PrivateKey
        let pair: OutOfBandData.Pair

        init(_ keys: P256PrivateKey, randomizer: SecurityKey) {
            self.keys = keys
            let x = keys.publicKey.x
            pair = OutOfBandData.Pair(
                hash: SecurityToolbox.f4(u: x, v: x, x: randomizer, z: 0),
                randomizer: randomizer
            )
        }
    }
}

/// Unpredictable numbers.
package struct PairingRandom: Sendable {
    /// That many octets.
    let octets: @Sendable (_ count: Int) -> [UInt8]

    package init(octets: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.octets = octets }

    /// The numbers of the operating system.
    package static let system = Self { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }

    func key() -> SecurityKey { SecurityKey(octets: octets(16)) ?? .zero }

    func number() -> UInt64 { octets(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Six digits, each number of them as likely as the others.
    func passkey() -> UInt32 {
        // 20 bits are enough, and numbers above the last one would make the small ones more likely.
        while true {
            let number = UInt32(truncatingIfNeeded: self.number() & 0xF_FFFF)
            if number < 1_000_000 { return number }
        }
    }

    func keyPair() -> P256PrivateKey {
        while true { if let keys = P256PrivateKey(octets: octets(32)) { return keys } }
    }
}

struct PairingKeys: Hashable, Sendable {
    /// A long-term key, with the numbers by which legacy pairing finds it again.
    struct LongTerm: Hashable, Sendable {
        let value: SecurityKey
        var diversifier: UInt16 = 0
        var randomNumber: UInt64 = 0
    }

    let agreement: PairingAgreement
    /// The key of Secure Connections.
    var shared: LongTerm?
    /// The key that the peer has sent: for links in which this side is the central, if the peer is the responder.
    var received: LongTerm?
    /// The key that this side has sent.
    var sent: LongTerm?
    var identity: DeviceIdentity?
    /// The peer's signature key, and the one of this side.
    var peerSignature: SecurityKey?
    var ownSignature: SecurityKey?

    /// The keys in the terms of the management interface.
    ///
    /// - Parameter device: The address by which the peer is known.
    func generated(for device: DeviceAddress) -> GeneratedKeys {
        let address = ManagementAddress(device)
        func longTerm(_ key: LongTerm, isCentral: Bool) -> LongTermKey {
            LongTermKey(
                device: address,
                kind: agreement.kind,
                isCentral: isCentral,
                encryptionSize: agreement.keySize,
                diversifier: key.diversifier,
                randomNumber: key.randomNumber,
                value: key.value
            )
        }
        let isAuthenticated = agreement.method.isAuthenticated
        var keys = GeneratedKeys()
        // A key is for links in which the side that has sent it is the peripheral.
        if let shared { keys.longTerm.append(longTerm(shared, isCentral: false)) }
        if let received { keys.longTerm.append(longTerm(received, isCentral: true)) }
        if let sent { keys.longTerm.append(longTerm(sent, isCentral: false)) }
        if let peerSignature {
            keys.signature.append(
                SignatureResolvingKey(
                    device: address,
                    kind: isAuthenticated ? .authenticatedRemote : .unauthenticatedRemote,
                    value: peerSignature
                )
            )
        }
        if let ownSignature {
            keys.signature.append(
                SignatureResolvingKey(
                    device: address,
                    kind: isAuthenticated ? .authenticatedLocal : .unauthenticatedLocal,
                    value: ownSignature
                )
            )
        }
        return keys
    }
}

extension SecurityKey {
    /// The key with zeros in place of what is beyond a length in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.4
    func shortened(to size: UInt8) -> SecurityKey {
        size >= 16 ? self : SecurityKey(value & (UInt128(1) << (UInt128(size) * 8) - 1))
    }
}
