// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("A pairing, both sides (Vol 3, Part H, 2.3 and 2.4)")
struct PairingSessionTests {
    private static let all: KeyDistribution = [.encryption, .identity, .signature]

    private func features(
        _ capability: IOCapability,
        secure: Bool = true,
        protected: Bool = true,
        hasData: Bool = false,
        size: UInt8 = 16,
        keys: KeyDistribution = [.encryption]
    ) -> PairingFeatures {
        var requirements: AuthenticationRequirements = [.bonding]
        if secure { requirements.insert(.secureConnections) }
        if protected { requirements.insert(.manInTheMiddleProtection) }
        return PairingFeatures(
            ioCapability: capability,
            hasOutOfBandData: hasData,
            requirements: requirements,
            maximumKeySize: size,
            initiatorKeys: keys,
            responderKeys: keys
        )
    }

    @Test("Every pair of capabilities pairs by its method, old and new", arguments: [true, false])
    func everyMethod(isSecure: Bool) throws {
        for one in IOCapability.allCases {
            for other in IOCapability.allCases {
                let (request, response) = (features(one, secure: isSecure), features(other, secure: isSecure))
                var pair = PairOfSessions(request: request, response: response)
                pair.agree()
                let method = PairingMethod(initiator: one, responder: other, isSecureConnections: isSecure)
                let isEncrypted = pair.encrypt()
                #expect(isEncrypted, "\(one) \(other) \(method)")
                let keys = try #require(pair.keys)
                #expect(keys.initiator.agreement.method == method && keys.initiator.agreement.keySize == 16)
                #expect(keys.initiator.agreement == keys.responder.agreement)
                if isSecure {
                    #expect(keys.initiator.shared == keys.responder.shared && keys.initiator.shared != nil)
                    #expect(pair.initiator.key == keys.initiator.shared?.value)
                } else {
                    // Each side has sent its key, and the link was encrypted with another one.
                    #expect(keys.initiator.sent == keys.responder.received && keys.initiator.sent != nil)
                    #expect(keys.initiator.received == keys.responder.sent && keys.responder.sent != nil)
                    #expect(pair.initiator.key != keys.initiator.sent?.value)
                }
                if case .numericComparison = method {
                    #expect(pair.initiator.questions == pair.responder.questions)
                }
            }
        }
    }

    @Test("Wrong digits fail at the side that compares, and no key is there", arguments: [true, false])
    func wrongPasskey(isSecure: Bool) {
        let request = features(.keyboardOnly, secure: isSecure)
        var pair = PairOfSessions(request: request, response: features(.displayOnly, secure: isSecure))
        let right = pair.responder.shown.last ?? 0
        pair.agree(digits: right ^ 1)
        let isEncrypted = pair.encrypt()
        #expect(!isEncrypted)
        let failures = [pair.initiator.outcome, pair.responder.outcome]
        #expect(
            Set(failures) == [.failed(.confirmValueFailed, byPeer: true), .failed(.confirmValueFailed, byPeer: false)]
        )
    }

    @Test("Who declines ends the pairing with the reason of Linux", arguments: [true, false])
    func declined(isSecure: Bool) {
        let request = features(.displayYesNo, secure: isSecure)
        var pair = PairOfSessions(request: request, response: features(.displayYesNo, secure: isSecure))
        pair.answer(ofInitiator: true) { $0.confirmed(false, now: .zero) }
        let reason: PairingFailure = isSecure ? .numericComparisonFailed : .passkeyEntryFailed
        #expect(pair.initiator.outcome == .failed(reason, byPeer: false))
        #expect(pair.responder.outcome == .failed(reason, byPeer: true))
    }

    @Test("Keys go as promised, the responder's first, and shortened to the smaller size")
    func distribution() throws {
        let identity = DeviceIdentity(address: PairOfSessions.peripheral, key: SecurityKey(7))
        var pair = PairOfSessions(
            request: features(.noInputNoOutput, secure: false, size: 16, keys: Self.all),
            response: features(.noInputNoOutput, secure: false, size: 7, keys: [.encryption, .identity, .signature]),
            initiator: { $0.identity = DeviceIdentity(address: PairOfSessions.central, key: SecurityKey(8)) },
            responder: { $0.identity = identity }
        )
        pair.agree()
        let isEncrypted = pair.encrypt()
        #expect(isEncrypted)
        let keys = try #require(pair.keys)
        #expect(keys.initiator.agreement.keySize == 7 && pair.initiator.key.map { $0.value >> 56 } == 0)
        #expect(keys.initiator.received.map { $0.value.value >> 56 } == 0)
        #expect(keys.initiator.identity == identity && keys.responder.identity?.key == SecurityKey(8))
        #expect(keys.initiator.peerSignature == keys.responder.ownSignature && keys.initiator.peerSignature != nil)
        #expect(keys.initiator.ownSignature == keys.responder.peerSignature && keys.initiator.ownSignature != nil)
        let generated = keys.initiator.generated(for: identity.address)
        #expect(
            generated.longTerm.map(\.isCentral) == [true, false]
                && generated.signature.map(\.kind.isLocal) == [false, true]
        )
    }

    @Test("A device with an address of its own is not taken for another one, and is paired with all the same")
    func foreignIdentity() throws {
        let other = DeviceAddress(BluetoothAddress(rawValue: 0xC0_FF_EE_00_00_01), .random)
        for address in [other, DeviceAddress(PairOfSessions.peripheral.address, .public)] {
            var pair = PairOfSessions(
                request: features(.noInputNoOutput, keys: [.identity]),
                response: features(.noInputNoOutput, keys: [.identity]),
                initiator: { $0.identity = DeviceIdentity(address: PairOfSessions.central, key: SecurityKey(8)) },
                responder: { $0.identity = DeviceIdentity(address: address, key: SecurityKey(7)) }
            )
            pair.agree()
            let isEncrypted = pair.encrypt()
            let keys = try #require(pair.keys)
            #expect(isEncrypted && keys.initiator.identity == nil && keys.initiator.shared != nil)
        }
    }

    @Test("A key that is too short is refused before anything else")
    func shortKey() {
        let pair = PairOfSessions(
            request: features(.noInputNoOutput),
            response: features(.noInputNoOutput, size: 10),
            initiator: { $0.shortestKey = 16 }
        )
        #expect(pair.initiator.outcome == .failed(.encryptionKeySize, byPeer: false))
    }

    @Test("Whoever demands Secure Connections refuses legacy pairing")
    func demanded() {
        let pair = PairOfSessions(
            request: features(.noInputNoOutput),
            response: features(.noInputNoOutput, secure: false),
            initiator: { $0.demandsSecureConnections = true }
        )
        #expect(pair.initiator.outcome == .failed(.authenticationRequirements, byPeer: false))
    }

    // MARK: - Out of band

    private func given(_ seed: UInt64) -> PairingTerms.GivenData {
        let random = PairOfSessions.random(seed)
        return PairingTerms.GivenData(random.keyPair(), randomizer: random.key())
    }

    @Test("Data of one side, or of both, prove who they are")
    func outOfBand() {
        let (a, b) = (given(11), given(12))
        for (hasA, hasB) in [(true, false), (false, true), (true, true)] {
            var pair = PairOfSessions(
                // The flag of a side says that it has the data of the other one.
                request: features(.noInputNoOutput, hasData: hasB),
                response: features(.noInputNoOutput, hasData: hasA),
                initiator: {
                    $0.ownData = a
                    $0.peerData = hasB ? b.pair : nil
                },
                responder: {
                    $0.ownData = b
                    $0.peerData = hasA ? a.pair : nil
                }
            )
            #expect(pair.initiator.questions.isEmpty)
            let isEncrypted = pair.encrypt()
            #expect(isEncrypted && pair.keys?.initiator.agreement.method == .outOfBand)
        }
    }

    @Test("Wrong data fail, and data that this side has not given away are not believed")
    func wrongData() {
        let (a, b) = (given(11), given(12))
        var pair = PairOfSessions(
            request: features(.noInputNoOutput, hasData: true),
            response: features(.noInputNoOutput),
            initiator: { $0.peerData = a.pair },
            responder: { $0.ownData = b }
        )
        #expect(pair.initiator.outcome == .failed(.confirmValueFailed, byPeer: false))
        pair = PairOfSessions(
            request: features(.noInputNoOutput, hasData: true),
            response: features(.noInputNoOutput),
            initiator: { $0.peerData = b.pair }
        )
        #expect(pair.responder.outcome == .failed(.outOfBandNotAvailable, byPeer: false))
    }

    // MARK: - Hostile peers

    @Test("A public key that is off the curve, this side's own, or the published one is refused")
    func publicKeys() throws {
        let debug = try #require(P256PrivateKey(octets: P256Tests.privateA)).publicKey
        let off = try #require(P256Number(octets: P256Tests.publicB.y))
        var seen: PairingPDU?
        for attack in 0..<3 {
            let pair = PairOfSessions(
                request: features(.displayYesNo),
                response: features(.displayYesNo),
                air: { isFirst, pdu in
                    guard case .publicKey(let x, _) = pdu else { return pdu }
                    if isFirst {
                        seen = pdu
                        return pdu
                    }
                    switch attack {
                    case 0: return .publicKey(x: x, y: off)
                    case 1: return seen
                    default: return .publicKey(x: debug.x, y: debug.y)
                    }
                }
            )
            #expect(pair.initiator.outcome == .failed(.invalidParameters, byPeer: false), "\(attack)")
            #expect(pair.responder.outcome == .failed(.invalidParameters, byPeer: true))
        }
    }

    @Test("A confirm value that is only mirrored proves nothing", arguments: [true, false])
    func mirror(isSecure: Bool) {
        let request = features(.displayOnly, secure: isSecure)
        var mirrored: PairingPDU?
        var pair = PairOfSessions(
            request: request,
            response: features(.keyboardOnly, secure: isSecure),
            air: { isFirst, pdu in
                guard case .confirm = pdu else { return pdu }
                if isFirst { mirrored = pdu }
                return mirrored
            }
        )
        pair.agree()
        #expect(pair.initiator.outcome == .failed(.confirmValueFailed, byPeer: false))
    }

    @Test("A changed check, or a changed number, is found out")
    func changed() {
        for code in [UInt8(0x04), 0x0D] {
            for isChangedFirst in [true, false] {
                var pair = PairOfSessions(
                    request: features(.noInputNoOutput),
                    response: features(.noInputNoOutput),
                    air: { isFirst, pdu in
                        guard isFirst == isChangedFirst, pdu.encoded().first == code else { return pdu }
                        switch pdu {
                        case .random(let value): return .random(SecurityKey(value.value ^ 1))
                        case .dhKeyCheck(let value): return .dhKeyCheck(SecurityKey(value.value ^ 1))
                        default: return pdu
                        }
                    }
                )
                pair.agree()
                let isEncrypted = pair.encrypt()
                #expect(!isEncrypted && pair.keys == nil)
            }
        }
    }

    @Test("Packets out of their order end the pairing, and none traps")
    func disorder() {
        let key = SecurityKey(1)
        let zero = P256Number(octets: [UInt8](repeating: 0, count: 32))
        let packets: [PairingPDU?] = [
            .request(features(.displayOnly)), .response(features(.displayOnly)), .confirm(key), .random(key),
            .encryptionInformation(key), .centralIdentification(diversifier: 1, randomNumber: 1),
            .identityInformation(key), .identityAddress(PairOfSessions.central), .signingInformation(key),
            .securityRequest([]), zero.map { .publicKey(x: $0, y: $0) }, .dhKeyCheck(key), .keypress(0),
        ]
        for packet in packets.compactMap(\.self) {
            for isSecure in [true, false] {
                for stage in 0..<3 {
                    var pair = PairOfSessions(
                        request: features(.keyboardDisplay, secure: isSecure),
                        response: features(.keyboardDisplay, secure: isSecure)
                    )
                    if stage > 0 { pair.agree() }
                    if stage > 1 { _ = pair.encrypt() }
                    for isInitiator in [true, false] {
                        pair.answer(ofInitiator: isInitiator) { $0.received(packet, now: .zero) }
                    }
                    let isOver = pair.initiator.outcome != nil && pair.responder.outcome != nil
                    #expect(isOver || packet == .keypress(0), "\(packet) in \(stage)")
                }
            }
        }
    }

    @Test("A peer that falls silent is given up after 30 s, counted from the last step")
    func silence() {
        let begun = PairingSession.requesting(
            features(.displayOnly),
            PairingTerms(own: PairOfSessions.central, peer: PairOfSessions.peripheral),
            PairOfSessions.random(3),
            now: .zero
        )
        var session = begun.session
        _ = session.received(.response(features(.noInputNoOutput)), now: .at(10_000))
        let early = session.timerFired(now: .at(39_999))
        #expect(early.isEmpty && session.nextDeadline == .at(40_000))
        let late = session.timerFired(now: .at(40_000))
        #expect(late == [.finished(.silence)] && session.nextDeadline == nil)
        let after = session.received(.random(.zero), now: .at(41_000))
        #expect(after.isEmpty)
    }
}
