// SPDX-License-Identifier: MIT

/// Asks for the values of several attributes whose lengths the client knows.
///
/// Only the last value may have an unknown length, because the response does not separate the values.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.7
public struct ReadMultipleRequest: ATTRequestFormat {
    public typealias Response = ReadMultipleResponse

    public static let opcode = ATTOpcode.readMultipleRequest
    public static let name = "Read Multiple Request"

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

/// The values, concatenated without lengths between them.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.8
public struct ReadMultipleResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.readMultipleResponse
    public static let name = "Read Multiple Response"

    /// The octets of all values; the MTU may cut the last ones.
    public let values: [UInt8]

    /// A response with these values.
    public init(values: [UInt8]) { self.values = values }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        values = reader.rest()
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.append(values) }

    public var parametersText: String { ATTText.value(values) }
}

extension Handle {
    /// Decodes the Set Of Handles of both Read Multiple requests: two handles or more.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.7
    static func set(from reader: inout ByteReader) throws(DecodeError) -> [Handle] {
        var handles: [Handle] = []
        repeat {
            handles.append(Handle(try reader.uint16("set of handles")))
        } while handles.count < 2 || !reader.isAtEnd
        return handles
    }
}
