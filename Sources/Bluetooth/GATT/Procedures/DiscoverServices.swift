// SPDX-License-Identifier: MIT

/// Finds all primary or all secondary services.
///
/// Secondary services use the same request. A server that refuses their type is assumed to have none.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.4.1; Vol 3, Part F, 3.4.4.9
public struct DiscoverServices: DiscoveryProcedure {
    private let isPrimary: Bool
    let extent: DiscoveryExtent
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [GATTService] = []

    /// Searches a range for primary services or for secondary ones.
    public init(primary isPrimary: Bool = true, in range: HandleRange = .all, _ extent: DiscoveryExtent = .all) {
        self.isPrimary = isPrimary
        self.extent = extent
        cursor = DiscoveryCursor(range, isOptional: !isPrimary)
    }

    func request(_ range: HandleRange) -> ATTRequest {
        let type: BluetoothUUID = isPrimary ? .primaryService : .secondaryService
        return .readByGroupType(ReadByGroupTypeRequest(range: range, groupType: type))
    }

    mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .readByGroupType(let list) = response else {
            throw .invalidResponse(.unexpected(response.opcode))
        }
        for entry in list.entries {
            try cursor.advance(over: entry.range)
            let uuid = try entry.value.uuid(at: entry.range.start)
            result.append(GATTService(uuid: uuid, range: entry.range, isPrimary: isPrimary))
        }
    }
}

/// Finds the primary services of one UUID.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.4.2; Vol 3, Part F, 3.4.3.3
public struct DiscoverServicesByUUID: DiscoveryProcedure {
    private let uuid: BluetoothUUID
    let extent: DiscoveryExtent
    private(set) var cursor: DiscoveryCursor
    private(set) var result: [GATTService] = []

    /// Searches a range for services of a UUID.
    ///
    /// A server compares octets, and may have declared a 16-bit UUID in either form. Nearly all servers declare the
    /// short form, so it is the default; `isLong` searches for the 128-bit form.
    public init(
        _ uuid: BluetoothUUID,
        in range: HandleRange = .all,
        _ extent: DiscoveryExtent = .all,
        isLong: Bool = false
    ) {
        self.uuid = isLong ? BluetoothUUID(bits128: uuid.value) : uuid.attForm
        self.extent = extent
        cursor = DiscoveryCursor(range)
    }

    func request(_ range: HandleRange) -> ATTRequest {
        .findByTypeValue(FindByTypeValueRequest(range: range, attributeType: 0x2800, value: uuid.encoded()))
    }

    mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .findByTypeValue(let list) = response else {
            throw .invalidResponse(.unexpected(response.opcode))
        }
        for range in list.groups {
            try cursor.advance(over: range)
            result.append(GATTService(uuid: uuid, range: range, isPrimary: true))
        }
    }
}

extension [UInt8] {
    /// The UUID in the value of a service declaration.
    func uuid(at handle: Handle) throws(GATTError) -> BluetoothUUID {
        do throws(DecodeError) {
            var reader = ByteReader(self)
            return try BluetoothUUID(restOf: &reader, "service UUID")
        } catch {
            throw .invalidResponse(.malformed(error, at: handle))
        }
    }
}
