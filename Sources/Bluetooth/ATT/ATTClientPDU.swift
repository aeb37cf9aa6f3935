// SPDX-License-Identifier: MIT

/// A PDU of a client that the server answers.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTRequest: Hashable, Sendable {
    /// Exchange the maximum lengths of PDUs.
    case exchangeMTU(ExchangeMTURequest)
    /// Find the handles and types in a range.
    case findInformation(FindInformationRequest)
    /// Find the attributes of a type and a value.
    case findByTypeValue(FindByTypeValueRequest)
    /// Read the values of the attributes of a type.
    case readByType(ReadByTypeRequest)
    /// Read a value.
    case read(ReadRequest)
    /// Read a value from an offset on.
    case readBlob(ReadBlobRequest)
    /// Read several values of known lengths.
    case readMultiple(ReadMultipleRequest)
    /// Read the groups of a type.
    case readByGroupType(ReadByGroupTypeRequest)
    /// Write a value.
    case write(WriteRequest)
    /// Queue a part of a value.
    case prepareWrite(PrepareWriteRequest)
    /// Execute or discard the queue.
    case executeWrite(ExecuteWriteRequest)
    /// Read several values with their lengths.
    case readMultipleVariable(ReadMultipleVariableRequest)

    /// The PDU that the case carries.
    public var pdu: any ATTRequestFormat {
        switch self {
        case .exchangeMTU(let pdu): pdu
        case .findInformation(let pdu): pdu
        case .findByTypeValue(let pdu): pdu
        case .readByType(let pdu): pdu
        case .read(let pdu): pdu
        case .readBlob(let pdu): pdu
        case .readMultiple(let pdu): pdu
        case .readByGroupType(let pdu): pdu
        case .write(let pdu): pdu
        case .prepareWrite(let pdu): pdu
        case .executeWrite(let pdu): pdu
        case .readMultipleVariable(let pdu): pdu
        }
    }

    /// The PDU's first octet.
    public var opcode: ATTOpcode { type(of: pdu).opcode }

    /// The opcode of the response to this request.
    public var responseOpcode: ATTOpcode { Self.responseOpcode(pdu) }

    private static func responseOpcode<PDU: ATTRequestFormat>(_: PDU) -> ATTOpcode { PDU.Response.opcode }

    /// The Error Response that refuses this request. Without a handle it names the request's own one.
    public func refused(_ code: ATTErrorCode, at handle: Handle? = nil) -> ATTErrorResponse {
        ATTErrorResponse(requestOpcode: opcode, handle: handle ?? pdu.handleInError, code: code)
    }

    /// Decodes the parameters of a request; `nil` if the opcode belongs to no request.
    static func decode(_ opcode: ATTOpcode, _ reader: inout ByteReader) throws(DecodeError) -> ATTRequest? {
        switch opcode {
        case ExchangeMTURequest.opcode: .exchangeMTU(try .decodeParameters(&reader))
        case FindInformationRequest.opcode: .findInformation(try .decodeParameters(&reader))
        case FindByTypeValueRequest.opcode: .findByTypeValue(try .decodeParameters(&reader))
        case ReadByTypeRequest.opcode: .readByType(try .decodeParameters(&reader))
        case ReadRequest.opcode: .read(try .decodeParameters(&reader))
        case ReadBlobRequest.opcode: .readBlob(try .decodeParameters(&reader))
        case ReadMultipleRequest.opcode: .readMultiple(try .decodeParameters(&reader))
        case ReadByGroupTypeRequest.opcode: .readByGroupType(try .decodeParameters(&reader))
        case WriteRequest.opcode: .write(try .decodeParameters(&reader))
        case PrepareWriteRequest.opcode: .prepareWrite(try .decodeParameters(&reader))
        case ExecuteWriteRequest.opcode: .executeWrite(try .decodeParameters(&reader))
        case ReadMultipleVariableRequest.opcode: .readMultipleVariable(try .decodeParameters(&reader))
        default: nil
        }
    }
}

/// A PDU of a client that the server does not answer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTCommand: Hashable, Sendable {
    /// Write a value.
    case write(WriteCommand)
    /// Write a value, signed.
    case signedWrite(SignedWriteCommand)

    /// The PDU that the case carries.
    public var pdu: any ATTPDUFormat {
        switch self {
        case .write(let pdu): pdu
        case .signedWrite(let pdu): pdu
        }
    }

    /// The PDU's first octet.
    public var opcode: ATTOpcode { type(of: pdu).opcode }

    /// Decodes the parameters of a command; `nil` if the opcode belongs to no command.
    static func decode(_ opcode: ATTOpcode, _ reader: inout ByteReader) throws(DecodeError) -> ATTCommand? {
        switch opcode {
        case WriteCommand.opcode: .write(try .decodeParameters(&reader))
        case SignedWriteCommand.opcode: .signedWrite(try .decodeParameters(&reader))
        default: nil
        }
    }
}

/// Any PDU of a client.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTClientPDU: Hashable, Sendable {
    /// The server sends a response or an error.
    case request(ATTRequest)
    /// The server sends no answer.
    case command(ATTCommand)
    /// The answer to an indication.
    case confirmation
    /// An opcode that the specification does not define, with the octets after it.
    case unknown(ATTOpcode, parameters: [UInt8])

    /// Decodes a PDU. Throws if its parameters are malformed, or if only servers send it.
    public init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = ATTOpcode(try reader.uint8("opcode"))
        if let request = try ATTRequest.decode(opcode, &reader) {
            self = .request(request)
        } else if let command = try ATTCommand.decode(opcode, &reader) {
            self = .command(command)
        } else if opcode == HandleValueConfirmation.opcode {
            _ = try HandleValueConfirmation.decodeParameters(&reader)
            self = .confirmation
        } else if ATTCatalog.format(of: opcode) == nil {
            self = .unknown(opcode, parameters: reader.rest())
        } else {
            throw DecodeError("opcode", .invalid(value: UInt64(opcode.rawValue)))
        }
    }

    /// The PDU's first octet.
    public var opcode: ATTOpcode {
        switch self {
        case .request(let request): request.opcode
        case .command(let command): command.opcode
        case .confirmation: HandleValueConfirmation.opcode
        case .unknown(let opcode, _): opcode
        }
    }
}
