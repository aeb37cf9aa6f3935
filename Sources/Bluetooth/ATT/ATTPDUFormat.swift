// SPDX-License-Identifier: MIT

/// The sender of a PDU, and the answer that it expects.
public enum ATTPDUKind: Hashable, Sendable {
    /// From client to server; the response or an Error Response ends the transaction.
    case request(response: ATTOpcode)
    /// From client to server; no answer.
    case command
    /// From client to server; the answer to an indication.
    case confirmation
    /// From server to client; the answer to a request.
    case response
    /// From server to client; no answer.
    case notification
    /// From server to client; a confirmation ends the transaction.
    case indication

    /// Whether the client sends it.
    public var isFromClient: Bool {
        switch self {
        case .request, .command, .confirmation: true
        case .response, .notification, .indication: false
        }
    }
}

/// The declaration of a PDU: opcode, name, kind and parameters in one place, so that no second list can differ.
///
/// A conforming type encodes and decodes the whole PDU, opcode included.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3.1
public protocol ATTPDUFormat: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The PDU's first octet.
    static var opcode: ATTOpcode { get }

    /// The PDU's name: `Read By Type Request`.
    static var name: String { get }

    /// The sender, and the answer that it expects.
    static var kind: ATTPDUKind { get }

    /// Decodes the octets after the opcode.
    init(parameters reader: inout ByteReader) throws(DecodeError)

    /// Appends the octets after the opcode.
    func encodeParameters(into writer: inout ByteWriter)

    /// The parameters on one line, empty if there are none: `0x0001…0xFFFF 0x2A19`.
    var parametersText: String { get }
}

extension ATTPDUFormat {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let opcode = try reader.uint8("opcode")
        guard opcode == Self.opcode.rawValue else { throw DecodeError("opcode", .invalid(value: UInt64(opcode))) }
        try self.init(parameters: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(Self.opcode.rawValue)
        encodeParameters(into: &writer)
    }

    /// One line for a trace: `Read By Type Request 0x0001…0xFFFF 0x2A19`.
    public var description: String {
        let text = parametersText
        return text.isEmpty ? Self.name : "\(Self.name) \(text)"
    }

    /// Decodes the parameters of a PDU after its opcode. Octets left over are an error.
    static func decodeParameters(_ reader: inout ByteReader) throws(DecodeError) -> Self {
        let pdu = try Self(parameters: &reader)
        try reader.expectEnd(name)
        return pdu
    }
}

/// The declaration of a request, with its response.
public protocol ATTRequestFormat: ATTPDUFormat {
    /// The response to the request if it succeeds.
    associatedtype Response: ATTResponseFormat

    /// The handle in an Error Response to this request, unless the server names a more precise one: the only, the first
    /// or the starting handle; 0x0000 if the request has none.
    var handleInError: Handle { get }
}

extension ATTRequestFormat {
    public static var kind: ATTPDUKind { .request(response: Response.opcode) }
}

/// A response, Error Response included.
public protocol ATTResponseFormat: ATTPDUFormat {}

extension ATTResponseFormat {
    public static var kind: ATTPDUKind { .response }
}

/// A PDU without parameters.
protocol ATTEmptyFormat: ATTPDUFormat {
    init()
}

extension ATTEmptyFormat {
    public init(parameters reader: inout ByteReader) throws(DecodeError) { self.init() }

    public func encodeParameters(into writer: inout ByteWriter) {}

    public var parametersText: String { "" }
}

/// A PDU with the handle and the value of an attribute.
protocol ATTValueFormat: ATTPDUFormat {
    var handle: Handle { get }
    var value: [UInt8] { get }
    init(handle: Handle, value: [UInt8])
}

extension ATTValueFormat {
    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        self.init(handle: try Handle(from: &reader), value: reader.rest())
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.append(handle)
        writer.append(value)
    }

    public var parametersText: String { "\(handle) \(ATTText.value(value))" }
}

/// A PDU with a part of a value and its position.
protocol ATTPreparedPart: ATTPDUFormat {
    var handle: Handle { get }
    var offset: UInt16 { get }
    var value: [UInt8] { get }
    init(handle: Handle, offset: UInt16, value: [UInt8])
}

extension ATTPreparedPart {
    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        let handle = try Handle(from: &reader)
        let offset = try reader.uint16("value offset")
        self.init(handle: handle, offset: offset, value: reader.rest())
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.append(handle)
        writer.uint16(offset)
        writer.append(value)
    }

    public var parametersText: String { "\(handle) offset \(offset) \(ATTText.value(value))" }
}

/// The form of values in a trace.
enum ATTText {
    /// `0a1b`, or `(empty)`.
    static func value(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "(empty)" : Hex.string(bytes) }
}
