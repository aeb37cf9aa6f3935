// SPDX-License-Identifier: MIT

/// Finds the descriptors of a characteristic: every attribute after its value, up to the next declaration.
///
/// The range may reach beyond the characteristic: everything after a declaration is ignored, because it belongs to
/// another characteristic or service.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.7.1; Vol 3, Part F, 3.4.3.1
public struct DiscoverDescriptors: DiscoveryProcedure {
    private let wanted: BluetoothUUID?
    let extent: DiscoveryExtent
    private var isPastEnd = false
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [GATTDescriptor] = []

    /// Searches the handles after a characteristic's value, for all descriptors or those of one UUID.
    public init(in range: HandleRange, uuid: BluetoothUUID? = nil, _ extent: DiscoveryExtent = .all) {
        wanted = uuid
        self.extent = extent
        cursor = DiscoveryCursor(range)
    }

    var isSatisfied: Bool { isPastEnd || (extent == .firstAnswer && cursor.hasMoved) }

    func request(_ range: HandleRange) -> ATTRequest {
        .findInformation(FindInformationRequest(range: range))
    }

    mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .findInformation(let list) = response else {
            throw .invalidResponse(.unexpected(response.opcode))
        }
        for entry in list.entries {
            try cursor.advance(over: entry.handle)
            if entry.uuid.isDeclaration { isPastEnd = true }
            guard !isPastEnd, wanted == nil || entry.uuid == wanted else { continue }
            result.append(GATTDescriptor(handle: entry.handle, uuid: entry.uuid))
        }
    }
}
