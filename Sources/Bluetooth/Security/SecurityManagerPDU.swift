// SPDX-License-Identifier: MIT

/// A PDU of the Security Manager, as far as an observer of a pairing needs it: its progress and its failure. The
/// kernel sends and answers them; keys and random numbers in them are not kept.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.3
public enum SecurityManagerPDU: Hashable, Sendable {
    /// The initiator begins a pairing.
    case pairingRequest(PairingFeatures)
    /// The responder agrees to pair.
    case pairingResponse(PairingFeatures)
    /// A device ends the pairing.
    case pairingFailed(PairingFailure)
    /// The peripheral asks the central to encrypt the link, or to pair.
    case securityRequest(AuthenticationRequirements)
    /// Another PDU with that code. Its octets are not kept, because they may be secret.
    case other(code: UInt8)

    /// The channel identifier of the Security Manager on LE links.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 2.1
    public static let channel: UInt16 = 0x0006
}

extension SecurityManagerPDU: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        switch try reader.uint8("code") {
        case 0x01: self = .pairingRequest(try PairingFeatures(from: &reader))
        case 0x02: self = .pairingResponse(try PairingFeatures(from: &reader))
        case 0x05: self = .pairingFailed(PairingFailure(rawValue: try reader.uint8("reason")))
        case 0x0B:
            let requirements = try reader.uint8("authentication requirements")
            self = .securityRequest(AuthenticationRequirements(rawValue: requirements))
        case let code:
            _ = reader.rest()
            self = .other(code: code)
        }
    }

    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .pairingRequest(let features):
            writer.uint8(0x01)
            writer.append(features)
        case .pairingResponse(let features):
            writer.uint8(0x02)
            writer.append(features)
        case .pairingFailed(let failure):
            writer.uint8(0x05)
            writer.uint8(failure.rawValue)
        case .securityRequest(let requirements):
            writer.uint8(0x0B)
            writer.uint8(requirements.rawValue)
        case .other(let code):
            writer.uint8(code)
        }
    }
}
