// SPDX-License-Identifier: MIT

/// Asks for the groups in a range that an attribute of this type begins. GATT uses it for services.
///
/// Of the types in GATT, only «Primary Service» and «Secondary Service» are allowed; a server refuses others with
/// Unsupported Group Type.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.9
public struct ReadByGroupTypeRequest: ATTRequestFormat {
    public typealias Response = ReadByGroupTypeResponse

    public static let opcode = ATTOpcode.readByGroupTypeRequest
    public static let name = "Read By Group Type Request"

    /// The handles to search.
    public let range: HandleRange
    /// The attribute type to search for.
    public let groupType: BluetoothUUID

    /// A request for groups of this type.
    public init(range: HandleRange, groupType: BluetoothUUID) {
        self.range = range
        self.groupType = groupType
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        range = try HandleRange(requestFields: &reader)
        groupType = try BluetoothUUID(restOf: &reader, "attribute group type")
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        range.encode(into: &writer)
        groupType.encodeForATT(into: &writer)
    }

    public var parametersText: String { "\(range) \(groupType)" }

    public var handleInError: Handle { range.start }
}

/// Groups with the values of their first attributes, all values of one length.
///
/// Services with UUIDs of different widths come in separate responses, because the PDU has one length octet for all
/// values.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.10
public struct ReadByGroupTypeResponse: ATTResponseFormat {
    /// One group.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// The handles from the group's first attribute (Attribute Handle) to its last (End Group Handle).
        public let range: HandleRange
        /// The first attribute's value; for a service, its UUID.
        public let value: [UInt8]

        /// Creates an entry.
        public init(_ range: HandleRange, _ value: [UInt8]) {
            self.range = range
            self.value = value
        }

        public var description: String { "\(range) \(ATTText.value(value))" }
    }

    public static let opcode = ATTOpcode.readByGroupTypeResponse
    public static let name = "Read By Group Type Response"

    /// The longest value in octets that the length octet can describe: it also counts the four octets of both handles.
    public static let maximumValueLength = 251

    /// The groups, at least one, with values of equal length.
    public let entries: [Entry]

    /// A response with these groups; `nil` if there are none, or if the lengths of their values differ or do not fit
    /// the length octet.
    public init?(entries: [Entry]) {
        guard entries.isUniform(\.value.count), entries[0].value.count <= Self.maximumValueLength else { return nil }
        self.entries = entries
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        let length = try reader.uint8("length")
        // The length counts the two handles. Checked here, so that the error names the length and not an element.
        guard length >= 4 else { throw DecodeError("length", .invalid(value: UInt64(length))) }
        var entries: [Entry] = []
        repeat {
            var element = try reader.slice(Int(length), "attribute data list")
            let start = Handle(try element.uint16("attribute data list: attribute handle"))
            let end = Handle(try element.uint16("attribute data list: end group handle"))
            entries.append(Entry(HandleRange(start, end), element.rest()))
        } while !reader.isAtEnd
        self.entries = entries
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.uint8(UInt8(truncatingIfNeeded: 4 + (entries.first?.value.count ?? 0)))
        for entry in entries {
            entry.range.encode(into: &writer)
            writer.append(entry.value)
        }
    }

    public var parametersText: String { entries.map(\.description).joined(separator: ", ") }
}
