// SPDX-License-Identifier: GPL-2.0-or-later

/// What has to be asked of a server before a question about its database can be answered: one request, of which the answer
/// is to be told to the database by `learn`.
///
/// Questions throw it: whoever puts one takes the step and puts the question again.
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

    /// Where is looked.
    public var range: HandleRange {
        switch self {
        case .services(_, let range), .servicesByUUID(_, let range), .includes(let range), .characteristics(let range),
            .attributes(let range):
            range
        }
    }
}

/// What a step has brought; nothing at all means that there is nothing in its whole range.
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
