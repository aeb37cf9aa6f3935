// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("Security of a host's links")
struct HostSecurityTests {
    private static let handle: ConnectionHandle = 0x0040
    private static let program = ChannelID(rawValue: 3)

    /// The security of a host with one link to the strap.
    private static func linked(as role: LERole = .central, ready capability: IOCapability? = nil) -> HostSecurity {
        var security = HostSecurity(PairOfSessions.random(5))
        security.ready(.typical(), identity: lamp)
        security.keys.capability = capability
        _ = security.began(handle, LinkOrigin(peer: strap, role: role), own: lamp)
        return security
    }

    private static func key(
        _ kind: LongTermKey.Kind,
        isCentral: Bool = false,
        diversifier: UInt16 = 0,
        randomNumber: UInt64 = 0
    ) -> LongTermKey {
        LongTermKey(
            device: ManagementAddress(strap),
            kind: kind,
            isCentral: isCentral,
            diversifier: diversifier,
            randomNumber: randomNumber,
            value: SecurityKey(UInt128(kind.rawValue) + 1)
        )
    }

    private static func sent(_ actions: [HostSecurity.Action]) -> [PairingPDU] {
        actions.compactMap { if case .send(let pdu, _) = $0 { pdu } else { nil } }
    }

    /// The management events and answers, by their codes.
    private static func codes(_ actions: [HostSecurity.Action]) -> [UInt16] {
        actions.compactMap { action in
            switch action {
            case .event(let packet, _), .reply(let packet, _): packet.code
            default: nil
            }
        }
    }

    private static let request = PairingFeatures(
        ioCapability: .noInputNoOutput,
        requirements: [.bonding, .secureConnections],
        initiatorKeys: [.encryption, .signature],
        responderKeys: [.encryption, .signature]
    )

    // MARK: - Encryption

    @Test func `a bond encrypts, and says so to those who wait`() {
        var security = Self.linked()
        let key = Self.key(.authenticatedP256)
        security.keys.longTermKeys = [key]
        let id = RaisingID(rawValue: 1)
        let command = LEEnableEncryption(Self.handle, key: key.value).packet
        #expect(security.raise(Self.handle, to: .high, id) == [.command(command, Self.handle)])
        let actions = security.encryptionChanged(Self.handle, .success, isOn: true, .zero)
        #expect(actions == [.raised(id, nil)] && security.links[Self.handle]?.security.level == .fips)
        // It has the level now.
        #expect(security.raise(Self.handle, to: .medium, id) == [.raised(id, nil)])
    }

    @Test func `without a key that is good enough nothing is sent, and the link stays`() {
        var security = Self.linked()
        let id = RaisingID(rawValue: 1)
        #expect(security.raise(Self.handle, to: .medium, id) == [.raised(id, .unsupported)])
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        #expect(security.raise(Self.handle, to: .high, id) == [.raised(id, .unsupported)])
    }

    @Test func `a key that the peer has lost ends the link, and is kept`() {
        var security = Self.linked()
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        let id = RaisingID(rawValue: 1)
        _ = security.raise(Self.handle, to: .medium, id)
        let end = HostSecurity.Action.end(Self.handle, .authenticationFailure, .authenticationFailed)
        #expect(security.encryptionChanged(Self.handle, .pinOrKeyMissing, isOn: false, .zero) == [end])
        let ended = security.ended(Self.handle, .connectionTerminatedByLocalHost, .authenticationFailed)
        #expect(ended.first == .raised(id, .authenticationFailed) && security.keys.longTermKeys.count == 1)
        #expect(security.links.isEmpty)
    }

    @Test func `a controller that refuses to encrypt ends the link, too`() {
        var security = Self.linked()
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        _ = security.raise(Self.handle, to: .medium, RaisingID(rawValue: 1))
        let actions = security.encryptionRefused(Self.handle, .unknownHCICommand)
        #expect(actions == [.end(Self.handle, .authenticationFailure, .authenticationFailed)])
    }

    @Test func `each request for a key is answered: by the key that is meant, or by none`() {
        var security = Self.linked(as: .peripheral)
        let none = HostSecurity.Action.command(LELongTermKeyRequestNegativeReply(Self.handle).packet, Self.handle)
        func asked(_ diversifier: UInt16, _ randomNumber: UInt64) -> [HostSecurity.Action] {
            security.keyRequested(
                LELongTermKeyRequestEvent(Self.handle, randomNumber: randomNumber, diversifier: diversifier)
            )
        }
        #expect(asked(0, 0) == [none])
        let secure = Self.key(.unauthenticatedP256)
        let legacy = Self.key(.authenticatedLegacy, diversifier: 7, randomNumber: 8)
        let others = Self.key(.unauthenticatedLegacy, isCentral: true, diversifier: 9, randomNumber: 9)
        security.keys.longTermKeys = [secure, legacy, others]
        for (key, diversifier, randomNumber) in [(secure, UInt16(0), UInt64(0)), (legacy, 7, 8)] {
            let reply = LELongTermKeyRequestReply(Self.handle, key: key.value).packet
            #expect(asked(diversifier, randomNumber) == [.command(reply, Self.handle)])
        }
        #expect(asked(7, 9) == [none])
        #expect(asked(9, 9) == [none])
        let unknown = LELongTermKeyRequestEvent(0x0041, randomNumber: 0, diversifier: 0)
        let reply = security.keyRequested(unknown)
        #expect(reply.count == 1)
    }

    @Test func `a link that loses its encryption counts as open`() {
        var security = Self.linked()
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        _ = security.raise(Self.handle, to: .medium, RaisingID(rawValue: 1))
        _ = security.encryptionChanged(Self.handle, .success, isOn: true, .zero)
        _ = security.encryptionChanged(Self.handle, .success, isOn: false, .zero)
        #expect(security.links[Self.handle]?.security == LinkSecurity(hasBond: true))
    }

    @Test func `a bonded peer that wants a protected channel is told to encrypt, and another one to pair`() {
        var security = Self.linked(as: .peripheral)
        func obstacle() -> LECreditBasedConnectionResult? {
            security.links[Self.handle].flatMap { AccessRequirement(.medium).obstacle(on: $0.security) }
        }
        #expect(obstacle() == .insufficientAuthentication)
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        _ = security.began(Self.handle, LinkOrigin(peer: strap, role: .peripheral), own: lamp)
        #expect(obstacle() == .insufficientEncryption)
    }

    // MARK: - Requests of the peer

    @Test func `a peripheral that asks for security gets the bond, a pairing, or a refusal`() {
        let asked = PairingPDU.securityRequest([.bonding]).encoded()
        var security = Self.linked()
        let answer1 = Self.sent(security.received(asked, on: Self.handle, now: .zero))
        #expect(answer1 == [.failed(.pairingNotSupported)])
        security = Self.linked(ready: .noInputNoOutput)
        let begun = Self.sent(security.received(asked, on: Self.handle, now: .zero))
        #expect(begun.count == 1 && begun.first?.encoded().first == 0x01)
        // It asks again meanwhile.
        #expect(security.received(asked, on: Self.handle, now: .zero) == [])
        security = Self.linked(ready: .noInputNoOutput)
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        let key = security.keys.longTermKeys[0].value
        #expect(
            security.received(asked, on: Self.handle, now: .zero)
                == [.command(LEEnableEncryption(Self.handle, key: key).packet, Self.handle)]
        )
    }

    @Test func `a central pairs only if a program is ready to answer`() {
        let request = PairingPDU.request(Self.request).encoded()
        var security = Self.linked(as: .peripheral)
        let answer2 = Self.sent(security.received(request, on: Self.handle, now: .zero))
        #expect(answer2 == [.failed(.pairingNotSupported)])
        security = Self.linked(as: .peripheral, ready: .noInputNoOutput)
        let answer = Self.sent(security.received(request, on: Self.handle, now: .zero))
        #expect(answer.first?.encoded().first == 0x02)
        security = Self.linked(ready: .noInputNoOutput)
        let answer3 = Self.sent(security.received(request, on: Self.handle, now: .zero))
        #expect(answer3 == [.failed(.commandNotSupported)])
    }

    @Test func `packets that cannot be understood, and those without a pairing, do no harm`() {
        var security = Self.linked(as: .peripheral, ready: .noInputNoOutput)
        let invalid: [[UInt8]] = [[], [0x00], [0x0F, 1], [0x03], [0x03, 1, 2], [0x04], [0x0C, 1], [0xFF]]
        for payload in invalid { #expect(security.received(payload, on: Self.handle, now: .zero) == []) }
        let short = Self.sent(security.received([0x01, 0x09], on: Self.handle, now: .zero))
        #expect(short == [.failed(.invalidParameters)])
        #expect(security.received([0x01], on: 0x0041, now: .zero) == [])
    }

    @Test func `who guesses has to wait, twice as long each time`() {
        var attempts = RepeatedAttempts()
        attempts.failed(strap, .pairingNotSupported, now: .zero)
        #expect(!attempts.mustWait(strap, now: .zero))
        attempts.failed(strap, .confirmValueFailed, now: .zero)
        #expect(attempts.mustWait(strap, now: .at(499)) && !attempts.mustWait(strap, now: .at(500)))
        attempts.failed(strap, .confirmValueFailed, now: .at(500))
        #expect(attempts.mustWait(strap, now: .at(1_499)) && !attempts.mustWait(strap, now: .at(1_500)))
        #expect(!attempts.mustWait(lamp, now: .at(600)))
        for _ in 0..<40 { attempts.failed(strap, .dhKeyCheckFailed, now: .at(2_000)) }
        #expect(!attempts.mustWait(strap, now: .at(66_000)))
        attempts.succeeded(strap)
        #expect(!attempts.mustWait(strap, now: .at(2_001)))
    }

    @Test func `a pairing that is refused for its attempts tells so`() {
        var security = Self.linked(as: .peripheral, ready: .noInputNoOutput)
        security.attempts.failed(strap, .confirmValueFailed, now: .zero)
        let request = PairingPDU.request(Self.request).encoded()
        let answer4 = Self.sent(security.received(request, on: Self.handle, now: .at(100)))
        #expect(answer4 == [.failed(.repeatedAttempts)])
    }

    @Test func `after a pairing that has timed out the Security Manager is silent, and the link ends`() {
        var security = Self.linked(as: .peripheral, ready: .noInputNoOutput)
        let request = PairingPDU.request(Self.request).encoded()
        _ = security.received(request, on: Self.handle, now: .zero)
        #expect(security.nextDeadline == .at(30_000))
        let end = HostSecurity.Action.end(
            Self.handle,
            .remoteUserTerminatedConnection,
            .linkLost(.connectionTerminatedByLocalHost)
        )
        let fired = security.timerFired(now: .at(30_000))
        #expect(fired == [end] && security.nextDeadline == nil)
        #expect(security.received(request, on: Self.handle, now: .at(30_001)) == [])
    }

    // MARK: - Management

    private static func command(_ command: some ManagementCommand, _ security: inout HostSecurity)
        -> [HostSecurity.Action]
    {
        security.received(command.packet(to: ManagementIndex(0)).encoded(), from: program, now: .zero)
    }

    @Test func `the adapter describes itself, and is not switched off`() {
        var security = Self.linked()
        #expect(security.settings.contains([.powered, .bondable, .secureConnections]))
        let refused = Self.command(SetPowered(false), &security)
        let status = ManagementCommandStatusEvent(SetPowered.opcode, status: .notSupported)
        #expect(refused == [.reply(status.packet(about: ManagementIndex(0)), to: Self.program)])
        let described = Self.command(ReadControllerInformation(), &security)
        let listed = Self.command(GetConnections(), &security)
        #expect(Self.codes(described + listed) == [UInt16](repeating: ManagementCommandCompleteEvent.code, count: 2))
        #expect(security.received([1, 2, 3], from: Self.program, now: .zero) == [])
    }

    @Test func `Pair Device pairs, asks, and gives the keys`() throws {
        var security = Self.linked()
        let pair = PairDevice(ManagementAddress(strap), capability: .noInputNoOutput)
        let begun = Self.sent(Self.command(pair, &security))
        guard case .request(let request)? = begun.first else {
            Issue.record("\(begun)")
            return
        }
        let response = PairingFeatures(
            ioCapability: .noInputNoOutput,
            requirements: [.bonding],
            responderKeys: [.encryption]
        )
        var peer = PairingSession.responding(
            to: request,
            with: response,
            PairingTerms(own: strap, peer: lamp),
            PairOfSessions.random(6),
            now: .zero
        )
        var toPeer: [PairingPDU] = []
        var told: [UInt16] = []
        var encrypted = 0
        func take(_ actions: [HostSecurity.Action]) {
            toPeer += Self.sent(actions)
            told += Self.codes(actions)
            for case .command(let packet, _) in actions where packet.opcode == LEEnableEncryption.opcode {
                encrypted += 1
            }
        }
        func pass(_ actions: [PairingSession.Action]) {
            for case .send(let pdu) in actions {
                take(security.received(pdu.encoded(), on: Self.handle, now: .zero))
            }
            while !toPeer.isEmpty { pass(peer.session.received(toPeer.removeFirst(), now: .zero)) }
        }
        pass(peer.actions)
        #expect(told == [UserConfirmationRequestEvent.code])
        take(Self.command(UserConfirmationReply(ManagementAddress(strap)), &security))
        pass([])
        pass(peer.session.confirmed(true, now: .zero))
        #expect(encrypted == 1)
        take(security.encryptionChanged(Self.handle, .success, isOn: true, .zero))
        told = []
        pass(peer.session.encrypted(now: .zero))
        #expect(told == [NewLongTermKeyEvent.code, ManagementCommandCompleteEvent.code])
        #expect(security.links[Self.handle]?.security.isEncrypted == true && security.pairing == nil)
        let key = try #require(security.keys.longTermKeys.first)
        #expect(key.isCentral && key.kind == .unauthenticatedLegacy && key.device.device == strap)
    }

    @Test func `an answer is for the device that it names, whatever other peripherals ask for meanwhile`() {
        var security = Self.linked(ready: .noInputNoOutput)
        let response = PairingPDU.response(PairingFeatures(ioCapability: .noInputNoOutput, requirements: [.bonding]))
        // Each of them has a question to the person now.
        for number in 0..<20 as Range<UInt16> {
            let handle = ConnectionHandle(rawValue: 0x0100 + number)
            let other = DeviceAddress(BluetoothAddress(rawValue: UInt64(number) + 1), .public)
            _ = security.began(handle, LinkOrigin(peer: other, role: .central), own: lamp)
            _ = security.received(PairingPDU.securityRequest([.bonding]).encoded(), on: handle, now: .zero)
            _ = security.received(response.encoded(), on: handle, now: .zero)
        }
        _ = Self.command(PairDevice(ManagementAddress(strap), capability: .noInputNoOutput), &security)
        _ = security.received(response.encoded(), on: Self.handle, now: .zero)
        let actions = Self.command(UserConfirmationReply(ManagementAddress(strap)), &security)
        let handles = actions.compactMap { if case .send(_, let handle) = $0 { handle } else { nil } }
        #expect(handles == [Self.handle])
    }

    @Test func `a pairing of the program that is cancelled ends with that status`() {
        var security = Self.linked()
        _ = Self.command(PairDevice(ManagementAddress(strap), capability: .noInputNoOutput), &security)
        let actions = Self.command(CancelPairDevice(ManagementAddress(strap)), &security)
        #expect(Self.sent(actions) == [.failed(.unspecifiedReason)])
        #expect(Self.codes(actions).count == 2 && security.pairing == nil)
        #expect(security.links[Self.handle]?.session == nil)
    }

    @Test func `what a program has given and asked for ends with it`() {
        var security = Self.linked()
        let data = OutOfBandData(p256: security.makeOutOfBandData())
        _ = Self.command(AddRemoteOutOfBandData(ManagementAddress(strap), data), &security)
        _ = Self.command(SetIOCapability(.noInputNoOutput), &security)
        _ = security.ended(ChannelID(rawValue: 99))
        #expect(security.keys.outOfBand.count == 1 && security.keys.capability == .noInputNoOutput)
        _ = Self.command(PairDevice(ManagementAddress(strap), capability: .noInputNoOutput), &security)
        #expect(Self.sent(security.ended(Self.program)) == [.failed(.unspecifiedReason)])
        #expect(security.keys.outOfBand.isEmpty && security.keys.capability == nil)
        #expect(security.links[Self.handle]?.session == nil && security.pairing == nil)
    }

    @Test func `the end of its link ends a pairing`() {
        var security = Self.linked()
        _ = Self.command(PairDevice(ManagementAddress(strap), capability: .noInputNoOutput), &security)
        let actions = security.ended(Self.handle, .connectionTimeout, .linkLost(.connectionTimeout))
        #expect(Self.codes(actions) == [ManagementCommandCompleteEvent.code, DeviceDisconnectedEvent.code])
        #expect(security.pairing == nil && security.nextDeadline == nil)
    }

    @Test func `Unpair Device takes the keys, and ends the link`() {
        var security = Self.linked()
        security.keys.longTermKeys = [Self.key(.unauthenticatedP256)]
        let actions = Self.command(UnpairDevice(ManagementAddress(strap), disconnects: true), &security)
        #expect(actions.contains(.end(Self.handle, .remoteUserTerminatedConnection, .closedLocally)))
        #expect(security.keys.longTermKeys.isEmpty)
    }

    @Test func `out-of-band data are new each time, and those of the present key pair`() {
        var security = Self.linked()
        let (first, second) = (security.makeOutOfBandData(), security.makeOutOfBandData())
        #expect(first != second && security.ownData?.pair == second)
    }
}
