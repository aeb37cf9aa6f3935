// SPDX-License-Identifier: MIT

/// Asks for the handles and types of all attributes in a range.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1
public struct FindInformationRequest: ATTRequestFormat {
    public typealias Response = FindInformationResponse

    public static let opcode = ATTOpcode.findInformationRequest
    public static let name = "Find Information Request"

    /// The handles to search.
    public let range: HandleRange

    /// A request for this range.
    public init(range: HandleRange) { self.range = range }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        range = try HandleRange(requestFields: &reader)
    }

    public func encodeParameters(into writer: inout ByteWriter) { range.encode(into: &writer) }

    public var parametersText: String { "\(range)" }

    public var handleInError: Handle { range.start }
}

/// Handles and types, all of 16 bits or all of 128.
///
/// Types of different widths come in separate responses, because the PDU has one format octet for all of them.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.3.2
public struct FindInformationResponse: ATTResponseFormat {
    /// One attribute.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// The attribute's handle.
        public let handle: Handle
        /// The attribute's type.
        public let uuid: BluetoothUUID

        /// Creates an entry.
        public init(_ handle: Handle, _ uuid: BluetoothUUID) {
            self.handle = handle
            self.uuid = uuid
        }

        public var description: String { "\(handle) \(uuid)" }
    }

    public static let opcode = ATTOpcode.findInformationResponse
    public static let name = "Find Information Response"

    /// The attributes, at least one.
    public let entries: [Entry]

    /// A response with these attributes; `nil` if there are none, or if the widths of their types differ.
    public init?(entries: [Entry]) {
        guard entries.isUniform(\.uuid.attOctets) else { return nil }
        self.entries = entries
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        let format = try reader.uint8("format")
        let width: BluetoothUUID.Width
        switch format {
        case 0x01: width = .bits16
        case 0x02: width = .bits128
        default: throw DecodeError("format", .invalid(value: UInt64(format)))
        }
        var entries: [Entry] = []
        // An empty list is malformed: the first read fails.
        repeat {
            let handle = Handle(try reader.uint16("information data: handle"))
            entries.append(Entry(handle, try BluetoothUUID(width, from: &reader, "information data: UUID")))
        } while !reader.isAtEnd
        self.entries = entries
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.uint8(entries.first?.uuid.attOctets == 2 ? 0x01 : 0x02)
        for entry in entries {
            writer.append(entry.handle)
            entry.uuid.encodeForATT(into: &writer)
        }
    }

    public var parametersText: String { entries.map(\.description).joined(separator: ", ") }
}
