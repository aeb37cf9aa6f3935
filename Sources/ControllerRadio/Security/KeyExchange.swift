// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The end of a pairing: each side sends the keys that it has promised, the responder first.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.4.3 and 3.6
struct KeyExchange: Sendable {
    /// The packets with keys, in the order in which they are sent.
    private enum Part: Sendable {
        case longTerm
        case identification
        case identity
        case address
        case signature

        static func parts(of keys: KeyDistribution) -> [Part] {
            (keys.contains(.encryption) ? [longTerm, identification] : [])
                + (keys.contains(.identity) ? [identity, address] : [])
                + (keys.contains(.signature) ? [signature] : [])
        }
    }

    private let isInitiator: Bool
    private let peer: DeviceAddress
    private let identity: DeviceIdentity?
    private let random: PairingRandom
    private let promised: KeyDistribution
    /// What is still to come.
    private var expected: [Part]
    private var keys: PairingKeys
    private var longTerm: SecurityKey?
    private var identityKey: SecurityKey?

    /// The exchange after a pairing.
    ///
    /// - Parameter key: The key that encrypts the link: with Secure Connections the long-term key.
    init(_ agreement: PairingAgreement, _ key: SecurityKey, in session: PairingSession) {
        isInitiator = session.isInitiator
        peer = session.terms.peer
        identity = session.terms.identity
        random = session.random
        promised = isInitiator ? agreement.initiatorKeys : agreement.responderKeys
        expected = Part.parts(of: isInitiator ? agreement.responderKeys : agreement.initiatorKeys)
        keys = PairingKeys(agreement: agreement)
        if agreement.isSecureConnections { keys.shared = PairingKeys.LongTerm(value: key) }
    }

    mutating func begin() -> PairingSession.Step {
        if isInitiator { return expected.isEmpty ? .done(send(), keys) : .go([]) }
        let actions = send()
        return expected.isEmpty ? .done(actions, keys) : .go(actions)
    }

    mutating func received(_ pdu: PairingPDU) -> PairingSession.Step {
        guard let part = expected.first else { return .fail(.unspecifiedReason) }
        switch (part, pdu) {
        case (.longTerm, .encryptionInformation(let key)): longTerm = key
        case (.identification, .centralIdentification(let diversifier, let randomNumber)):
            keys.received = longTerm.map {
                PairingKeys.LongTerm(
                    value: $0.shortened(to: keys.agreement.keySize),
                    diversifier: diversifier,
                    randomNumber: randomNumber
                )
            }
        case (.identity, .identityInformation(let key)): identityKey = key
        case (.address, .identityAddress(let device)):
            // Zeros stand for no identity, and a device with the address of one on the air has no other: Linux,
            // net/bluetooth/smp.c, smp_cmd_ident_addr_info.
            if device.address.rawValue != 0, !peer.isIdentity || peer == device {
                guard device.isIdentity else { return .fail(.invalidParameters) }
                keys.identity = identityKey.map { DeviceIdentity(address: device, key: $0) }
            }
        case (.signature, .signingInformation(let key)): keys.peerSignature = key
        default: return .fail(.unspecifiedReason)
        }
        expected.removeFirst()
        guard expected.isEmpty else { return .go([]) }
        let actions = isInitiator ? send() : []
        return .done(actions, keys)
    }

    /// The packets with the keys of this side.
    private mutating func send() -> [PairingSession.Action] {
        var pdus: [PairingPDU] = []
        if promised.contains(.encryption) {
            let key = PairingKeys.LongTerm(
                value: random.key().shortened(to: keys.agreement.keySize),
                diversifier: UInt16(truncatingIfNeeded: random.number()),
                randomNumber: random.number()
            )
            keys.sent = key
            pdus += [
                .encryptionInformation(key.value),
                .centralIdentification(diversifier: key.diversifier, randomNumber: key.randomNumber),
            ]
        }
        if promised.contains(.identity), let identity {
            pdus += [.identityInformation(identity.key), .identityAddress(identity.address)]
        }
        if promised.contains(.signature) {
            let key = random.key()
            keys.ownSignature = key
            pdus.append(.signingInformation(key))
        }
        return pdus.map { .send($0) }
    }
}
