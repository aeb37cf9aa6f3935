// SPDX-License-Identifier: MIT

/// The value of a characteristic declaration.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.1
struct CharacteristicDeclaration: Hashable, Sendable, WireDecodable, WireEncodable {
    var properties: CharacteristicProperties
    var valueHandle: Handle
    var uuid: BluetoothUUID

    init(properties: CharacteristicProperties, valueHandle: Handle, uuid: BluetoothUUID) {
        self.properties = properties
        self.valueHandle = valueHandle
        self.uuid = uuid
    }

    init(from reader: inout ByteReader) throws(DecodeError) {
        properties = CharacteristicProperties(rawValue: try reader.uint8("characteristic properties"))
        valueHandle = try Handle(from: &reader)
        uuid = try BluetoothUUID(restOf: &reader, "characteristic UUID")
    }

    func encode(into writer: inout ByteWriter) {
        writer.uint8(properties.rawValue)
        writer.append(valueHandle)
        writer.append(uuid.attForm)
    }
}

/// The value of an include declaration. It contains the UUID only if that has 16 bits.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.2
struct IncludeDeclaration: Hashable, Sendable, WireDecodable, WireEncodable {
    var range: HandleRange
    var uuid: BluetoothUUID?

    init(range: HandleRange, uuid: BluetoothUUID?) {
        self.range = range
        self.uuid = uuid
    }

    init(from reader: inout ByteReader) throws(DecodeError) {
        range = HandleRange(try Handle(from: &reader), try Handle(from: &reader))
        uuid = reader.isAtEnd ? nil : try BluetoothUUID(.bits16, from: &reader, "included service UUID")
    }

    func encode(into writer: inout ByteWriter) {
        writer.append(range.start)
        writer.append(range.end)
        if let short = uuid?.short16 { writer.uint16(short) }
    }
}
