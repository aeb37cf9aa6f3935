// SPDX-License-Identifier: MIT

/// Sets the data of legacy advertisements.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.7
package struct LESetAdvertisingData: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0008)
    package static let name = "LE Set Advertising Data"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 7)

    /// The maximum number of octets of data: a legacy PDU has 37, six of which are the address.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 2.3.1.1
    package static let maximumLength = LegacyAdvertisingData.maximumLength

    /// The data, 31 octets at most (Advertising_Data).
    package let data: [UInt8]

    /// Creates the command; `nil` for more than 31 octets.
    package init?(_ data: [UInt8]) {
        guard data.count <= LegacyAdvertisingData.maximumLength else { return nil }
        self.data = data
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        data = try LegacyAdvertisingData.decode(from: &reader, "Advertising_Data")
    }

    package func encode(into writer: inout ByteWriter) { LegacyAdvertisingData.encode(data, into: &writer) }

    package var details: String { data.isEmpty ? "none" : Hex.string(data) }
}

/// Sets the data of legacy scan responses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.8
package struct LESetScanResponseData: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0009)
    package static let name = "LE Set Scan Response Data"
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 0)

    /// The data, 31 octets at most (Scan_Response_Data).
    package let data: [UInt8]

    /// Creates the command; `nil` for more than 31 octets.
    package init?(_ data: [UInt8]) {
        guard data.count <= LegacyAdvertisingData.maximumLength else { return nil }
        self.data = data
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        data = try LegacyAdvertisingData.decode(from: &reader, "Scan_Response_Data")
    }

    package func encode(into writer: inout ByteWriter) { LegacyAdvertisingData.encode(data, into: &writer) }

    package var details: String { data.isEmpty ? "none" : Hex.string(data) }
}

/// The encoding of legacy advertising data in commands: a length, then always 31 octets.
private enum LegacyAdvertisingData {
    static let maximumLength = 31

    static func decode(from reader: inout ByteReader, _ field: String) throws(DecodeError) -> [UInt8] {
        let length = try reader.uint8("\(field)_Length")
        guard length <= maximumLength else { throw DecodeError("\(field)_Length", .invalid(value: UInt64(length))) }
        // The field always has 31 octets, also if fewer of them count.
        return Array(try reader.bytes(maximumLength, field).prefix(Int(length)))
    }

    static func encode(_ data: [UInt8], into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: data.count))
        writer.append(data)
        writer.append(repeatElement(0, count: max(0, maximumLength - data.count)))
    }
}
