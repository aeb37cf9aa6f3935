// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The part of LE Secure Connections in which both sides exchange public keys, prove who they are, and make the long-term
/// key.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.5.6
struct SecureProof: Sendable {
    /// The number of bits of a passkey, each of which is proved by a round of its own.
    private static let rounds = 20

    private let agreement: PairingAgreement
    private let request: PairingFeatures
    private let response: PairingFeatures
    private let keys: P256PrivateKey
    private var peer: (key: P256PublicKey, shared: P256Number)?
    /// The random numbers of the present round, of both sides.
    private var own = SecurityKey.zero
    private var peers: SecurityKey?
    private var ownConfirm: SecurityKey?
    private var peerConfirm: SecurityKey?
    private var question: PairingSession.Question?
    private var passkey: UInt32?
    /// The number of rounds of passkey entry that are done.
    private var round = 0
    /// Whether the numbers are exchanged and nothing is left but the person's answer.
    private var isProved = false
    /// The peer's check, which has come before the person's answer.
    private var peerCheck: SecurityKey?
    /// The key that the checks are made with, and the long-term key.
    private var derived: (macKey: SecurityKey, longTermKey: SecurityKey)?

    init(
        _ agreement: PairingAgreement,
        _ request: PairingFeatures,
        _ response: PairingFeatures,
        _ keys: P256PrivateKey
    ) {
        self.agreement = agreement
        self.request = request
        self.response = response
        self.keys = keys
    }

    mutating func begin(in session: PairingSession) -> PairingSession.Step {
        .go(session.isInitiator ? [publicKey] : [])
    }

    // MARK: - A person's answers

    mutating func confirmed(in session: PairingSession) -> PairingSession.Step {
        guard question != nil, question != .passkey else { return .go([]) }
        question = nil
        return check(in: session)
    }

    mutating func entered(_ passkey: UInt32, in session: PairingSession) -> PairingSession.Step {
        guard question == .passkey else { return .go([]) }
        question = nil
        self.passkey = passkey
        return .go(confirm(in: session))
    }

    // MARK: - Packets of the peer

    mutating func received(_ pdu: PairingPDU, in session: PairingSession) -> PairingSession.Step {
        switch pdu {
        case .publicKey(let x, let y) where peer == nil: return receivedKey(x, y, in: session)
        case .confirm(let value) where peer != nil && peerConfirm == nil && !isProved:
            return receivedConfirm(value, in: session)
        case .random(let number) where peer != nil && !isProved: return receivedNumber(number, in: session)
        // The initiator's goes first, and may come before the answer of the person here.
        case .dhKeyCheck(let value) where isProved && peerCheck == nil && (!session.isInitiator || derived != nil):
            peerCheck = value
            return check(in: session)
        default: return .fail(.unspecifiedReason)
        }
    }

    private mutating func receivedKey(_ x: P256Number, _ y: P256Number, in session: PairingSession)
        -> PairingSession.Step
    {
        // A peer that has this side's own key knows nothing of its private half, and the published one is no secret
        // (CVE-2020-26558).
        guard let key = P256PublicKey(x: x, y: y), key.x != keys.publicKey.x, x.octets != P256PublicKey.debugX,
            let shared = keys.sharedKey(with: key)
        else { return .fail(.invalidParameters) }
        peer = (key, shared)
        let answer = session.isInitiator ? [] : [publicKey]
        switch authenticate(in: session) {
        case .go(let actions): return .go(answer + actions)
        case let other: return other
        }
    }

    private mutating func receivedConfirm(_ value: SecurityKey, in session: PairingSession) -> PairingSession.Step {
        guard value != ownConfirm else { return .fail(.confirmValueFailed) }
        switch agreement.method {
        case .outOfBand: return .fail(.unspecifiedReason)
        case .justWorks, .numericComparison:
            // Only the responder commits itself.
            guard session.isInitiator else { return .fail(.unspecifiedReason) }
            peerConfirm = value
            return .go([.send(.random(own))])
        case .passkeyEntry:
            guard session.isInitiator else {
                peerConfirm = value
                return .go(confirm(in: session))
            }
            guard ownConfirm != nil else { return .fail(.unspecifiedReason) }
            peerConfirm = value
            return .go([.send(.random(own))])
        }
    }

    private mutating func receivedNumber(_ number: SecurityKey, in session: PairingSession) -> PairingSession.Step {
        guard let peer else { return .fail(.unspecifiedReason) }
        let answer: [PairingSession.Action] = session.isInitiator ? [] : [.send(.random(own))]
        switch agreement.method {
        case .justWorks, .numericComparison:
            if session.isInitiator {
                guard let peerConfirm else { return .fail(.unspecifiedReason) }
                let value = SecurityToolbox.f4(u: peer.key.x, v: keys.publicKey.x, x: number, z: 0)
                guard value == peerConfirm else { return .fail(.confirmValueFailed) }
            }
            peers = number
            isProved = true
            let asked = question(in: session)
            question = asked
            return .go(answer + [.ask(asked)])
        case .passkeyEntry:
            guard let peerConfirm, ownConfirm != nil else { return .fail(.unspecifiedReason) }
            let value = SecurityToolbox.f4(u: peer.key.x, v: keys.publicKey.x, x: number, z: passkeyBit)
            guard value == peerConfirm else { return .fail(.confirmValueFailed) }
            peers = number
            round += 1
            guard round == Self.rounds else {
                ownConfirm = nil
                self.peerConfirm = nil
                return .go(answer + (session.isInitiator ? confirm(in: session) : []))
            }
            isProved = true
        case .outOfBand:
            peers = number
            isProved = true
        }
        switch check(in: session) {
        case .go(let actions): return .go(answer + actions)
        case let other: return other
        }
    }

    // MARK: - The first stage

    private var publicKey: PairingSession.Action {
        .send(.publicKey(x: keys.publicKey.x, y: keys.publicKey.y))
    }

    /// Begins to prove who this side is, when both public keys are known.
    private mutating func authenticate(in session: PairingSession) -> PairingSession.Step {
        own = session.random.key()
        switch agreement.method {
        case .justWorks, .numericComparison:
            guard !session.isInitiator, let peer else { return .go([]) }
            let value = SecurityToolbox.f4(u: keys.publicKey.x, v: peer.key.x, x: own, z: 0)
            return .go([.send(.confirm(value))])
        case .passkeyEntry(let source):
            guard source.isShown(byInitiator: session.isInitiator) else {
                question = .passkey
                return .go([.ask(.passkey)])
            }
            let passkey = session.random.passkey()
            self.passkey = passkey
            return .go([.show(passkey)] + confirm(in: session))
        case .outOfBand:
            // Either side may lack the data of the other one, but not both.
            if let data = session.terms.peerData, hasData(isInitiator: session.isInitiator), let peer {
                let value = SecurityToolbox.f4(u: peer.key.x, v: peer.key.x, x: data.randomizer, z: 0)
                guard value == data.hash else { return .fail(.confirmValueFailed) }
            }
            if hasData(isInitiator: !session.isInitiator), session.terms.ownData == nil {
                return .fail(.outOfBandNotAvailable)
            }
            return .go(session.isInitiator ? [.send(.random(own))] : [])
        }
    }

    /// The confirm value of the present bit of the passkey, if it is this side's turn.
    private mutating func confirm(in session: PairingSession) -> [PairingSession.Action] {
        guard passkey != nil, let peer, session.isInitiator || peerConfirm != nil else { return [] }
        own = session.random.key()
        let value = SecurityToolbox.f4(u: keys.publicKey.x, v: peer.key.x, x: own, z: passkeyBit)
        ownConfirm = value
        return [.send(.confirm(value))]
    }

    private var passkeyBit: UInt8 { 0x80 | UInt8((passkey ?? 0) >> UInt32(round) & 1) }

    private func question(in session: PairingSession) -> PairingSession.Question {
        guard agreement.method == .numericComparison, let peer, let peers else { return .consent }
        let isInitiator = session.isInitiator
        let value = SecurityToolbox.g2(
            u: isInitiator ? keys.publicKey.x : peer.key.x,
            v: isInitiator ? peer.key.x : keys.publicKey.x,
            x: isInitiator ? own : peers,
            y: isInitiator ? peers : own
        )
        return .compare(value % 1_000_000)
    }

    private func hasData(isInitiator: Bool) -> Bool {
        isInitiator ? request.hasOutOfBandData : response.hasOutOfBandData
    }

    // MARK: - The second stage

    /// Checks that both have the same keys: the initiator's check goes first.
    private mutating func check(in session: PairingSession) -> PairingSession.Step {
        guard isProved, question == nil, let peer, let peers else { return .go([]) }
        let isInitiator = session.isInitiator
        let numbers = isInitiator ? (own, peers) : (peers, own)
        var actions: [PairingSession.Action] = []
        let keys: (macKey: SecurityKey, longTermKey: SecurityKey)
        if let derived {
            keys = derived
        } else {
            keys = SecurityToolbox.f5(
                w: peer.shared,
                n1: numbers.0,
                n2: numbers.1,
                a1: session.addresses.initiator,
                a2: session.addresses.responder
            )
            derived = keys
            if isInitiator { actions = [.send(.dhKeyCheck(ownCheck(keys.macKey, peers, in: session)))] }
        }
        guard let peerCheck else { return .go(actions) }
        let expected = SecurityToolbox.f6(
            w: keys.macKey,
            n1: peers,
            n2: own,
            r: secret(ofInitiator: isInitiator, in: session),
            features: isInitiator ? response : request,
            a1: session.terms.peer,
            a2: session.terms.own
        )
        guard peerCheck == expected else { return .fail(.dhKeyCheckFailed) }
        if !isInitiator { actions = [.send(.dhKeyCheck(ownCheck(keys.macKey, peers, in: session)))] }
        return .encrypt(actions, agreement, keys.longTermKey.shortened(to: agreement.keySize))
    }

    private func ownCheck(_ key: SecurityKey, _ peers: SecurityKey, in session: PairingSession) -> SecurityKey {
        SecurityToolbox.f6(
            w: key,
            n1: own,
            n2: peers,
            r: secret(ofInitiator: !session.isInitiator, in: session),
            features: session.isInitiator ? request : response,
            a1: session.terms.own,
            a2: session.terms.peer
        )
    }

    /// What a side's check contains besides: the passkey, or the random number in the out-of-band data of that side, as
    /// far as the other one has them.
    ///
    /// - Parameter isInitiator: Whose number; a check contains that of the other side.
    private func secret(ofInitiator isInitiator: Bool, in session: PairingSession) -> SecurityKey {
        switch agreement.method {
        case .justWorks, .numericComparison: return .zero
        case .passkeyEntry: return SecurityKey(UInt128(passkey ?? 0))
        case .outOfBand:
            guard hasData(isInitiator: !isInitiator) else { return .zero }
            let data = isInitiator == session.isInitiator ? session.terms.ownData?.pair : session.terms.peerData
            return data?.randomizer ?? .zero
        }
    }
}
