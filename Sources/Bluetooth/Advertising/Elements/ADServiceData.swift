// SPDX-License-Identifier: MIT

/// Data in a format that the service defines.
///
/// Spec: Core Specification Supplement 11, Part A, 1.11
public struct ADServiceData: Hashable, Sendable {
    /// The service. It is written with the width of this UUID.
    public let uuid: BluetoothUUID
    /// The data.
    public let data: [UInt8]
    /// The outcome of their decryption; `nil` if it was not tried.
    public internal(set) var decryption: AdvertisedDecryption?
    /// What else the sender sends, if the format needs it.
    var companions: ADCompanions?

    /// Creates the element.
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

    /// The structure type, which depends on the UUID's width.
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

/// Data in a format of the manufacturer's own.
///
/// Spec: Core Specification Supplement 11, Part A, 1.4
public struct ADManufacturerData: Hashable, Sendable {
    /// The manufacturer's company identifier.
    public let company: UInt16
    /// The data.
    public let data: [UInt8]
    /// The outcome of their decryption; `nil` if it was not tried.
    public internal(set) var decryption: AdvertisedDecryption?
    /// What else the sender sends, if the format needs it.
    var companions: ADCompanions?

    /// Creates the element.
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
