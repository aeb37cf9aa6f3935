// SPDX-License-Identifier: MIT

/// Finds the types of all attributes in a range: declarations, values and descriptors.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1
public struct FindAttributes: DiscoveryProcedure {
    let extent: DiscoveryExtent
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [AttributeType] = []

    /// Searches a range.
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

/// An attribute of which only the type is known.
public struct AttributeType: Hashable, Sendable {
    /// The attribute's handle.
    public let handle: Handle
    /// The attribute's type.
    public let uuid: BluetoothUUID

    /// Creates an attribute at a handle.
    public init(handle: Handle, uuid: BluetoothUUID) {
        self.handle = handle
        self.uuid = uuid
    }
}
