// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// A rule for writes. The rule without conditions is the `else` of the list.
    func rule(_ rule: WriteRule, of uuid: BluetoothUUID) -> JSONNode {
        var members =
            rule.conditions.isEmpty
            ? [JSONNode.Member(key: "else", value: .bool(true))] : conditions(rule.conditions, of: uuid)
        members.append(.init(key: "do", value: actions(rule.actions, of: uuid)))
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

    // MARK: - Actions

    /// One action, or a list of several.
    private func actions(_ actions: [DeviceAction], of uuid: BluetoothUUID?) -> JSONNode {
        let nodes = actions.map { action($0, of: uuid) }
        return nodes.count == 1 ? nodes[0] : .array(nodes)
    }

    private func action(_ action: DeviceAction, of uuid: BluetoothUUID?) -> JSONNode {
        switch action {
        case .store: .string("store")
        case .silence: .string("silence")
        case .disconnect: .string("disconnect")
        case .restart: .string("restart")
        case .refuse(let code): .object(["error": .string(FileName.text(of: code))])
        case .delay(let time): .object(["delay": Self.time(time)])
        case .send(let target, .written): .object(["echo": reference(target)])
        case .send(let target, let payload): .object(["send": reference(target), "value": value(payload, target)])
        case .set(let target, let payload): .object(["set": reference(target), "value": value(payload, target)])
        case .append(let target, let payload):
            .object(["append": reference(target), "value": value(payload, target)])
        case .run(let command): .object(["run": .string(command.description)])
        case .leave(let time): .object(["leave": Self.time(time)])
        case .connectable(let isConnectable): .object(["connectable": .bool(isConnectable)])
        case .database(let name): .object(["database": name.map { .string($0) } ?? JSONNode(.null)])
        case .after(let time, let action):
            .object(["after": Self.time(time), "do": self.action(action, of: uuid)])
        }
    }

    /// The member `value` of an action. It is absent if the action takes the octets that were written.
    private func value(_ payload: DeviceAction.Payload, _ target: CharacteristicReference) -> JSONNode? {
        switch payload {
        case .written: nil
        case .value(let value): self.value(value, of: uuid(of: target))
        }
    }

    // MARK: - Timeline

    /// An entry of the timeline. Its time counts from the start of the device, unless `since` names another
    /// moment.
    func entry(_ entry: TimelineEntry) -> JSONNode {
        let since: JSONNode? =
            switch entry.origin {
            case .start: nil
            case .connection: .string("connection")
            case .subscription(let target): .object(["subscription": reference(target)])
            }
        return .object([
            "at": Self.time(entry.at),
            "since": since,
            "every": entry.every.map(Self.time),
            "do": actions(entry.actions, of: nil),
        ])
    }
}
