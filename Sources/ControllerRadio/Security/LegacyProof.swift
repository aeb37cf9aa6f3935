// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The part of legacy pairing in which both sides prove that they have the same temporary key.
///
/// Each commits itself to a random number before it learns the other one: by a confirm value, which the temporary key
/// and the number give.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.5.2 to 2.3.5.5
struct LegacyProof: Sendable {
    private let agreement: PairingAgreement
    private let request: PairingFeatures
    private let response: PairingFeatures
    /// The random number of this side.
    private let own: SecurityKey
    /// The temporary key; `nil` until the person has answered.
    private var key: SecurityKey?
    private var question: PairingSession.Question?
    private var ownConfirm: SecurityKey?
    private var peerConfirm: SecurityKey?

    init(
        _ agreement: PairingAgreement,
        _ request: PairingFeatures,
        _ response: PairingFeatures,
        random: SecurityKey
    ) {
        self.agreement = agreement
        self.request = request
        self.response = response
        own = random
    }

    mutating func begin(in session: PairingSession) -> PairingSession.Step {
        switch agreement.method {
        case .passkeyEntry(let source) where source.isShown(byInitiator: session.isInitiator):
            let passkey = session.random.passkey()
            key = SecurityKey(UInt128(passkey))
            return .go([.show(passkey)] + confirm(in: session))
        case .passkeyEntry: question = .passkey
        case .justWorks, .numericComparison, .outOfBand: question = .consent
        }
        return .go(question.map { [.ask($0)] } ?? [])
    }

    mutating func confirmed(in session: PairingSession) -> PairingSession.Step {
        guard question == .consent else { return .go([]) }
        return answered(.zero, in: session)
    }

    mutating func entered(_ passkey: UInt32, in session: PairingSession) -> PairingSession.Step {
        guard question == .passkey else { return .go([]) }
        return answered(SecurityKey(UInt128(passkey)), in: session)
    }

    mutating func received(_ pdu: PairingPDU, in session: PairingSession) -> PairingSession.Step {
        switch pdu {
        // The initiator's is the first one.
        case .confirm(let value) where peerConfirm == nil && (!session.isInitiator || ownConfirm != nil):
            // One that only repeats this side's proves nothing.
            guard value != ownConfirm else { return .fail(.confirmValueFailed) }
            peerConfirm = value
            return .go(session.isInitiator ? [.send(.random(own))] : confirm(in: session))
        case .random(let number):
            guard let key, let peerConfirm, ownConfirm != nil else { return .fail(.unspecifiedReason) }
            guard value(of: number, key, in: session) == peerConfirm else { return .fail(.confirmValueFailed) }
            let shortTerm = SecurityToolbox.s1(
                key: key,
                responder: session.isInitiator ? number : own,
                initiator: session.isInitiator ? own : number
            )
            return .encrypt(
                session.isInitiator ? [] : [.send(.random(own))],
                agreement,
                shortTerm.shortened(to: agreement.keySize)
            )
        default: return .fail(.unspecifiedReason)
        }
    }

    private mutating func answered(_ key: SecurityKey, in session: PairingSession) -> PairingSession.Step {
        question = nil
        self.key = key
        return .go(confirm(in: session))
    }

    /// The confirm value of this side, if it is its turn.
    private mutating func confirm(in session: PairingSession) -> [PairingSession.Action] {
        guard let key, session.isInitiator || peerConfirm != nil else { return [] }
        let value = value(of: own, key, in: session)
        ownConfirm = value
        return [.send(.confirm(value))]
    }

    private func value(of number: SecurityKey, _ key: SecurityKey, in session: PairingSession) -> SecurityKey {
        SecurityToolbox.c1(
            key: key,
            random: number,
            request: request,
            response: response,
            initiator: session.addresses.initiator,
            responder: session.addresses.responder
        )
    }
}

extension PairingMethod.PasskeySource {
    func isShown(byInitiator isInitiator: Bool) -> Bool {
        switch self {
        case .initiatorDisplays: isInitiator
        case .responderDisplays: !isInitiator
        case .bothEnter: false
        }
    }
}
