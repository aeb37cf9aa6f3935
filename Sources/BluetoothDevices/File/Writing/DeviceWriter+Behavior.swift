// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// A rule for writes. The rule without conditions is the `else` of the list.
    func rule(_ rule: WriteRule, of uuid: BluetoothUUID) -> JSONNode {
        var members =
            rule.conditions.isEmpty
            ? [JSONNode.Member(key: "else", value: .bool(true))] : conditions(rule.conditions, of: uuid)
        members.append(.init(key: "do", value: actions(rule.actions)))
        return JSONNode(.object(members))
    }

    /// Conditions as members of an object. Each kind has one member, so that of several of a kind the last one counts,
    /// except for `not`.
    private func conditions(_ conditions: [WriteCondition], of uuid: BluetoothUUID?) -> [JSONNode.Member] {
        var members: [String: JSONNode] = [:]
        var negations: [JSONNode] = []
        for condition in conditions {
            switch condition {
            case .equals(let octets): members["is"] = self.octets(octets, of: uuid)
            case .starts(let octets): members["starts"] = self.octets(octets, of: uuid)
            case .length(let range): members["length"] = Self.lengths(range)
            case .number(let range, let format):
                members["number"] = .array([.number(range.lowerBound), .number(range.upperBound)])
                members["as"] = .string(format.description)
            case .bits(let mask, let value):
                members["bits"] = .object(["mask": Self.hex(mask), "is": Self.hex(value)])
            case .not(let condition):
                negations.append(JSONNode(.object(self.conditions([condition], of: uuid))))
            }
        }
        if !negations.isEmpty { members["not"] = negations.count == 1 ? negations[0] : .array(negations) }
        // A fixed order, because a dictionary has none.
        return ["is", "starts", "length", "number", "as", "bits", "not"].compactMap { key in
            members[key].map { .init(key: key, value: $0) }
        }
    }

    func actions(_ actions: [DeviceAction]) -> JSONNode {
        let nodes = actions.compactMap { DeviceSchema.action.form.write($0, self) }
        return nodes.count == 1 ? nodes[0] : .array(nodes)
    }

    /// The member `value` of an action. It is absent if the action takes the octets that were written.
    func value(_ payload: DeviceAction.Payload, _ target: CharacteristicReference) -> JSONNode? {
        switch payload {
        case .written: nil
        case .value(let value): self.value(value, of: uuid(of: target))
        }
    }
}
