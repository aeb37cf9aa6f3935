// SPDX-License-Identifier: GPL-2.0-or-later

/// Finds the descriptors of a characteristic: every attribute behind its value.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.7.1; Vol 3, Part F, 3.4.3.1
public struct DiscoverDescriptors: DiscoveryProcedure {
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [GATTDescriptor] = []

    /// Looks through the handles behind a characteristic's value.
    public init(in range: HandleRange) {
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
            result.append(GATTDescriptor(handle: entry.handle, uuid: entry.uuid))
        }
    }
}
