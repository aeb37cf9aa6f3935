// SPDX-License-Identifier: GPL-2.0-or-later

/// The parameters of one kind of event: readable as received, and writable where the controller is simulated.
///
/// The code, the name and the parameters of an event stand in one declaration, in one file under `Events/`.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
public protocol HCIEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The event's code.
    static var code: HCIEventCode { get }
    /// The event's name as the specification writes it, without `HCI_` and underscores.
    static var name: String { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

/// The parameters of an LE Meta event, without the subevent code.
public protocol LEEventParameters: HCIEventParameters {
    /// Which LE event it is.
    static var subevent: LESubeventCode { get }
}

extension LEEventParameters {
    /// All LE events share one event code.
    public static var code: HCIEventCode { .leMeta }
}

extension HCIEventParameters {
    /// Name and parameters on one line.
    public var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// The event as a packet.
    public var packet: HCIEventPacket {
        var writer = ByteWriter()
        if let type = Self.self as? any LEEventParameters.Type { writer.uint8(type.subevent.rawValue) }
        encode(into: &writer)
        return HCIEventPacket(Self.code, parameters: writer.bytes)
    }
}

/// An event from the controller, decoded.
///
/// Octets behind the known parameters are ignored: later specifications append parameters to events. An event that is not
/// known here is kept as it came.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
public enum HCIEvent: Hashable, Sendable {
    /// A command is done.
    case commandComplete(CommandCompleteEvent)
    /// A command was accepted or refused.
    case commandStatus(CommandStatusEvent)
    /// Legacy advertisements were received.
    case leAdvertisingReport(LEAdvertisingReportEvent)
    /// Advertisements of either kind were received.
    case leExtendedAdvertisingReport(LEExtendedAdvertisingReportEvent)
    /// Another event, as it came.
    case unknown(HCIEventPacket)

    /// Decodes a packet's parameters.
    public init(_ packet: HCIEventPacket) throws(DecodeError) {
        var reader = ByteReader(packet.parameters)
        switch packet.code {
        case .commandComplete: self = .commandComplete(try CommandCompleteEvent(from: &reader))
        case .commandStatus: self = .commandStatus(try CommandStatusEvent(from: &reader))
        case .leMeta: self = try Self.leEvent(from: &reader) ?? .unknown(packet)
        default: self = .unknown(packet)
        }
    }

    private static func leEvent(from reader: inout ByteReader) throws(DecodeError) -> HCIEvent? {
        switch LESubeventCode(rawValue: try reader.uint8("Subevent_Code")) {
        case .advertisingReport: .leAdvertisingReport(try LEAdvertisingReportEvent(from: &reader))
        case .extendedAdvertisingReport:
            .leExtendedAdvertisingReport(try LEExtendedAdvertisingReportEvent(from: &reader))
        default: nil
        }
    }

    /// The event's parameters; `nil` for an unknown event.
    public var parameters: (any HCIEventParameters)? {
        switch self {
        case .commandComplete(let event): event
        case .commandStatus(let event): event
        case .leAdvertisingReport(let event): event
        case .leExtendedAdvertisingReport(let event): event
        case .unknown: nil
        }
    }

    /// The event as a packet.
    public var packet: HCIEventPacket {
        if case .unknown(let packet) = self { return packet }
        return parameters?.packet ?? HCIEventPacket(HCIEventCode(rawValue: 0), parameters: [])
    }
}

extension HCIEvent: CustomStringConvertible {
    /// The event on one line; hexadecimal where it is unknown.
    public var description: String {
        if case .unknown(let packet) = self {
            return "event 0x\(Hex.string(packet.code.rawValue, minimumDigits: 2)): \(Hex.string(packet.parameters))"
        }
        return parameters?.description ?? ""
    }
}

extension HCIEventPacket: CustomStringConvertible {
    /// The event on one line; hexadecimal where it is unknown or malformed.
    public var description: String {
        do {
            return try HCIEvent(self).description
        } catch {
            let code = Hex.string(code.rawValue, minimumDigits: 2)
            return "event 0x\(code): malformed (\(error)): \(Hex.string(parameters))"
        }
    }
}
