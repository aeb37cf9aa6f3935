// SPDX-License-Identifier: GPL-2.0-or-later

/// Finds what types the attributes of a range have, whatever they are: declarations, values and descriptors.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1
public struct FindAttributes: DiscoveryProcedure {
    let extent: DiscoveryExtent
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [AttributeType] = []

    /// Looks through a range.
    public init(in range: HandleRange, _ extent: DiscoveryExtent = .all) {
        self.extent = extent
        cursor = DiscoveryCursor(range)
    }

    func request(_ range: HandleRange) -> ATTRequest {
        .findInformation(FindInformationRequest(range: range))
    }

    mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .findInformation(let list) = response else {
            throw .invalidResponse(.unexpected(response.opcode))
        }
        for entry in list.entries {
            try cursor.advance(over: entry.handle)
            result.append(AttributeType(handle: entry.handle, uuid: entry.uuid))
        }
    }
}

/// An attribute of which no more is known than its type.
public struct AttributeType: Hashable, Sendable {
    /// Its handle.
    public let handle: Handle
    /// What kind of attribute it is.
    public let uuid: BluetoothUUID

    /// Describes an attribute.
    public init(handle: Handle, uuid: BluetoothUUID) {
        self.handle = handle
        self.uuid = uuid
    }
}
