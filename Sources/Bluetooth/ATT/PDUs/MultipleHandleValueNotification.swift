// SPDX-License-Identifier: MIT

/// Several values that the server sends at once without a request, only to clients that support the PDU.
///
/// The specification demands two values or more; a single one is accepted as well.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.7.4
public struct MultipleHandleValueNotification: ATTPDUFormat {
    public static let opcode = ATTOpcode.multipleHandleValueNotification
    public static let name = "Multiple Handle Value Notification"
    public static let kind = ATTPDUKind.notification

    /// The attributes and their whole values, at least one.
    public let values: [HandleValue]

    /// A notification of these values; `nil` if there are none, or if one is too long for its length field.
    public init?(values: [HandleValue]) {
        guard !values.isEmpty, values.allSatisfy({ $0.value.count <= Int(UInt16.max) }) else { return nil }
        self.values = values
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        var values: [HandleValue] = []
        // An empty list is malformed: the first read fails.
        repeat {
            let handle = Handle(try reader.uint16("handle length value tuple list: handle"))
            let length = try reader.uint16("handle length value tuple list: length")
            values.append(HandleValue(handle, try reader.bytes(Int(length), "handle length value tuple list: value")))
        } while !reader.isAtEnd
        self.values = values
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        for value in values {
            writer.append(value.handle)
            writer.uint16(UInt16(truncatingIfNeeded: value.value.count))
            writer.append(value.value)
        }
    }

    public var parametersText: String { values.map(\.description).joined(separator: ", ") }
}
