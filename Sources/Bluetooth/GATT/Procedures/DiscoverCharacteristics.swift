// SPDX-License-Identifier: MIT

/// Finds the characteristics of a service: all, or those of one UUID.
///
/// With `.firstAnswer`, the last characteristic ends with the range, although it may really end earlier.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.6.1 and 4.6.2
public struct DiscoverCharacteristics: DiscoveryProcedure {
    private let wanted: BluetoothUUID?
    let extent: DiscoveryExtent
    private let range: HandleRange
    private(set) var cursor: DiscoveryCursor
    private var found: [(handle: Handle, declaration: CharacteristicDeclaration)] = []

    /// Searches the handles of a service; `uuid` leaves out all other characteristics.
    public init(in range: HandleRange, uuid: BluetoothUUID? = nil, _ extent: DiscoveryExtent = .all) {
        self.range = range
        self.extent = extent
        wanted = uuid
        cursor = DiscoveryCursor(range)
    }

    func request(_ range: HandleRange) -> ATTRequest {
        .readByType(ReadByTypeRequest(range: range, attributeType: .characteristicDeclaration))
    }

    mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .readByType(let list) = response else { throw .invalidResponse(.unexpected(response.opcode)) }
        for entry in list.entries {
            try cursor.advance(over: entry.handle)
            let declaration: CharacteristicDeclaration
            do throws(DecodeError) {
                declaration = try CharacteristicDeclaration(decoding: entry.value)
            } catch {
                throw .invalidResponse(.malformed(error, at: entry.handle))
            }
            // A value outside of the range would belong to another service.
            guard range.contains(declaration.valueHandle) else {
                throw .invalidResponse(.handleOutOfRange(declaration.valueHandle, asked: range))
            }
            guard declaration.valueHandle > entry.handle else {
                throw .invalidResponse(.handleNotRising(declaration.valueHandle, after: entry.handle))
            }
            // The cursor compares declarations only. A declaration must not lie between another one and its value.
            if let last = found.last, entry.handle <= last.declaration.valueHandle {
                throw .invalidResponse(.handleNotRising(entry.handle, after: last.declaration.valueHandle))
            }
            found.append((entry.handle, declaration))
        }
    }

    /// Built at the end, because the end of a characteristic is known only when the next declaration is.
    var result: [GATTCharacteristic] {
        let ends = found.dropFirst().map { $0.handle.previous ?? range.end } + [range.end]
        return zip(found, ends)
            .map { item, end in
                GATTCharacteristic(
                    declaration: item.handle,
                    valueHandle: item.declaration.valueHandle,
                    properties: item.declaration.properties,
                    uuid: item.declaration.uuid,
                    end: end
                )
            }
            .filter { wanted == nil || $0.uuid == wanted }
    }
}
