// SPDX-License-Identifier: MIT

/// An event from the controller, decoded.
///
/// Octets after the known parameters are ignored, because later specifications append parameters to events. An unknown
/// event is kept unchanged.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package enum HCIEvent: Sendable {
    /// An event of one of the types below. Its type says what has happened.
    case known(any HCIEventParameters)
    /// Another event, not decoded.
    case unknown(HCIEventPacket)

    /// The types of known events, in the order of their codes.
    private static let types: [any HCIEventParameters.Type] = [
        DisconnectionCompleteEvent.self,
        EncryptionChangeEvent.self,
        ReadRemoteVersionInformationCompleteEvent.self,
        CommandCompleteEvent.self,
        CommandStatusEvent.self,
        HardwareErrorEvent.self,
        NumberOfCompletedPacketsEvent.self,
        EncryptionKeyRefreshCompleteEvent.self,
    ]

    /// The types of known LE events, in the order of their codes.
    private static let leTypes: [any HCIEventParameters.Type] = [
        LEConnectionCompleteEvent.self,
        LEAdvertisingReportEvent.self,
        LEConnectionUpdateCompleteEvent.self,
        LEReadRemoteFeaturesCompleteEvent.self,
        LELongTermKeyRequestEvent.self,
        LERemoteConnectionParameterRequestEvent.self,
        LEDataLengthChangeEvent.self,
        LEEnhancedConnectionCompleteEvent.self,
        LEDirectedAdvertisingReportEvent.self,
        LEPHYUpdateCompleteEvent.self,
        LEExtendedAdvertisingReportEvent.self,
        LEScanTimeoutEvent.self,
        LEAdvertisingSetTerminatedEvent.self,
        LEScanRequestReceivedEvent.self,
        LEChannelSelectionAlgorithmEvent.self,
        LESubrateChangeEvent.self,
    ]

    private static let byCode = types.reduce(into: [:]) { $0[$1.form.code] = $1 }
    private static let bySubevent = leTypes.reduce(into: [:]) { $0[$1.form.subevent] = $1 }

    /// Decodes a packet's parameters; throws if those of a known event are malformed.
    package init(_ packet: HCIEventPacket) throws(DecodeError) {
        var reader = ByteReader(packet.parameters)
        let type: (any HCIEventParameters.Type)? =
            packet.code == .leMeta
            ? Self.bySubevent[try reader.uint8("Subevent_Code")] : Self.byCode[packet.code]
        guard let type else {
            self = .unknown(packet)
            return
        }
        self = .known(try type.init(from: &reader))
    }

    /// The event's parameters; `nil` for an unknown event.
    package var parameters: (any HCIEventParameters)? {
        if case .known(let event) = self { event } else { nil }
    }

    package var packet: HCIEventPacket {
        switch self {
        case .known(let event): event.packet
        case .unknown(let packet): packet
        }
    }
}

extension HCIEvent: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.known(let left), .known(let right)): AnyHashable(left) == AnyHashable(right)
        case (.unknown(let left), .unknown(let right)): left == right
        case (.known, .unknown), (.unknown, .known): false
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(packet) }
}

extension HCIEvent: CustomStringConvertible {
    /// The event on one line; hexadecimal if it is unknown, without secrets.
    package var description: String {
        switch self {
        case .known(let event): event.description
        case .unknown(let packet):
            "event 0x\(Hex.string(packet.code.rawValue, minimumDigits: 2)): \(HCISecrets.text(of: packet))"
        }
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
