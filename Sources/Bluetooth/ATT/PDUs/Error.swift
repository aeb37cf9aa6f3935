// SPDX-License-Identifier: MIT

/// The answer to a request that the server refuses.
///
/// It answers requests only. Commands and confirmations are never refused, because their sender waits for no answer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.1.1
public struct ATTErrorResponse: ATTResponseFormat, Error {
    public static let opcode = ATTOpcode.errorResponse
    public static let name = "Error Response"

    /// The request that caused the error.
    public let requestOpcode: ATTOpcode
    /// The attribute that caused the error; 0x0000 if there is none.
    public let handle: Handle
    /// The reason.
    public let code: ATTErrorCode

    /// Creates an error about a request.
    public init(requestOpcode: ATTOpcode, handle: Handle, code: ATTErrorCode) {
        self.requestOpcode = requestOpcode
        self.handle = handle
        self.code = code
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        requestOpcode = ATTOpcode(try reader.uint8("request opcode in error"))
        handle = Handle(try reader.uint16("attribute handle in error"))
        code = ATTErrorCode(try reader.uint8("error code"))
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.uint8(requestOpcode.rawValue)
        writer.append(handle)
        writer.uint8(code.rawValue)
    }

    public var parametersText: String {
        "\(requestOpcode) \(handle) 0x\(Hex.string(code.rawValue, minimumDigits: 2)) \(code)"
    }
}
