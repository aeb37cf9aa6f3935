// SPDX-License-Identifier: MIT

/// The request for a credit-based channel.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.22
public struct LECreditBasedConnectionRequest: Hashable, Sendable {
    /// The service.
    public var spsm: SPSM
    /// The number of the channel at the side that asks.
    public var source: L2CAPChannelID
    /// The limits of the side that requests the channel.
    public var limits: CreditBasedLimits
    /// The number of frames that the other side may send at first.
    public var initialCredits: UInt16

    /// Creates a request.
    public init(spsm: SPSM, source: L2CAPChannelID, limits: CreditBasedLimits, initialCredits: UInt16) {
        self.spsm = spsm
        self.source = source
        self.limits = limits
        self.initialCredits = initialCredits
    }
}

/// The answer to the request for a credit-based channel.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.23
public struct LECreditBasedConnectionResponse: Hashable, Sendable {
    /// The number of the channel at the side that answers; 0 if it refuses.
    public var destination: L2CAPChannelID
    /// The limits of the side that responds.
    public var limits: CreditBasedLimits
    /// The number of frames that the side that asked may send at first.
    public var initialCredits: UInt16
    /// Whether the channel is open.
    public var result: LECreditBasedConnectionResult

    /// Creates an answer.
    public init(
        destination: L2CAPChannelID,
        limits: CreditBasedLimits,
        initialCredits: UInt16,
        result: LECreditBasedConnectionResult
    ) {
        self.destination = destination
        self.limits = limits
        self.initialCredits = initialCredits
        self.result = result
    }

    /// A refusal, in which all other fields are zero.
    public static func refusal(_ result: LECreditBasedConnectionResult) -> Self {
        let limits = CreditBasedLimits(mtu: 0, mps: 0)
        return Self(destination: L2CAPChannelID(rawValue: 0), limits: limits, initialCredits: 0, result: result)
    }
}

/// The reason why a device does not carry out a signal.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.1
public enum L2CAPRejection: Hashable, Sendable {
    /// 0x0000: the code is unknown, or the fields are not those of the code.
    case notUnderstood
    /// 0x0001: the frame is longer than the largest that is accepted, in octets.
    case signalingMTUExceeded(UInt16)
    /// 0x0002: there is no such channel.
    case invalidCID(local: L2CAPChannelID, remote: L2CAPChannelID)
    /// Another reason.
    case other(UInt16)
}

/// A signal of L2CAP on an LE link, as far as credit-based channels need it.
///
/// Spec: Core 5.4, Vol 3, Part A, 4
public enum L2CAPSignal: Hashable, Sendable {
    /// L2CAP_COMMAND_REJECT_RSP (4.1).
    case commandReject(L2CAPRejection)
    /// L2CAP_DISCONNECTION_REQ (4.6): the numbers of the channel at the receiver and at the sender.
    case disconnectionRequest(destination: L2CAPChannelID, source: L2CAPChannelID)
    /// L2CAP_DISCONNECTION_RSP (4.7): the numbers of the request, unchanged.
    case disconnectionResponse(destination: L2CAPChannelID, source: L2CAPChannelID)
    /// L2CAP_LE_CREDIT_BASED_CONNECTION_REQ (4.22).
    case connectionRequest(LECreditBasedConnectionRequest)
    /// L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (4.23).
    case connectionResponse(LECreditBasedConnectionResponse)
    /// L2CAP_FLOW_CONTROL_CREDIT_IND (4.24): the number of the channel at the sender, and the frames that the receiver
    /// may send in addition.
    case flowControlCredit(L2CAPChannelID, credits: UInt16)
    /// A signal of another kind.
    case other(code: UInt8, data: [UInt8])

    /// The code on the wire.
    public var code: UInt8 {
        switch self {
        case .commandReject: 0x01
        case .disconnectionRequest: 0x06
        case .disconnectionResponse: 0x07
        case .connectionRequest: 0x14
        case .connectionResponse: 0x15
        case .flowControlCredit: 0x16
        case .other(let code, _): code
        }
    }

    /// Whether the signal answers another one, and is never answered.
    public var isResponse: Bool {
        switch self {
        case .commandReject, .disconnectionResponse, .connectionResponse: true
        case .disconnectionRequest, .connectionRequest, .flowControlCredit: false
        // The other responses on LE links: parameter update, and enhanced connection and reconfiguration.
        case .other(let code, _): code == 0x13 || code == 0x18 || code == 0x1A
        }
    }
}

/// A C-frame's content on an LE link, where it is exactly one signal.
///
/// Spec: Core 5.4, Vol 3, Part A, 4
public struct L2CAPCommand: Hashable, Sendable {
    /// The number that connects a response to its request, not 0.
    public var identifier: UInt8
    /// The signal.
    public var signal: L2CAPSignal

    /// The number of octets before the fields of a signal.
    public static let headerLength = 4
    /// The longest content that every device accepts on an LE link, in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4
    public static let minimumMTU = 23

    /// Creates a command.
    public init(_ identifier: UInt8, _ signal: L2CAPSignal) {
        self.identifier = identifier
        self.signal = signal
    }
}

extension L2CAPCommand: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let code = try reader.uint8("Code")
        identifier = try reader.uint8("Identifier")
        // An identifier of 0 is invalid. Spec: Core 5.4, Vol 3, Part A, 4
        guard identifier != 0 else { throw DecodeError("Identifier", .invalid(value: 0)) }
        let length = Int(try reader.uint16("Data Length"))
        var data = try reader.slice(length, "Data")
        signal = try L2CAPSignal(code, &data)
        try data.expectEnd("Data")
    }

    public func encode(into writer: inout ByteWriter) {
        var data = ByteWriter()
        signal.encodeData(into: &data)
        writer.uint8(signal.code)
        writer.uint8(identifier)
        writer.uint16(UInt16(clamping: data.bytes.count))
        writer.append(data.bytes)
    }
}

extension L2CAPSignal {
    fileprivate init(_ code: UInt8, _ reader: inout ByteReader) throws(DecodeError) {
        switch code {
        case 0x01: self = .commandReject(try L2CAPRejection(from: &reader))
        case 0x06:
            let destination = try reader.channelID("Destination CID")
            self = .disconnectionRequest(destination: destination, source: try reader.channelID("Source CID"))
        case 0x07:
            let destination = try reader.channelID("Destination CID")
            self = .disconnectionResponse(destination: destination, source: try reader.channelID("Source CID"))
        case 0x14:
            let spsm = SPSM(try reader.uint16("SPSM"))
            let source = try reader.channelID("Source CID")
            let limits = try CreditBasedLimits(from: &reader)
            let credits = try reader.uint16("Initial Credits")
            self = .connectionRequest(.init(spsm: spsm, source: source, limits: limits, initialCredits: credits))
        case 0x15:
            let destination = try reader.channelID("Destination CID")
            let limits = try CreditBasedLimits(from: &reader)
            let credits = try reader.uint16("Initial Credits")
            let result = LECreditBasedConnectionResult(try reader.uint16("Result"))
            self = .connectionResponse(
                .init(destination: destination, limits: limits, initialCredits: credits, result: result)
            )
        case 0x16:
            let channel = try reader.channelID("CID")
            self = .flowControlCredit(channel, credits: try reader.uint16("Credits"))
        default: self = .other(code: code, data: reader.rest())
        }
    }

    fileprivate func encodeData(into writer: inout ByteWriter) {
        switch self {
        case .commandReject(let rejection): rejection.encode(into: &writer)
        case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
            writer.uint16(destination.rawValue)
            writer.uint16(source.rawValue)
        case .connectionRequest(let request):
            writer.uint16(request.spsm.rawValue)
            writer.uint16(request.source.rawValue)
            request.limits.encode(into: &writer)
            writer.uint16(request.initialCredits)
        case .connectionResponse(let response):
            writer.uint16(response.destination.rawValue)
            response.limits.encode(into: &writer)
            writer.uint16(response.initialCredits)
            writer.uint16(response.result.rawValue)
        case .flowControlCredit(let channel, let credits):
            writer.uint16(channel.rawValue)
            writer.uint16(credits)
        case .other(_, let data): writer.append(data)
        }
    }
}

extension L2CAPRejection {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let reason = try reader.uint16("Reason")
        switch reason {
        case 0x0000: self = .notUnderstood
        case 0x0001: self = .signalingMTUExceeded(try reader.uint16("Actual MTUsig"))
        case 0x0002:
            let local = try reader.channelID("Local CID")
            self = .invalidCID(local: local, remote: try reader.channelID("Remote CID"))
        default:
            self = .other(reason)
            // The data of an unknown reason have no known form.
            _ = reader.rest()
        }
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .notUnderstood: writer.uint16(0x0000)
        case .signalingMTUExceeded(let mtu):
            writer.uint16(0x0001)
            writer.uint16(mtu)
        case .invalidCID(let local, let remote):
            writer.uint16(0x0002)
            writer.uint16(local.rawValue)
            writer.uint16(remote.rawValue)
        case .other(let reason): writer.uint16(reason)
        }
    }
}

extension CreditBasedLimits {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let mtu = try reader.uint16("MTU")
        self.init(mtu: mtu, mps: try reader.uint16("MPS"))
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint16(mtu)
        writer.uint16(mps)
    }
}

extension ByteReader {
    package mutating func channelID(_ field: String) throws(DecodeError) -> L2CAPChannelID {
        L2CAPChannelID(rawValue: try uint16(field))
    }
}
