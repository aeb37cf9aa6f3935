// SPDX-License-Identifier: MIT

/// Reads the characteristics of a UUID without knowing their handles.
///
/// `.firstAnswer` sends one request, however many characteristics there are; `.all` continues to the end of the range.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.8.2; Vol 3, Part F, 3.4.4.1
public struct ReadByUUID: GATTProcedure {
    private let uuid: BluetoothUUID
    private let extent: DiscoveryExtent
    private var cursor: DiscoveryCursor
    private var result: [GATTReadValue] = []

    /// Reads the attributes of that UUID in the range.
    public init(_ uuid: BluetoothUUID, in range: HandleRange = .all, _ extent: DiscoveryExtent = .firstAnswer) {
        self.uuid = uuid.attForm
        self.extent = extent
        cursor = DiscoveryCursor(range)
    }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<[GATTReadValue]> { step() }

    /// The next step. A server that finds nothing at all refuses the request; after the first finding that is the end.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<[GATTReadValue]> {
        switch answer {
        case .success(.readByType(let list)):
            // The opcode, the length and the handle take four octets of the PDU.
            let longest = min(Int(mtu) - 4, GATTLimits.maximumListedValueLength)
            do throws(GATTError) {
                for entry in list.entries {
                    try cursor.advance(over: entry.handle)
                    let mayBeCut = entry.value.count >= longest
                    result.append(GATTReadValue(handle: entry.handle, value: entry.value, mayBeCut: mayBeCut))
                }
            } catch {
                return .failed(error)
            }
            return extent == .all ? step() : .done(result)
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error):
            return !result.isEmpty && cursor.isEnd(error) ? .done(result) : .failed(.refused(error))
        }
    }

    private func step() -> GATTStep<[GATTReadValue]> {
        guard let remaining = cursor.remaining else { return .done(result) }
        return .send(.readByType(ReadByTypeRequest(range: remaining, attributeType: uuid)))
    }
}
