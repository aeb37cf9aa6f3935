// SPDX-License-Identifier: MIT

/// A name by which one part of a definition refers to another.
enum DefinitionReference: Hashable {
    /// A characteristic, by its label or its UUID.
    case characteristic(CharacteristicReference)
    case database(String)
    case value(ProgramReference)
    case command(ProgramReference)
}

extension DeviceDefinition {
    /// All references of rules, streams, values, the timeline and faults.
    var references: [DefinitionReference] {
        let characteristics = ([services] + databases.values).joined().flatMap(\.characteristics)
        return characteristics.flatMap(\.references) + timeline.flatMap(\.references) + faults.flatMap(\.references)
    }
}

extension DeviceCharacteristic {
    /// The references of the value, of the stream and of the rules for writes.
    fileprivate var references: [DefinitionReference] {
        (value?.references ?? []) + (stream?.references ?? [])
            + onWrite.flatMap { $0.actions.flatMap(\.references) }
    }
}

extension DeviceStream {
    /// The references of the conditions, and of a period that another value states.
    fileprivate var references: [DefinitionReference] {
        var references = conditions.map { DefinitionReference.characteristic($0.characteristic) }
        if case .value(let reference, _) = period { references.append(.characteristic(reference)) }
        return references
    }
}

extension DeviceValue {
    fileprivate var references: [DefinitionReference] {
        switch self {
        case .octets, .replay: []
        case .number, .fields: followers.map { .characteristic($0.source) }
        case .sequence(let values): values.flatMap(\.references)
        case .program(let reference): [.value(reference)]
        }
    }
}

extension DeviceAction {
    /// The references of the action, including those of its delayed actions.
    fileprivate var references: [DefinitionReference] {
        switch self {
        case .send(let reference, let payload), .set(let reference, let payload), .append(let reference, let payload):
            [.characteristic(reference)] + payload.references
        case .run(let reference): [.command(reference)]
        case .database(let name?): [.database(name)]
        case .after(_, let action): action.references
        case .store, .refuse, .silence, .delay, .disconnect, .leave, .restart, .connectable, .database(nil): []
        }
    }
}

extension DeviceAction.Payload {
    /// The references of a value that the action makes. The written value has none.
    fileprivate var references: [DefinitionReference] {
        switch self {
        case .written: []
        case .value(let value): value.references
        }
    }
}

extension TimelineEntry {
    /// The references of the actions, and of a subscription that they wait for.
    fileprivate var references: [DefinitionReference] {
        var references = actions.flatMap(\.references)
        if case .subscription(let reference) = origin { references.append(.characteristic(reference)) }
        return references
    }
}

extension FaultRule {
    /// A label must be known. A UUID need not, because a fault of several devices meets those that have it.
    fileprivate var references: [DefinitionReference] {
        guard case .label(let label)? = target else { return [] }
        return [.characteristic(.label(label))]
    }
}
