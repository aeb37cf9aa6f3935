// SPDX-License-Identifier: MIT

/// The parameters of one kind of event. They are decoded when received, and encoded by a simulated controller.
///
/// Code, name and parameters of an event are declared together in one file under `Events/`.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package protocol HCIEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The event's code.
    static var code: HCIEventCode { get }
    /// The event's name as the specification writes it, without `HCI_` and underscores.
    static var name: String { get }
    /// A short description of the parameters for a trace; may be empty.
    var details: String { get }
}

/// The parameters of an LE Meta event, without the subevent code.
package protocol LEEventParameters: HCIEventParameters {
    /// The LE event's code.
    static var subevent: LESubeventCode { get }
}

extension LEEventParameters {
    /// All LE events share one event code.
    package static var code: HCIEventCode { .leMeta }
}

extension HCIEventParameters {
    /// Name and parameters on one line.
    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    /// The event as a packet.
    package var packet: HCIEventPacket {
        var writer = ByteWriter()
        // All LE events share one code, so the parameters begin with the subevent code.
        if let type = Self.self as? any LEEventParameters.Type { writer.uint8(type.subevent.rawValue) }
        encode(into: &writer)
        return HCIEventPacket(Self.code, parameters: writer.bytes)
    }
}

/// An event from the controller, decoded.
///
/// Octets after the known parameters are ignored, because later specifications append parameters to events. An unknown
/// event is kept unchanged.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package enum HCIEvent: Hashable, Sendable {
    /// A connection has ended.
    case disconnectionComplete(DisconnectionCompleteEvent)
    /// Encryption was switched on or off, or the attempt has failed.
    case encryptionChange(EncryptionChangeEvent)
    /// The peer has reported its version.
    case readRemoteVersionInformationComplete(ReadRemoteVersionInformationCompleteEvent)
    /// A command has completed.
    case commandComplete(CommandCompleteEvent)
    /// A command was accepted or refused.
    case commandStatus(CommandStatusEvent)
    /// The controller has failed.
    case hardwareError(HardwareErrorEvent)
    /// Data packets were sent.
    case numberOfCompletedPackets(NumberOfCompletedPacketsEvent)
    /// An encryption key was renewed.
    case encryptionKeyRefreshComplete(EncryptionKeyRefreshCompleteEvent)
    /// A connection was made, or the attempt has failed.
    case leConnectionComplete(LEConnectionCompleteEvent)
    /// Legacy advertisements were received.
    case leAdvertisingReport(LEAdvertisingReportEvent)
    /// Connection parameters have changed, or the attempt has failed.
    case leConnectionUpdateComplete(LEConnectionUpdateCompleteEvent)
    /// The peer has reported its LE features.
    case leReadRemoteFeaturesComplete(LEReadRemoteFeaturesCompleteEvent)
    /// The controller requests a key.
    case leLongTermKeyRequest(LELongTermKeyRequestEvent)
    /// The peer requests other connection parameters.
    case leRemoteConnectionParameterRequest(LERemoteConnectionParameterRequestEvent)
    /// The packet limits of a connection have changed.
    case leDataLengthChange(LEDataLengthChangeEvent)
    /// A connection was made, or the attempt has failed; with the private addresses.
    case leEnhancedConnectionComplete(LEEnhancedConnectionCompleteEvent)
    /// Directed advertisements were received.
    case leDirectedAdvertisingReport(LEDirectedAdvertisingReportEvent)
    /// The PHY of a connection has changed, or the attempt has failed.
    case lePHYUpdateComplete(LEPHYUpdateCompleteEvent)
    /// Advertisements of either kind were received.
    case leExtendedAdvertisingReport(LEExtendedAdvertisingReportEvent)
    /// The duration of a scan has passed.
    case leScanTimeout(LEScanTimeoutEvent)
    /// An advertising set has ended.
    case leAdvertisingSetTerminated(LEAdvertisingSetTerminatedEvent)
    /// A scanner has requested a scan response.
    case leScanRequestReceived(LEScanRequestReceivedEvent)
    /// The channel selection algorithm of a connection.
    case leChannelSelectionAlgorithm(LEChannelSelectionAlgorithmEvent)
    /// Another event, not decoded.
    case unknown(HCIEventPacket)

    /// Decodes a packet's parameters; throws if those of a known event are malformed.
    package init(_ packet: HCIEventPacket) throws(DecodeError) {
        var reader = ByteReader(packet.parameters)
        switch packet.code {
        case .disconnectionComplete: self = .disconnectionComplete(try DisconnectionCompleteEvent(from: &reader))
        case .encryptionChange: self = .encryptionChange(try EncryptionChangeEvent(from: &reader))
        case .readRemoteVersionInformationComplete:
            self = .readRemoteVersionInformationComplete(try ReadRemoteVersionInformationCompleteEvent(from: &reader))
        case .commandComplete: self = .commandComplete(try CommandCompleteEvent(from: &reader))
        case .commandStatus: self = .commandStatus(try CommandStatusEvent(from: &reader))
        case .hardwareError: self = .hardwareError(try HardwareErrorEvent(from: &reader))
        case .numberOfCompletedPackets:
            self = .numberOfCompletedPackets(try NumberOfCompletedPacketsEvent(from: &reader))
        case .encryptionKeyRefreshComplete:
            self = .encryptionKeyRefreshComplete(try EncryptionKeyRefreshCompleteEvent(from: &reader))
        case .leMeta: self = try Self.leEvent(from: &reader) ?? .unknown(packet)
        default: self = .unknown(packet)
        }
    }

    private static func leEvent(from reader: inout ByteReader) throws(DecodeError) -> HCIEvent? {
        switch LESubeventCode(rawValue: try reader.uint8("Subevent_Code")) {
        case .connectionComplete: .leConnectionComplete(try LEConnectionCompleteEvent(from: &reader))
        case .advertisingReport: .leAdvertisingReport(try LEAdvertisingReportEvent(from: &reader))
        case .connectionUpdateComplete: .leConnectionUpdateComplete(try LEConnectionUpdateCompleteEvent(from: &reader))
        case .readRemoteFeaturesComplete:
            .leReadRemoteFeaturesComplete(try LEReadRemoteFeaturesCompleteEvent(from: &reader))
        case .longTermKeyRequest: .leLongTermKeyRequest(try LELongTermKeyRequestEvent(from: &reader))
        case .remoteConnectionParameterRequest:
            .leRemoteConnectionParameterRequest(try LERemoteConnectionParameterRequestEvent(from: &reader))
        case .dataLengthChange: .leDataLengthChange(try LEDataLengthChangeEvent(from: &reader))
        case .enhancedConnectionComplete:
            .leEnhancedConnectionComplete(try LEEnhancedConnectionCompleteEvent(from: &reader))
        case .directedAdvertisingReport:
            .leDirectedAdvertisingReport(try LEDirectedAdvertisingReportEvent(from: &reader))
        case .phyUpdateComplete: .lePHYUpdateComplete(try LEPHYUpdateCompleteEvent(from: &reader))
        case .extendedAdvertisingReport:
            .leExtendedAdvertisingReport(try LEExtendedAdvertisingReportEvent(from: &reader))
        case .scanTimeout: .leScanTimeout(try LEScanTimeoutEvent(from: &reader))
        case .advertisingSetTerminated: .leAdvertisingSetTerminated(try LEAdvertisingSetTerminatedEvent(from: &reader))
        case .scanRequestReceived: .leScanRequestReceived(try LEScanRequestReceivedEvent(from: &reader))
        case .channelSelectionAlgorithm:
            .leChannelSelectionAlgorithm(try LEChannelSelectionAlgorithmEvent(from: &reader))
        default: nil
        }
    }

    /// The event's parameters; `nil` for an unknown event.
    package var parameters: (any HCIEventParameters)? { visit(known: { $0 }, unknown: { _ in nil }) }

    /// The event as a packet.
    package var packet: HCIEventPacket { visit(known: { $0.packet }, unknown: { $0 }) }

    private func visit<Result>(
        known: (any HCIEventParameters) -> Result,
        unknown: (HCIEventPacket) -> Result
    ) -> Result {
        switch self {
        case .disconnectionComplete(let event): known(event)
        case .encryptionChange(let event): known(event)
        case .readRemoteVersionInformationComplete(let event): known(event)
        case .commandComplete(let event): known(event)
        case .commandStatus(let event): known(event)
        case .hardwareError(let event): known(event)
        case .numberOfCompletedPackets(let event): known(event)
        case .encryptionKeyRefreshComplete(let event): known(event)
        case .leConnectionComplete(let event): known(event)
        case .leAdvertisingReport(let event): known(event)
        case .leConnectionUpdateComplete(let event): known(event)
        case .leReadRemoteFeaturesComplete(let event): known(event)
        case .leLongTermKeyRequest(let event): known(event)
        case .leRemoteConnectionParameterRequest(let event): known(event)
        case .leDataLengthChange(let event): known(event)
        case .leEnhancedConnectionComplete(let event): known(event)
        case .leDirectedAdvertisingReport(let event): known(event)
        case .lePHYUpdateComplete(let event): known(event)
        case .leExtendedAdvertisingReport(let event): known(event)
        case .leScanTimeout(let event): known(event)
        case .leAdvertisingSetTerminated(let event): known(event)
        case .leScanRequestReceived(let event): known(event)
        case .leChannelSelectionAlgorithm(let event): known(event)
        case .unknown(let packet): unknown(packet)
        }
    }
}

extension HCIEvent: CustomStringConvertible {
    /// The event on one line; hexadecimal if it is unknown, without secrets.
    package var description: String {
        visit(
            known: { $0.description },
            unknown: { "event 0x\(Hex.string($0.code.rawValue, minimumDigits: 2)): \(HCISecrets.text(of: $0))" }
        )
    }
}

extension HCIEventPacket: CustomStringConvertible {
    /// The event on one line; hexadecimal if it is unknown or malformed, without secrets.
    package var description: String {
        do {
            return try HCIEvent(self).description
        } catch {
            let code = Hex.string(code.rawValue, minimumDigits: 2)
            return "event 0x\(code): malformed (\(error)): \(HCISecrets.text(of: self))"
        }
    }
}
