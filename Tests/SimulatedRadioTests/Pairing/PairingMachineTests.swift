// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("A pairing, event by event (Vol 3, Part H, 2.3)")
struct PairingMachineTests {
    private static let keys: KeyDistribution = [.encryption, .signature, .identity]

    /// What an adapter of that input and output offers.
    private static func offer(
        _ capability: IOCapability,
        isSecure: Bool = true,
        data: OutOfBandData.Pair? = nil
    ) -> PairingMachine.Offer {
        var requirements: AuthenticationRequirements = [.bonding]
        if capability != .noInputNoOutput { requirements.insert(.manInTheMiddleProtection) }
        if isSecure { requirements.insert(.secureConnections) }
        return PairingMachine.Offer(
            request: PairingFeatures(
                ioCapability: capability,
                hasOutOfBandData: data != nil,
                requirements: requirements,
                initiatorKeys: [.encryption, .signature],
                responderKeys: keys
            ),
            data: data,
            digits: 156_203,
            devicesDigits: 42,
            interval: .milliseconds(30)
        )
    }

    private static func policy(_ change: (inout DevicePairing) -> Void) -> DevicePairing {
        var policy = DevicePairing()
        change(&policy)
        return policy
    }

    /// Lets time pass until something happens. Returns that, and the time that it took.
    private func wait(_ machine: inout PairingMachine, since start: Instant = .zero) -> (
        [PairingMachine.Action], Duration
    ) {
        for _ in 0..<8 {
            guard let deadline = machine.nextDeadline else { break }
            let actions = machine.timerFired(now: deadline)
            if !actions.isEmpty { return (actions, deadline - start) }
        }
        return ([], .zero)
    }

    private func agreement(_ actions: [PairingMachine.Action]) -> PairingMachine.Agreement? {
        for case .finished(.paired(let agreement)) in actions { return agreement }
        return nil
    }

    /// Answers questions until the end.
    private func finish(_ machine: inout PairingMachine, passkey: UInt32? = nil) -> [PairingMachine.Action] {
        var all: [PairingMachine.Action] = []
        var now = Instant.zero
        for _ in 0..<16 {
            guard let deadline = machine.nextDeadline else { break }
            now = max(now, deadline)
            let actions = machine.timerFired(now: now)
            all += actions
            for case .ask(let question) in actions {
                all +=
                    question == .passkey
                    ? machine.entered(passkey, now: now) : machine.confirmed(true, now: now)
            }
        }
        return all
    }

    /// Table 2.8: the rows are the input and output of the responder, the columns those of the initiator.
    @Test func `the input and output of both sides decide how they pair`() {
        typealias Ask = PairingMachine.Action
        let consent = Ask.ask(.consent)
        let shows = Ask.show(156_203)
        let (asks, compares) = (Ask.ask(.passkey), Ask.ask(.compare(156_203)))
        let initiators: [IOCapability] = [
            .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
        ]
        let rows: [(IOCapability, legacy: [Ask], secure: [Ask])] = [
            (.displayOnly, [consent, consent, asks, consent, asks], [consent, consent, asks, consent, asks]),
            (.displayYesNo, [consent, consent, asks, consent, asks], [consent, compares, asks, consent, compares]),
            (.keyboardOnly, [shows, shows, asks, consent, shows], [shows, shows, asks, consent, shows]),
            (
                .noInputNoOutput, [consent, consent, consent, consent, consent],
                [consent, consent, consent, consent, consent]
            ),
            (.keyboardDisplay, [shows, shows, asks, consent, shows], [shows, compares, asks, consent, compares]),
        ]
        for (responder, legacy, secure) in rows {
            for (index, initiator) in initiators.enumerated() {
                for (isSecure, expected) in [(false, legacy), (true, secure)] {
                    let offer = Self.offer(initiator, isSecure: isSecure)
                    var machine = PairingMachine(offer, with: Self.policy { $0.capability = responder })
                    #expect(machine.start(now: .zero).isEmpty)
                    let (actions, time) = wait(&machine)
                    #expect(actions == [expected[index]], "\(initiator) \(responder) \(isSecure)")
                    #expect(time == .milliseconds(60))
                }
            }
        }
    }

    @Test func `both sides report the same agreement`() {
        var machine = PairingMachine(Self.offer(.noInputNoOutput), with: DevicePairing())
        _ = machine.start(now: .zero)
        let plain = agreement(finish(&machine))
        #expect(plain?.kind == .unauthenticatedP256 && plain?.keySize == 16 && plain?.isBonding == true)
        #expect(plain?.initiatorKeys == [] && plain?.responderKeys == [])
        let policy = Self.policy {
            $0.secureConnections = .off
            $0.maximumKeySize = 7
            $0.signs = true
            $0.addressLife = .seconds(900)
            $0.bonding = .none
        }
        machine = PairingMachine(Self.offer(.noInputNoOutput), with: policy)
        _ = machine.start(now: .zero)
        let legacy = agreement(finish(&machine))
        #expect(legacy?.kind == .unauthenticatedLegacy && legacy?.keySize == 7 && legacy?.isBonding == false)
        #expect(legacy?.initiatorKeys == [.encryption, .signature])
        #expect(legacy?.responderKeys == Self.keys)
    }

    @Test(arguments: [(UInt32(271_828), true), (111_111, false), (nil, false)] as [(UInt32?, Bool)])
    func `a passkey that the device shows is the right one, a wrong one or none`(_ entered: UInt32?, _ isRight: Bool) {
        let policy = Self.policy {
            $0.capability = .displayOnly
            $0.passkey = 271_828
        }
        var machine = PairingMachine(Self.offer(.keyboardOnly), with: policy)
        _ = machine.start(now: .zero)
        let actions = finish(&machine, passkey: entered)
        if isRight {
            #expect(agreement(actions)?.kind == .authenticatedP256)
        } else {
            let reason: PairingFailure = entered == nil ? .passkeyEntryFailed : .confirmValueFailed
            #expect(actions.last == .finished(.failed(reason, byDevice: entered != nil)))
        }
    }

    @Test func `a person types at the device, the shown digits or others`() {
        var machine = PairingMachine(Self.offer(.displayOnly), with: Self.policy { $0.capability = .keyboardOnly })
        _ = machine.start(now: .zero)
        #expect(wait(&machine).0 == [.show(156_203)])
        let (actions, time) = wait(&machine)
        #expect(time >= PairingMachine.typingTime && actions.count == 2)
        let wrong = Self.policy {
            $0.capability = .keyboardOnly
            $0.passkey = 1
        }
        machine = PairingMachine(Self.offer(.displayOnly), with: wrong)
        _ = machine.start(now: .zero)
        #expect(finish(&machine).last == .finished(.failed(.confirmValueFailed, byDevice: true)))
        // Both enter the same digits, which may be any.
        machine = PairingMachine(Self.offer(.keyboardOnly), with: Self.policy { $0.capability = .keyboardOnly })
        _ = machine.start(now: .zero)
        #expect(agreement(finish(&machine, passkey: 7))?.method == .passkeyEntry(.bothEnter))
    }

    @Test func `a rejection ends it with the reason of the specification`() {
        let cases: [(Bool, IOCapability, PairingFailure)] = [
            (true, .displayYesNo, .numericComparisonFailed), (true, .noInputNoOutput, .numericComparisonFailed),
            (false, .noInputNoOutput, .passkeyEntryFailed),
        ]
        for (isSecure, capability, reason) in cases {
            let offer = Self.offer(capability, isSecure: isSecure)
            var machine = PairingMachine(offer, with: Self.policy { $0.capability = .displayYesNo })
            _ = machine.start(now: .zero)
            _ = wait(&machine)
            #expect(machine.entered(1, now: .zero).isEmpty, "that was not the question")
            #expect(machine.confirmed(false, now: .zero) == [.finished(.failed(reason, byDevice: false))])
            #expect(machine.nextDeadline == nil && machine.confirmed(true, now: .zero).isEmpty)
        }
    }

    @Test func `a pairing that does not meet the requirements is refused`() {
        func outcome(_ offer: PairingMachine.Offer, _ policy: DevicePairing?) -> PairingMachine.Action? {
            var machine = PairingMachine(offer, with: policy)
            _ = machine.start(now: .zero)
            return finish(&machine).last
        }
        func failed(_ reason: PairingFailure, byDevice: Bool = true) -> PairingMachine.Action {
            .finished(.failed(reason, byDevice: byDevice))
        }
        let plain = Self.offer(.noInputNoOutput)
        #expect(outcome(plain, nil) == failed(.pairingNotSupported))
        #expect(outcome(plain, Self.policy { $0.refusal = .repeatedAttempts }) == failed(.repeatedAttempts))
        #expect(outcome(plain, Self.policy { $0.needsAuthentication = true }) == failed(.authenticationRequirements))
        let legacy = Self.offer(.noInputNoOutput, isSecure: false)
        #expect(outcome(legacy, Self.policy { $0.secureConnections = .only }) == failed(.authenticationRequirements))
        var strict = plain
        strict.demandsSecureConnections = true
        let old = Self.policy { $0.secureConnections = .off }
        #expect(outcome(strict, old) == failed(.authenticationRequirements, byDevice: false))
        var short = plain
        short.request.maximumKeySize = 6
        #expect(outcome(short, DevicePairing()) == failed(.encryptionKeySize, byDevice: false))
    }

    @Test func `out-of-band data is needed, and has to be that of the device`() {
        let (hash, random) = (SecurityKey(5), SecurityKey(6))
        let policy = Self.policy {
            $0.outOfBand = .init(hash: hash, random: random)
            $0.needsAuthentication = true
        }
        let cases: [(OutOfBandData.Pair?, PairingFailure?)] = [
            (nil, .outOfBandNotAvailable), (.init(hash: hash, randomizer: hash), .confirmValueFailed),
            (.init(hash: hash, randomizer: random), nil),
        ]
        for (data, reason) in cases {
            var machine = PairingMachine(Self.offer(.noInputNoOutput, data: data), with: policy)
            _ = machine.start(now: .zero)
            let actions = finish(&machine)
            if let reason {
                // The adapter compares the data, and the device finds that there are none.
                #expect(actions.last == .finished(.failed(reason, byDevice: data == nil)))
            } else {
                #expect(agreement(actions)?.kind == .authenticatedP256)
            }
        }
    }

    @Test(arguments: DevicePairing.Step.allCases)
    func `it fails after thirty seconds of silence`(_ step: DevicePairing.Step) {
        let policy = Self.policy {
            $0.silence = step
            $0.addressLife = .seconds(60)
        }
        var machine = PairingMachine(Self.offer(.noInputNoOutput), with: policy)
        _ = machine.start(now: .zero)
        let actions = finish(&machine)
        #expect(actions.last == .finished(.silence))
        let isEncrypted = actions.contains {
            if case .encrypt = $0 { true } else { false }
        }
        #expect(isEncrypted == (step == .keys))
        #expect(machine.nextDeadline == nil)
    }

    @Test func `a question that nobody answers ends it, too`() {
        var machine = PairingMachine(Self.offer(.noInputNoOutput), with: DevicePairing())
        _ = machine.start(now: .zero)
        _ = wait(&machine)
        #expect(machine.timerFired(now: .zero + .seconds(1)).isEmpty)
        let (actions, time) = wait(&machine)
        #expect(actions == [.finished(.silence)] && time == .milliseconds(60) + PairingMachine.timeout)
    }
}
