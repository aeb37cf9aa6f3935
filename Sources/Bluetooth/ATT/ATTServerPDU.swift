// SPDX-License-Identifier: MIT

/// A server's response to a request that has succeeded.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTResponse: Hashable, Sendable {
    /// The server's maximum length of PDUs.
    case exchangeMTU(ExchangeMTUResponse)
    /// Handles and types.
    case findInformation(FindInformationResponse)
    /// Attributes with their groups.
    case findByTypeValue(FindByTypeValueResponse)
    /// Handles and values.
    case readByType(ReadByTypeResponse)
    /// The value, cut to the MTU.
    case read(ReadResponse)
    /// A part of the value.
    case readBlob(ReadBlobResponse)
    /// Concatenated values.
    case readMultiple(ReadMultipleResponse)
    /// Groups with their values.
    case readByGroupType(ReadByGroupTypeResponse)
    /// The value was written.
    case write(WriteResponse)
    /// The echo of the queued part.
    case prepareWrite(PrepareWriteResponse)
    /// The queue was executed or discarded.
    case executeWrite(ExecuteWriteResponse)
    /// Values with their lengths.
    case readMultipleVariable(ReadMultipleVariableResponse)

    /// The PDU that the case carries.
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

    /// Decodes the parameters of a response; `nil` if the opcode belongs to no response, or to Error Response.
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

/// A server's answer to a request: its response or an Error Response.
public typealias ATTAnswer = Result<ATTResponse, ATTErrorResponse>

/// Any PDU of a server.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public enum ATTServerPDU: Hashable, Sendable {
    /// The answer to a request that has succeeded.
    case response(ATTResponse)
    /// The answer to a request that was refused.
    case error(ATTErrorResponse)
    /// A value, sent without a request.
    case notification(HandleValueNotification)
    /// A value, sent without a request, that the client must confirm.
    case indication(HandleValueIndication)
    /// Several values, sent without a request.
    case multipleNotification(MultipleHandleValueNotification)
    /// An opcode that the specification does not define, with the octets after it.
    case unknown(ATTOpcode, parameters: [UInt8])

    /// The PDU of an answer.
    public init(_ answer: ATTAnswer) {
        switch answer {
        case .success(let response): self = .response(response)
        case .failure(let error): self = .error(error)
        }
    }

    /// Decodes a PDU. Throws if its parameters are malformed, or if only clients send it.
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
