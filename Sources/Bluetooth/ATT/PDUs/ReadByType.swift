// SPDX-License-Identifier: MIT

/// Asks for handles and values of the attributes in a range that have this type.
///
/// GATT finds characteristics and included services with it, because their declarations have one type each and describe
/// themselves in their values.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.1
public struct ReadByTypeRequest: ATTRequestFormat {
    public typealias Response = ReadByTypeResponse

    public static let opcode = ATTOpcode.readByTypeRequest
    public static let name = "Read By Type Request"

    /// The handles to search.
    public let range: HandleRange
    /// The attribute type to search for.
    public let attributeType: BluetoothUUID

    /// A request for attributes of this type.
    public init(range: HandleRange, attributeType: BluetoothUUID) {
        self.range = range
        self.attributeType = attributeType
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        range = try HandleRange(requestFields: &reader)
        attributeType = try BluetoothUUID(restOf: &reader, "attribute type")
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        range.encode(into: &writer)
        attributeType.encodeForATT(into: &writer)
    }

    public var parametersText: String { "\(range) \(attributeType)" }

    public var handleInError: Handle { range.start }
}

/// Handles and values, all values of one length.
///
/// Values of different lengths come in separate responses, because the PDU has one length octet for all of them.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.2
public struct ReadByTypeResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.readByTypeResponse
    public static let name = "Read By Type Response"

    /// The longest value in octets that the length octet can describe: it also counts the two octets of the handle.
    public static let maximumValueLength = 253

    /// At least one attribute, all with values of the same length. A value of `maximumValueLength`, or one that fills
    /// the PDU, may be cut.
    public let entries: [HandleValue]

    /// A response with these attributes; `nil` if there are none, or if the lengths of their values differ or do not
    /// fit the length octet.
    public init?(entries: [HandleValue]) {
        guard entries.isUniform(\.value.count), entries[0].value.count <= Self.maximumValueLength else { return nil }
        self.entries = entries
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        let length = try reader.uint8("length")
        // The length counts the handle. Checked here, so that the error names the length and not an element.
        guard length >= 2 else { throw DecodeError("length", .invalid(value: UInt64(length))) }
        var entries: [HandleValue] = []
        repeat {
            var element = try reader.slice(Int(length), "attribute data list")
            let handle = Handle(try element.uint16("attribute data list: handle"))
            entries.append(HandleValue(handle, element.rest()))
        } while !reader.isAtEnd
        self.entries = entries
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.uint8(UInt8(truncatingIfNeeded: 2 + (entries.first?.value.count ?? 0)))
        for entry in entries {
            writer.append(entry.handle)
            writer.append(entry.value)
        }
    }

    public var parametersText: String { entries.map(\.description).joined(separator: ", ") }
}
