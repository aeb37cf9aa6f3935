// SPDX-License-Identifier: MIT

/// A request that a question about a database needs before it can be answered. Its answer goes to `learn`.
///
/// Questions throw it. The caller performs the step and repeats the question.
public enum DiscoveryStep: Error, Hashable, Sendable {
    /// Primary or secondary services that begin in a range.
    case services(isPrimary: Bool, HandleRange)
    /// Primary services of one UUID.
    case servicesByUUID(BluetoothUUID, HandleRange)
    /// Include declarations.
    case includes(HandleRange)
    /// Characteristic declarations.
    case characteristics(HandleRange)
    /// The types of attributes.
    case attributes(HandleRange)

    /// The handles that the request searches.
    public var range: HandleRange {
        switch self {
        case .services(_, let range), .servicesByUUID(_, let range), .includes(let range), .characteristics(let range),
            .attributes(let range):
            range
        }
    }

    /// The step for an earlier part of its handles.
    public func ending(at end: Handle) -> DiscoveryStep {
        let shorter = HandleRange(range.start, end)
        return switch self {
        case .services(let isPrimary, _): .services(isPrimary: isPrimary, shorter)
        case .servicesByUUID(let uuid, _): .servicesByUUID(uuid, shorter)
        case .includes: .includes(shorter)
        case .characteristics: .characteristics(shorter)
        case .attributes: .attributes(shorter)
        }
    }
}

/// The findings of a step. An empty list means that the whole range holds nothing of the kind.
public enum DiscoveryFinding: Hashable, Sendable {
    /// Services.
    case services([GATTService])
    /// Include declarations.
    case includes([GATTIncludedService])
    /// Characteristic declarations.
    case characteristics([GATTCharacteristic])
    /// Attributes with their types.
    case attributes([AttributeType])
}
