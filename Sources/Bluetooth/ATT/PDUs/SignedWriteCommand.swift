// SPDX-License-Identifier: MIT

/// Writes an attribute's value without a response, signed with the client's signature key.
///
/// It is for links without encryption only, because an encrypted link protects a Write Command already. The counter in
/// the signature grows each time, so that a recorded command is not accepted again.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.5.4
public struct SignedWriteCommand: ATTPDUFormat {
    public static let opcode = ATTOpcode.signedWriteCommand
    public static let name = "Signed Write Command"
    public static let kind = ATTPDUKind.command

    /// The length of the Authentication Signature in octets: a counter of four and a code of eight.
    public static let signatureLength = 12

    /// The attribute's handle.
    public let handle: Handle
    /// Its new value.
    public let value: [UInt8]
    /// The Authentication Signature, twelve octets.
    public let signature: [UInt8]

    /// A command to write this value; `nil` unless the signature has twelve octets.
    public init?(handle: Handle, value: [UInt8], signature: [UInt8]) {
        guard signature.count == Self.signatureLength else { return nil }
        self.handle = handle
        self.value = value
        self.signature = signature
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        handle = try Handle(from: &reader)
        // If the PDU is too short, the signature fails to decode, and the error names it.
        value = try reader.bytes(max(0, reader.remaining - Self.signatureLength), "attribute value")
        signature = try reader.bytes(Self.signatureLength, "authentication signature")
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.append(handle)
        writer.append(value)
        writer.append(signature)
    }

    public var parametersText: String { "\(handle) \(ATTText.value(value)) signature \(Hex.string(signature))" }
}
