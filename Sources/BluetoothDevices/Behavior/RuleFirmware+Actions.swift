// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

struct Cause: Sendable {
    /// The characteristic that was written; `nil` on the timeline. It may be missing when a later action is due.
    var target: DeviceLayout.Identity?
    /// The value of the write; `nil` on the timeline.
    var written: [UInt8]?

    /// The timeline: nothing was written.
    static let timeline = Cause()
}

/// The effect of a rule's actions on the write that triggered the rule.
private struct WriteOutcome {
    enum Verdict {
        case accepted
        case refused(ATTErrorCode)
        case unanswered
    }

    /// The answer. A rule accepts the write unless an action says otherwise.
    var verdict = Verdict.accepted
    /// The sum of all delays; `nil` if it is answered at once.
    var delay: Duration?

    /// Whether further actions are carried out: a write that fails ends its rule.
    var isOpen: Bool {
        if case .accepted = verdict { return true }
        return false
    }

    /// The answer. If there is a delay, the device schedules it.
    func answer(_ device: inout DeviceContext) -> DeviceAnswer<Void> {
        switch (verdict, delay) {
        case (.accepted, nil): return .accept
        case (.refused(let code), nil): return .refuse(code)
        case (.unanswered, _): return .silence
        case (.accepted, let delay?): device.accept(device.question, after: delay)
        case (.refused(let code), let delay?): device.refuse(device.question, code, after: delay)
        }
        return .later
    }
}

/// The actions of rules, of the timeline and of programs.
extension RuleFirmware {
    /// How deep the commands of programs may order further ones.
    private static let commandDepth = 8

    /// Carries out actions, and returns the answer to the write that caused them.
    mutating func run(
        _ actions: [DeviceAction],
        because cause: Cause,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<Void> {
        var outcome = WriteOutcome()
        perform(actions, because: cause, &outcome, &device, depth: 0)
        return outcome.answer(&device)
    }

    /// Carries out actions in order, as long as the write has not failed. A program may order further actions, to a
    /// limited depth, so that a program that orders itself cannot run for ever.
    private mutating func perform(
        _ actions: [DeviceAction],
        because cause: Cause,
        _ outcome: inout WriteOutcome,
        _ device: inout DeviceContext,
        depth: Int
    ) {
        for action in actions where outcome.isOpen {
            switch action {
            case .refuse(let code): outcome.verdict = .refused(code)
            case .silence: outcome.verdict = .unanswered
            case .delay(let time): outcome.delay = (outcome.delay ?? .zero) + time
            case .run(let reference):
                guard depth < Self.commandDepth else { continue }
                let ordered = values.run(reference, cause.written ?? [], now: device.now)
                perform(ordered, because: cause, &outcome, &device, depth: depth + 1)
            default: perform(action, because: cause, &device)
            }
        }
    }

    /// Carries out an action that has no effect on the answer to the write.
    private mutating func perform(_ action: DeviceAction, because cause: Cause, _ device: inout DeviceContext) {
        switch action {
        case .store:
            // The database may have changed since the write, so that the old handle may be that of another value.
            guard let written = cause.written, let handle = cause.target.flatMap({ layout.handle(of: $0) }),
                let entry = layout[handle]
            else { return }
            store(written, in: entry, &device)
        case .send(let reference, let payload):
            guard let (entry, value) = resolve(reference, payload, cause, &device) else { return }
            device.notify(value, of: entry.handle)
        case .set(let reference, let payload):
            guard let (entry, value) = resolve(reference, payload, cause, &device) else { return }
            store(value, in: entry, &device)
            device.notify(value, of: entry.handle)
        case .append(let reference, let payload):
            guard let (entry, value) = resolve(reference, payload, cause, &device) else { return }
            let old = readValue(of: entry, &device) ?? []
            // An attribute value has at most 512 octets: Core 5.4, Vol 3, Part F, 3.2.9.
            let new = Array((old + value).prefix(GATTLimits.maximumValueLength))
            store(new, in: entry, &device)
            device.notify(new, of: entry.handle)
        case .after(let time, let later):
            agenda.add(.init(due: device.now + max(time, .zero), origin: .action, actions: [later], cause: cause))
        case .disconnect: device.hangUp()
        case .leave(let time): device.leave(for: time)
        case .connectable(let isConnectable):
            acceptsConnections = isConnectable
            device.setConnectable(isConnectable)
        case .restart: restart(&device)
        case .database(let name): switchDatabase(to: name, &device)
        // The caller has carried these out, because they decide how the write is answered.
        case .refuse, .silence, .delay, .run: break
        }
    }

    /// The characteristic and the value of an action; `nil` if the present database does not contain it, or the value
    /// cannot be made.
    private mutating func resolve(
        _ reference: CharacteristicReference,
        _ payload: DeviceAction.Payload,
        _ cause: Cause,
        _ device: inout DeviceContext
    ) -> (DeviceLayout.Entry, [UInt8])? {
        guard let entry = layout.handle(of: reference).flatMap({ layout[$0] }) else { return nil }
        let octets: [UInt8]?
        switch payload {
        case .written: octets = cause.written ?? readValue(of: entry, &device)
        case .value(let value):
            // An action goes on to the next number even if no client is subscribed.
            let moment = moment(of: value.followers, isSent: true, advances: true, device)
            octets = values.octets(of: value, at: moment, &device.random)
        }
        return octets.map { (entry, $0) }
    }
}

extension WriteRule {
    func applies(to value: [UInt8]) -> Bool { conditions.allSatisfy { $0.isMet(by: value) } }
}

extension WriteCondition {
    /// Whether a written value meets the condition. A value that does not fit the format of a number does not.
    fileprivate func isMet(by value: [UInt8]) -> Bool {
        switch self {
        case .equals(let octets): return value == octets
        case .starts(let octets): return value.starts(with: octets)
        case .length(let range): return range.contains(value.count)
        case .number(let range, let format):
            guard case .number(let number)? = try? format.decode(value).content else { return false }
            return number.integer.map { range.contains($0) } ?? false
        case .bits(let mask, let wanted):
            // A definition in Swift may have a mask and a value of different lengths, and an index beyond one would
            // trap.
            return value.count == mask.count && wanted.count == mask.count
                && value.indices.allSatisfy { value[$0] & mask[$0] == wanted[$0] & mask[$0] }
        case .not(let condition): return !condition.isMet(by: value)
        }
    }
}
