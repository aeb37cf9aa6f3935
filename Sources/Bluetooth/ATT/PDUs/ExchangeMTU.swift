// SPDX-License-Identifier: MIT

/// Announces the longest PDU that the client can receive.
///
/// A client sends it at most once on a link, because the result then holds until the link ends. The MTU becomes the
/// smaller of both sizes, so that neither side receives a PDU that is too long for it.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.2.1
public struct ExchangeMTURequest: ATTRequestFormat {
    public typealias Response = ExchangeMTUResponse

    public static let opcode = ATTOpcode.exchangeMTURequest
    public static let name = "Exchange MTU Request"

    /// The client's receive size in octets (Client Rx MTU); below 23 is invalid and counts as 23.
    public let clientRxMTU: UInt16

    /// A request that offers this size.
    public init(clientRxMTU: UInt16) { self.clientRxMTU = clientRxMTU }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        clientRxMTU = try reader.uint16("client Rx MTU")
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.uint16(clientRxMTU) }

    public var parametersText: String { "\(clientRxMTU)" }

    public var handleInError: Handle { .invalid }
}

/// Announces the longest PDU that the server can receive.
///
/// The new MTU applies to every PDU after this one.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.2.2
public struct ExchangeMTUResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.exchangeMTUResponse
    public static let name = "Exchange MTU Response"

    /// The server's receive size in octets (Server Rx MTU); below 23 is invalid and counts as 23.
    public let serverRxMTU: UInt16

    /// A response that offers this size.
    public init(serverRxMTU: UInt16) { self.serverRxMTU = serverRxMTU }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        serverRxMTU = try reader.uint16("server Rx MTU")
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.uint16(serverRxMTU) }

    public var parametersText: String { "\(serverRxMTU)" }
}
