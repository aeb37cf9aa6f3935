// SPDX-License-Identifier: GPL-2.0-or-later

/// What a client sends and a server answers.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTRequest: Hashable, Sendable {
    /// Agree on the length of PDUs.
    case exchangeMTU(ExchangeMTURequest)
    /// Handles and types in a range.
    case findInformation(FindInformationRequest)
    /// Attributes of a type and a value.
    case findByTypeValue(FindByTypeValueRequest)
    /// Values of attributes of a type.
    case readByType(ReadByTypeRequest)
    /// A value.
    case read(ReadRequest)
    /// A value from an offset on.
    case readBlob(ReadBlobRequest)
    /// Several values of known lengths.
    case readMultiple(ReadMultipleRequest)
    /// Groups of a type.
    case readByGroupType(ReadByGroupTypeRequest)
    /// Write a value.
    case write(WriteRequest)
    /// Queue a part of a value.
    case prepareWrite(PrepareWriteRequest)
    /// Write or forget the queue.
    case executeWrite(ExecuteWriteRequest)
    /// Several values with their lengths.
    case readMultipleVariable(ReadMultipleVariableRequest)

    /// The PDU itself.
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

    /// The opcode of the response that answers it.
    public var responseOpcode: ATTOpcode { Self.responseOpcode(pdu) }

    private static func responseOpcode<PDU: ATTRequestFormat>(_: PDU) -> ATTOpcode { PDU.Response.opcode }

    /// The Error Response that refuses this request, naming its own handle where none is given.
    public func refused(_ code: ATTErrorCode, at handle: Handle? = nil) -> ATTErrorResponse {
        ATTErrorResponse(requestOpcode: opcode, handle: handle ?? pdu.handleInError, code: code)
    }

    /// Reads what follows a request's opcode; `nil` where the opcode is no request.
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

/// What a client sends without an answer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTCommand: Hashable, Sendable {
    /// Write a value.
    case write(WriteCommand)
    /// Write a value, signed.
    case signedWrite(SignedWriteCommand)

    /// The PDU itself.
    public var pdu: any ATTPDUFormat {
        switch self {
        case .write(let pdu): pdu
        case .signedWrite(let pdu): pdu
        }
    }

    /// The PDU's first octet.
    public var opcode: ATTOpcode { type(of: pdu).opcode }

    /// Reads what follows a command's opcode; `nil` where the opcode is no command.
    static func decode(_ opcode: ATTOpcode, _ reader: inout ByteReader) throws(DecodeError) -> ATTCommand? {
        switch opcode {
        case WriteCommand.opcode: .write(try .decodeParameters(&reader))
        case SignedWriteCommand.opcode: .signedWrite(try .decodeParameters(&reader))
        default: nil
        }
    }
}

/// Everything that a client can send.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTClientPDU: Hashable, Sendable {
    /// Wants a response.
    case request(ATTRequest)
    /// Wants none.
    case command(ATTCommand)
    /// Answers an indication.
    case confirmation
    /// An opcode that the specification does not define, and what followed it.
    case unknown(ATTOpcode, parameters: [UInt8])

    /// Reads a PDU. Throws where its parameters are malformed, or where it is one that servers send.
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
