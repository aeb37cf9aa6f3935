// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Captures
import Toolkit

extension CapturedFindings {
    /// The refusals and the silences that no property of the attribute explains, by the number of the request.
    func faults(for tree: AttributeTree) -> [FaultRule] {
        var rules: [FaultRule] = []
        for (handle, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
            guard let target = Self.target(of: attribute.reference, handle, in: tree) else { continue }
            // An attribute that is never read with success refuses as it is.
            let isReadable = attribute.reads.contains { $0.outcome == .success }
            rules += Self.rules(.read, target, attribute.reads) { isReadable || ($0.refusal?.asksForSecurity ?? false) }
            let refused = Set(attribute.refusedValues.map(\.value))
            rules += Self.rules(.write, target, attribute.writes) {
                !refused.contains($0.value) || ($0.refusal?.asksForSecurity ?? false)
            }
        }
        for (handle, attribute) in subscriptions.sorted(by: { $0.key < $1.key }) {
            guard attribute.writes.contains(where: { $0.outcome == .success }),
                let target = Self.target(of: attribute.reference, handle, in: tree)
            else { continue }
            rules += Self.rules(.subscribe, target, attribute.writes) { _ in true }
        }
        return rules
    }

    /// A rule for each failure that nothing else in the clone explains.
    private static func rules(
        _ operation: FaultRule.Operation,
        _ target: CharacteristicReference,
        _ outcomes: [Outcome],
        where isUnexplained: (Outcome) -> Bool
    ) -> [FaultRule] {
        // A rule counts every request, also one that is refused for want of security.
        outcomes.enumerated().compactMap { index, outcome in
            guard isUnexplained(outcome) else { return nil }
            let effect: FaultEffect
            switch outcome.outcome {
            // The clone demands security, and refuses with this error by itself.
            case .refused(.insufficientAuthentication): return nil
            case .refused(let code): effect = .error(code: code.rawValue, after: .zero)
            case .unanswered: effect = .noAnswer
            case .success, .discarded: return nil
            }
            return FaultRule(operation, target, effect, numbers: (index + 1)...(index + 1))
        }
    }

    /// What the clone does after a write: what the device did after the first one of that value. Values that differed
    /// from one such write to the next go on with each.
    func actions(of answers: [[Answer]], of answering: Set<Handle>, in tree: AttributeTree) -> [DeviceAction] {
        guard let first = answers.first else { return [] }
        let isAlike = answers.allSatisfy { $0.map(\.handle) == first.map(\.handle) }
        return first.enumerated().compactMap { index, answer in
            guard answering.contains(answer.handle), let target = Self.target(ofValueAt: answer.handle, in: tree) else {
                return nil
            }
            let values = isAlike ? answers.map { $0[index].value } : []
            let action = DeviceAction.send(target, .value(Self.sequence(values) ?? .octets(answer.value)))
            return answer.delay > .zero ? .after(answer.delay, action) : action
        }
    }

    /// Values that differ from read to read, each octet as a number that goes on with each read; `nil` if they are
    /// equal, or of several lengths.
    static func sequence(_ values: [[UInt8]]) -> DeviceValue? {
        let values = values.map { $0.prefix(GATTLimits.maximumValueLength) }
        guard let first = values.first, values.contains(where: { $0 != first }), !first.isEmpty,
            values.allSatisfy({ $0.count == first.count })
        else { return nil }
        return .sequence(
            first.indices.map { index in
                let octets = values.map { DecimalNumber($0[index]) }
                return Set(octets).count == 1
                    ? .octets([first[index]])
                    : .number(.generated(.steps(octets, every: nil)), ValueFormat(.unsigned(octets: 1)))
            }
        )
    }

    /// The characteristic as a rule names it; `nil` if there are several of its kind in its service.
    static func target(ofValueAt handle: Handle, in tree: AttributeTree) -> CharacteristicReference? {
        for service in tree.services {
            let own = service.characteristics.map(\.characteristic)
            guard let found = own.first(where: { $0.valueHandle == handle }) else { continue }
            let same = own.count { $0.uuid == found.uuid }
            return same == 1 ? .uuid(found.uuid, service: service.service.uuid) : nil
        }
        return nil
    }

    /// The characteristic as a fault names it; `nil` if there are several of its kind in its service.
    private static func target(
        of reference: AttributeReference,
        _ handle: Handle,
        in tree: AttributeTree
    ) -> CharacteristicReference? {
        guard let characteristic = reference.characteristic,
            reference.descriptor == nil || reference.descriptor == .clientCharacteristicConfiguration
        else { return nil }
        let services = tree.services.filter { reference.service == nil || $0.service.uuid == reference.service }
        let same = services.flatMap(\.characteristics).filter { $0.characteristic.uuid == characteristic }
        return same.count == 1 ? .uuid(characteristic, service: reference.service) : nil
    }
}

extension CapturedOperation.Outcome {
    /// Whether the server has refused it because the link had too little security.
    var asksForSecurity: Bool {
        if case .refused(let code) = self { code.asksForSecurity } else { false }
    }
}

extension CapturedFindings.Answer {
    init(_ update: CapturedOperation, delay: Duration) {
        self.init(
            handle: update.attribute.handle,
            delay: delay,
            value: Array(update.value.prefix(GATTLimits.maximumValueLength)),
            packet: update.packets.lowerBound
        )
    }
}
