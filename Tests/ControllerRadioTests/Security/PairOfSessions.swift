// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

@testable import ControllerRadio

/// A pairing between two sessions, which carries packets between them until neither has anything to say.
struct PairOfSessions {
    /// What a side has done beside sending packets.
    struct Side {
        var session: PairingSession
        var questions: [PairingSession.Question] = []
        var shown: [UInt32] = []
        var key: SecurityKey?
        var outcome: PairingSession.Outcome?
        var sent: [PairingPDU] = []
    }

    var initiator: Side
    var responder: Side
    private var waiting: [(isFromInitiator: Bool, pdu: PairingPDU)] = []
    /// Changes a packet on its way, or takes it.
    var air: (_ isFromInitiator: Bool, _ pdu: PairingPDU) -> PairingPDU? = { $1 }

    static let central = DeviceAddress(BluetoothAddress(rawValue: 0x56_12_37_37_BF_CE), .public)
    static let peripheral = DeviceAddress(BluetoothAddress(rawValue: 0xC7_13_70_2D_CF_C1), .random)

    /// Random octets that are the same each time.
    static func random(_ seed: UInt64) -> PairingRandom {
        let generator = Counter(seed)
        return PairingRandom { count in generator.octets(count) }
    }

    init(
        request: PairingFeatures,
        response: PairingFeatures,
        initiator terms: (inout PairingTerms) -> Void = { _ in },
        responder others: (inout PairingTerms) -> Void = { _ in },
        air: @escaping (_ isFromInitiator: Bool, _ pdu: PairingPDU) -> PairingPDU? = { $1 }
    ) {
        var own = PairingTerms(own: Self.central, peer: Self.peripheral)
        terms(&own)
        var theirs = PairingTerms(own: Self.peripheral, peer: Self.central)
        others(&theirs)
        self.air = air
        let begun = PairingSession.requesting(request, own, Self.random(1), now: .zero)
        let answered = PairingSession.responding(to: request, with: response, theirs, Self.random(2), now: .zero)
        initiator = Side(session: begun.session)
        responder = Side(session: answered.session)
        // The responder has the request already.
        take(answered.actions, ofInitiator: false)
        run()
    }

    mutating func run() {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            guard let pdu = air(next.isFromInitiator, next.pdu) else { continue }
            if next.isFromInitiator {
                take(responder.session.received(pdu, now: .zero), ofInitiator: false)
            } else {
                take(initiator.session.received(pdu, now: .zero), ofInitiator: true)
            }
        }
    }

    mutating func take(_ actions: [PairingSession.Action], ofInitiator isInitiator: Bool) {
        for action in actions {
            var side = isInitiator ? initiator : responder
            switch action {
            case .send(let pdu):
                side.sent.append(pdu)
                waiting.append((isInitiator, pdu))
            case .ask(let question): side.questions.append(question)
            case .show(let digits): side.shown.append(digits)
            case .encrypt(let key): side.key = key
            case .finished(let outcome): side.outcome = outcome
            }
            if isInitiator { initiator = side } else { responder = side }
        }
    }

    /// Lets a person answer.
    mutating func answer(ofInitiator isInitiator: Bool, _ event: (inout PairingSession) -> [PairingSession.Action]) {
        let actions = isInitiator ? event(&initiator.session) : event(&responder.session)
        take(actions, ofInitiator: isInitiator)
        run()
    }

    /// Answers all questions as two persons do who want the pairing.
    mutating func agree(digits: UInt32? = nil) {
        for isInitiator in [true, false] {
            let side = isInitiator ? initiator : responder
            let shown = (isInitiator ? responder : initiator).shown.last
            switch side.questions.last {
            case .consent?, .compare?: answer(ofInitiator: isInitiator) { $0.confirmed(true, now: .zero) }
            case .passkey?:
                let passkey = digits ?? shown ?? 271_828
                answer(ofInitiator: isInitiator) { $0.entered(passkey, now: .zero) }
            case nil: break
            }
        }
    }

    /// Encrypts the link, if both have the same key.
    mutating func encrypt() -> Bool {
        let event = LELongTermKeyRequestEvent(0x0040, randomNumber: 0, diversifier: 0)
        guard let key = initiator.key, responder.session.key(for: event) == key else { return false }
        take(responder.session.encrypted(now: .zero), ofInitiator: false)
        take(initiator.session.encrypted(now: .zero), ofInitiator: true)
        run()
        return true
    }

    var keys: (initiator: PairingKeys, responder: PairingKeys)? {
        guard case .paired(let one)? = initiator.outcome, case .paired(let other)? = responder.outcome else {
            return nil
        }
        return (one, other)
    }
}

/// Numbers that look random, and are the same each time.
private final class Counter: Sendable {
    private let state: Mutex<UInt64>

    init(_ seed: UInt64) { state = Mutex(seed) }

    func octets(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in
                // splitmix64
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: mixed ^ mixed >> 31)
            }
        }
    }
}
