// SPDX-License-Identifier: GPL-2.0-or-later

/// Data of a service; what they mean, the service says.
///
/// Spec: Core Specification Supplement 11, Part A, 1.11
public struct ADServiceData: Hashable, Sendable {
    /// The service; it is written with the width it has.
    public let uuid: BluetoothUUID
    /// The data.
    public let data: [UInt8]

    /// Puts the two together.
    public init(_ uuid: BluetoothUUID, _ data: [UInt8]) {
        self.uuid = uuid
        self.data = data
    }
}

extension ADServiceData: WireEncodable {
    init(_ width: BluetoothUUID.Width, from reader: inout ByteReader) throws(DecodeError) {
        uuid = try BluetoothUUID(width, from: &reader, "service UUID")
        data = reader.rest()
    }

    /// The type for a UUID of that width.
    var type: ADType {
        switch uuid.width {
        case .bits16: .serviceData16
        case .bits32: .serviceData32
        case .bits128: .serviceData128
        }
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(uuid)
        writer.append(data)
    }
}

/// Data of a manufacturer; what they mean, the manufacturer knows.
///
/// Spec: Core Specification Supplement 11, Part A, 1.4
public struct ADManufacturerData: Hashable, Sendable {
    /// The manufacturer as a company identifier.
    public let company: UInt16
    /// The data.
    public let data: [UInt8]

    /// Puts the two together.
    public init(company: UInt16, _ data: [UInt8]) {
        self.company = company
        self.data = data
    }
}

extension ADManufacturerData: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        company = try reader.uint16("company identifier")
        data = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(company)
        writer.append(data)
    }
}
