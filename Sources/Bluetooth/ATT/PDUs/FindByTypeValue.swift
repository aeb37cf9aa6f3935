// SPDX-License-Identifier: MIT

/// Asks for the attributes in a range that have this type and this value.
///
/// GATT finds a service by its UUID with it, because that UUID is the value of the service's declaration.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.3
public struct FindByTypeValueRequest: ATTRequestFormat {
    public typealias Response = FindByTypeValueResponse

    public static let opcode = ATTOpcode.findByTypeValueRequest
    public static let name = "Find By Type Value Request"

    /// The handles to search.
    public let range: HandleRange
    /// The type. The PDU only has room for a 16-bit UUID.
    public let attributeType: UInt16
    /// The value to look for.
    public let value: [UInt8]

    /// A request for attributes of this type and value.
    public init(range: HandleRange, attributeType: UInt16, value: [UInt8]) {
        self.range = range
        self.attributeType = attributeType
        self.value = value
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        range = try HandleRange(requestFields: &reader)
        attributeType = try reader.uint16("attribute type")
        value = reader.rest()
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        range.encode(into: &writer)
        writer.uint16(attributeType)
        writer.append(value)
    }

    public var parametersText: String { "\(range) \(BluetoothUUID(attributeType)) \(ATTText.value(value))" }

    public var handleInError: Handle { range.start }
}

/// The attributes found, each with the end of its group.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.4
public struct FindByTypeValueResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.findByTypeValueResponse
    public static let name = "Find By Type Value Response"

    /// At least one range, each from the attribute (Found Attribute Handle) to the end of its group (Group End Handle).
    public let groups: [HandleRange]

    /// A response with these groups; `nil` if there are none.
    public init?(groups: [HandleRange]) {
        guard !groups.isEmpty else { return nil }
        self.groups = groups
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        var groups: [HandleRange] = []
        // An empty list is malformed: the first read fails.
        repeat {
            let found = Handle(try reader.uint16("handles information list: found attribute handle"))
            let end = Handle(try reader.uint16("handles information list: group end handle"))
            groups.append(HandleRange(found, end))
        } while !reader.isAtEnd
        self.groups = groups
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        for group in groups { group.encode(into: &writer) }
    }

    public var parametersText: String { groups.map(\.description).joined(separator: ", ") }
}
