// SPDX-License-Identifier: MIT

/// Asks for the values of several attributes with their lengths.
///
/// It exists since Core 5.2. A server without it answers Request Not Supported.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.11
public struct ReadMultipleVariableRequest: ATTRequestFormat {
    public typealias Response = ReadMultipleVariableResponse

    public static let opcode = ATTOpcode.readMultipleVariableRequest
    public static let name = "Read Multiple Variable Request"

    /// At least two attributes, in the order of the values in the response.
    public let handles: [Handle]

    /// A request for these attributes' values; `nil` for fewer than two.
    public init?(handles: [Handle]) {
        guard handles.count >= 2 else { return nil }
        self.handles = handles
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        handles = try Handle.set(from: &reader)
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        for handle in handles { writer.append(handle) }
    }

    public var parametersText: String { handles.map(\.description).joined(separator: " ") }

    public var handleInError: Handle { handles.first ?? .invalid }
}

/// Values, each preceded by its length. The MTU may cut the list anywhere, even within a length.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.12
public struct ReadMultipleVariableResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.readMultipleVariableResponse
    public static let name = "Read Multiple Variable Response"

    /// The complete values, in the order of the request.
    public let values: [[UInt8]]

    /// The received part of the next tuple, including its length field; empty if the list was not cut.
    public let cutTuple: [UInt8]

    /// Whether the MTU cut the list.
    public var isCut: Bool { !cutTuple.isEmpty }

    /// A response with these values, cut to fit the MTU; `nil` if there are none, or if one is too long for its length
    /// field.
    public init?(values: [[UInt8]], mtu: UInt16) {
        guard !values.isEmpty, values.allSatisfy({ $0.count <= Int(UInt16.max) }) else { return nil }
        // At least one octet, because a client cannot decode an empty list.
        var room = Swift.max(1, Int(mtu) - 1)
        var whole: [[UInt8]] = []
        var cut: [UInt8] = []
        for value in values where room > 0 {
            var tuple = ByteWriter()
            tuple.uint16(UInt16(truncatingIfNeeded: value.count))
            tuple.append(value)
            if tuple.bytes.count <= room {
                whole.append(value)
            } else {
                cut = Array(tuple.bytes.prefix(room))
            }
            room -= Swift.min(room, tuple.bytes.count)
        }
        self.values = whole
        cutTuple = cut
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        guard !reader.isAtEnd else { throw DecodeError("length value tuple list", .truncated(needed: 2, available: 0)) }
        var values: [[UInt8]] = []
        var cut: [UInt8] = []
        while !reader.isAtEnd {
            // The MTU may cut the last tuple anywhere, so that a failure to read one is not an error.
            var attempt = reader
            guard
                let length = try? attempt.uint16("value length"),
                let value = try? attempt.bytes(Int(length), "attribute value")
            else {
                cut = reader.rest()
                break
            }
            values.append(value)
            reader = attempt
        }
        self.values = values
        cutTuple = cut
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        for value in values {
            writer.uint16(UInt16(truncatingIfNeeded: value.count))
            writer.append(value)
        }
        writer.append(cutTuple)
    }

    public var parametersText: String {
        let texts = values.map(ATTText.value) + (isCut ? ["cut: \(Hex.string(cutTuple))"] : [])
        return texts.joined(separator: ", ")
    }
}
