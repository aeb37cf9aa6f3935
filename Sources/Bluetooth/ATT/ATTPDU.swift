// SPDX-License-Identifier: MIT

/// Any PDU of a bearer, on which both devices may be client and server.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTPDU: Hashable, Sendable {
    /// A client's PDU. An unknown opcode counts as one, because only a server must answer it.
    case client(ATTClientPDU)
    /// A server's PDU.
    case server(ATTServerPDU)

    /// Decodes a PDU of either direction.
    public init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = ATTOpcode(try reader.uint8("opcode"))
        if let format = ATTCatalog.format(of: opcode), !format.kind.isFromClient {
            self = .server(try ATTServerPDU(decoding: bytes))
        } else {
            self = .client(try ATTClientPDU(decoding: bytes))
        }
    }

    /// Describes any octets on one line: the PDU, or its name and the error in it.
    public static func describe(_ bytes: [UInt8]) -> String {
        do {
            return try ATTPDU(decoding: bytes).description
        } catch {
            guard let first = bytes.first else { return "empty PDU" }
            return "malformed \(ATTOpcode(first)) \(Hex.string(bytes)) (\(error))"
        }
    }
}

extension ATTPDU: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .client(let pdu): pdu.encode(into: &writer)
        case .server(let pdu): pdu.encode(into: &writer)
        }
    }

    public var description: String {
        switch self {
        case .client(let pdu): pdu.description
        case .server(let pdu): pdu.description
        }
    }
}

extension ATTRequest: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) { pdu.encode(into: &writer) }

    public var description: String { pdu.description }
}

extension ATTResponse: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) { pdu.encode(into: &writer) }

    public var description: String { pdu.description }
}

extension ATTCommand: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) { pdu.encode(into: &writer) }

    public var description: String { pdu.description }
}

extension ATTClientPDU: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .request(let request): request.encode(into: &writer)
        case .command(let command): command.encode(into: &writer)
        case .confirmation: HandleValueConfirmation().encode(into: &writer)
        case .unknown(let opcode, let parameters): opcode.encode(with: parameters, into: &writer)
        }
    }

    public var description: String {
        switch self {
        case .request(let request): request.description
        case .command(let command): command.description
        case .confirmation: HandleValueConfirmation().description
        case .unknown(let opcode, let parameters): opcode.describe(with: parameters)
        }
    }
}

extension ATTServerPDU: WireEncodable, CustomStringConvertible {
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .response(let response): response.encode(into: &writer)
        case .error(let error): error.encode(into: &writer)
        case .notification(let notification): notification.encode(into: &writer)
        case .indication(let indication): indication.encode(into: &writer)
        case .multipleNotification(let notification): notification.encode(into: &writer)
        case .unknown(let opcode, let parameters): opcode.encode(with: parameters, into: &writer)
        }
    }

    public var description: String {
        switch self {
        case .response(let response): response.description
        case .error(let error): error.description
        case .notification(let notification): notification.description
        case .indication(let indication): indication.description
        case .multipleNotification(let notification): notification.description
        case .unknown(let opcode, let parameters): opcode.describe(with: parameters)
        }
    }
}

extension ATTOpcode {
    fileprivate func encode(with parameters: [UInt8], into writer: inout ByteWriter) {
        writer.uint8(rawValue)
        writer.append(parameters)
    }

    fileprivate func describe(with parameters: [UInt8]) -> String {
        parameters.isEmpty ? description : "\(description) \(Hex.string(parameters))"
    }
}
