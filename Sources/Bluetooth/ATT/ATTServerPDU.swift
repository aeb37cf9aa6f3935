// SPDX-License-Identifier: GPL-2.0-or-later

/// What a server answers to a request that it carries out.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTResponse: Hashable, Sendable {
    /// Answers Exchange MTU.
    case exchangeMTU(ExchangeMTUResponse)
    /// Answers Find Information.
    case findInformation(FindInformationResponse)
    /// Answers Find By Type Value.
    case findByTypeValue(FindByTypeValueResponse)
    /// Answers Read By Type.
    case readByType(ReadByTypeResponse)
    /// Answers Read.
    case read(ReadResponse)
    /// Answers Read Blob.
    case readBlob(ReadBlobResponse)
    /// Answers Read Multiple.
    case readMultiple(ReadMultipleResponse)
    /// Answers Read By Group Type.
    case readByGroupType(ReadByGroupTypeResponse)
    /// Answers Write.
    case write(WriteResponse)
    /// Answers Prepare Write.
    case prepareWrite(PrepareWriteResponse)
    /// Answers Execute Write.
    case executeWrite(ExecuteWriteResponse)
    /// Answers Read Multiple Variable.
    case readMultipleVariable(ReadMultipleVariableResponse)

    /// The PDU itself.
    public var pdu: any ATTResponseFormat {
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

    /// Reads what follows a response's opcode; `nil` where the opcode is no response, or Error Response.
    static func decode(_ opcode: ATTOpcode, _ reader: inout ByteReader) throws(DecodeError) -> ATTResponse? {
        switch opcode {
        case ExchangeMTUResponse.opcode: .exchangeMTU(try .decodeParameters(&reader))
        case FindInformationResponse.opcode: .findInformation(try .decodeParameters(&reader))
        case FindByTypeValueResponse.opcode: .findByTypeValue(try .decodeParameters(&reader))
        case ReadByTypeResponse.opcode: .readByType(try .decodeParameters(&reader))
        case ReadResponse.opcode: .read(try .decodeParameters(&reader))
        case ReadBlobResponse.opcode: .readBlob(try .decodeParameters(&reader))
        case ReadMultipleResponse.opcode: .readMultiple(try .decodeParameters(&reader))
        case ReadByGroupTypeResponse.opcode: .readByGroupType(try .decodeParameters(&reader))
        case WriteResponse.opcode: .write(try .decodeParameters(&reader))
        case PrepareWriteResponse.opcode: .prepareWrite(try .decodeParameters(&reader))
        case ExecuteWriteResponse.opcode: .executeWrite(try .decodeParameters(&reader))
        case ReadMultipleVariableResponse.opcode: .readMultipleVariable(try .decodeParameters(&reader))
        default: nil
        }
    }
}

/// How a server answers a request: by its response, or by an Error Response.
public typealias ATTAnswer = Result<ATTResponse, ATTErrorResponse>

/// Everything that a server can send.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTServerPDU: Hashable, Sendable {
    /// Answers a request that was carried out.
    case response(ATTResponse)
    /// Answers a request that was not.
    case error(ATTErrorResponse)
    /// Tells a value.
    case notification(HandleValueNotification)
    /// Tells a value and wants a confirmation.
    case indication(HandleValueIndication)
    /// Tells several values.
    case multipleNotification(MultipleHandleValueNotification)
    /// An opcode that the specification does not define, and what followed it.
    case unknown(ATTOpcode, parameters: [UInt8])

    /// The PDU of an answer.
    public init(_ answer: ATTAnswer) {
        switch answer {
        case .success(let response): self = .response(response)
        case .failure(let error): self = .error(error)
        }
    }

    /// Reads a PDU. Throws where its parameters are malformed, or where it is one that clients send.
    public init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = ATTOpcode(try reader.uint8("opcode"))
        if let response = try ATTResponse.decode(opcode, &reader) {
            self = .response(response)
            return
        }
        switch opcode {
        case ATTErrorResponse.opcode: self = .error(try .decodeParameters(&reader))
        case HandleValueNotification.opcode: self = .notification(try .decodeParameters(&reader))
        case HandleValueIndication.opcode: self = .indication(try .decodeParameters(&reader))
        case MultipleHandleValueNotification.opcode: self = .multipleNotification(try .decodeParameters(&reader))
        case _ where ATTCatalog.format(of: opcode) == nil:
            self = .unknown(opcode, parameters: reader.rest())
        default:
            throw DecodeError("opcode", .invalid(value: UInt64(opcode.rawValue)))
        }
    }

    /// The PDU's first octet.
    public var opcode: ATTOpcode {
        switch self {
        case .response(let response): response.opcode
        case .error: ATTErrorResponse.opcode
        case .notification: HandleValueNotification.opcode
        case .indication: HandleValueIndication.opcode
        case .multipleNotification: MultipleHandleValueNotification.opcode
        case .unknown(let opcode, _): opcode
        }
    }
}
