// SPDX-License-Identifier: MIT

/// Services that a device offers or looks for. All UUIDs have the same width.
///
/// Spec: Core Specification Supplement 11, Part A, 1.1 and 1.10
public struct ADServiceList: Hashable, Sendable {
    /// The meaning of the list.
    public enum Kind: Hashable, Sendable {
        /// The device offers these services and perhaps others.
        case incomplete
        /// The device offers these services and no others with UUIDs of this width.
        case complete
        /// The device looks for these services.
        case solicited
    }

    /// The meaning of the list.
    public let kind: Kind
    /// The width of the UUIDs.
    public let width: BluetoothUUID.Width
    /// The services.
    public let uuids: [BluetoothUUID]

    /// Creates a list for sending. Leaves out UUIDs that have no form of that width.
    public init(_ kind: Kind, _ width: BluetoothUUID.Width, _ uuids: [BluetoothUUID]) {
        self.kind = kind
        self.width = width
        self.uuids = uuids.compactMap { uuid in
            switch width {
            case .bits16: uuid.short16.map { BluetoothUUID($0) }
            case .bits32: uuid.short32.map { BluetoothUUID(bits32: $0) }
            case .bits128: BluetoothUUID(bits128: uuid.value)
            }
        }
    }

    /// Creates lists for sending, one for each width. Each UUID takes its shorter form of 16 or 128 bits, to save
    /// space.
    public static func lists(_ kind: Kind, _ uuids: [BluetoothUUID]) -> [ADServiceList] {
        let short = uuids.filter { $0.short16 != nil }
        let long = uuids.filter { $0.short16 == nil }
        return [Self(kind, .bits16, short), Self(kind, .bits128, long)].filter { !$0.uuids.isEmpty }
    }
}

extension ADServiceList: WireEncodable {
    private static let types: [(ADType, Kind, BluetoothUUID.Width)] = [
        (.incompleteServices16, .incomplete, .bits16), (.completeServices16, .complete, .bits16),
        (.incompleteServices32, .incomplete, .bits32), (.completeServices32, .complete, .bits32),
        (.incompleteServices128, .incomplete, .bits128), (.completeServices128, .complete, .bits128),
        (.solicitedServices16, .solicited, .bits16), (.solicitedServices32, .solicited, .bits32),
        (.solicitedServices128, .solicited, .bits128),
    ]

    /// Decodes all whole UUIDs; `nil` if the type is not a list of services.
    init?(_ type: ADType, from reader: inout ByteReader) throws(DecodeError) {
        guard let (_, kind, width) = Self.types.first(where: { $0.0 == type }) else { return nil }
        var uuids: [BluetoothUUID] = []
        while reader.remaining >= width.rawValue / 8 {
            uuids.append(try BluetoothUUID(width, from: &reader, "service UUID"))
        }
        self.kind = kind
        self.width = width
        self.uuids = uuids
    }

    /// The structure type, which depends on the meaning and the width.
    var type: ADType {
        // The table has all pairs of kind and width, so that the other value is never used.
        Self.types.first { $0.1 == kind && $0.2 == width }?.0 ?? .completeServices128
    }

    public func encode(into writer: inout ByteWriter) {
        for uuid in uuids { writer.append(uuid) }
    }
}
