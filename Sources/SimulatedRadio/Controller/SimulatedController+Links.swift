// SPDX-License-Identifier: MIT

import Bluetooth

extension SimulatedController {
    /// The data about a link that commands ask for.
    struct LinkInfo: Sendable {
        /// The current signal strength of the device, in dBm.
        var rssi: Int8
        /// The PHY in both directions.
        var phy: LEPHY
    }

    /// The reasons with which a host may end a link.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.1.6
    private static let reasons: Set<HCIStatus> = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionLowResources,
        .remoteDeviceTerminatedConnectionPowerOff, .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported,
        .unacceptableConnectionParameters,
    ]

    /// Performs commands about one link; `nil` for other commands.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.1.6, 7.5.4, 7.8.18 to 7.8.21, 7.8.33, 7.8.47 and 7.8.49
    func perform(_ command: any HCICommand, link: (ConnectionHandle) -> LinkInfo?) -> [Action]? {
        switch command {
        case let command as HCIReadRSSI:
            guard let info = link(command.connection) else { return noSuchLink(HCIReadRSSI.opcode) }
            return [complete(HCIReadRSSI.self, .init(command.connection, rssi: info.rssi))]
        case let command as HCIReadTransmitPowerLevel:
            guard link(command.connection) != nil else { return noSuchLink(HCIReadTransmitPowerLevel.opcode) }
            return [complete(HCIReadTransmitPowerLevel.self, .init(command.connection, power: Self.txPower))]
        case let command as LEReadChannelMap:
            guard link(command.connection) != nil else { return noSuchLink(LEReadChannelMap.opcode) }
            // All 37 data channels, because nothing in the simulated air disturbs a single channel.
            let all = LEChannelMap(rawValue: 0x1F_FFFF_FFFF)
            return [complete(LEReadChannelMap.self, .init(command.connection, channels: all))]
        case let command as HCIDisconnect:
            guard Self.reasons.contains(command.reason) else {
                return refuse(HCIDisconnect.opcode, .invalidHCICommandParameters)
            }
            return start(.disconnect(command.reason), command, of: command.connection, link)
        case let command as HCIReadRemoteVersionInformation:
            return start(.readVersion, command, of: command.connection, link)
        case let command as LEReadRemoteFeatures:
            return start(.readFeatures, command, of: command.connection, link)
        case let command as LEConnectionUpdate:
            guard command.parameters.isValid else {
                return refuse(LEConnectionUpdate.opcode, .invalidHCICommandParameters)
            }
            return start(.update(command.parameters), command, of: command.connection, link)
        case let command as LEReadPHY:
            guard let info = link(command.connection) else { return noSuchLink(LEReadPHY.opcode) }
            return [complete(LEReadPHY.self, .init(command.connection, transmit: info.phy, receive: info.phy))]
        case let command as LESetPHY:
            guard command.preference.isSupported(by: profile.leFeatures) else {
                return refuse(LESetPHY.opcode, .unsupportedFeatureOrParameterValue)
            }
            return start(.setPHY(command.preference), command, of: command.connection, link)
        case let command as LESetDataLength:
            guard link(command.connection) != nil else { return noSuchLink(LESetDataLength.opcode) }
            guard 27...251 ~= command.transmit.octets else {
                return refuse(LESetDataLength.opcode, .invalidHCICommandParameters)
            }
            return [
                complete(LESetDataLength.self, .init(command.connection)),
                .link(command.connection, .setDataLength(command.transmit.octets)),
            ]
        default:
            return nil
        }
    }

    /// Accepts a command whose result a later event reports.
    private func start<Command: HCICommand>(
        _ procedure: LinkProcedure,
        _ command: Command,
        of connection: ConnectionHandle,
        _ link: (ConnectionHandle) -> LinkInfo?
    ) -> [Action] {
        guard link(connection) != nil else { return noSuchLink(Command.opcode) }
        return [
            .event(CommandStatusEvent(Command.opcode, status: .success).packet),
            .link(connection, procedure),
        ]
    }

    /// The answer to a command about a link that does not exist.
    private func noSuchLink(_ opcode: HCIOpcode) -> [Action] { refuse(opcode, .unknownConnectionIdentifier) }
}

extension LEConnectionParameters {
    /// Whether the parameters lie in their ranges, and the supervision timeout is longer than two of the longest
    /// silences that the latency allows: with a shorter one a peripheral that uses its latency would lose the link.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.18
    fileprivate var isValid: Bool {
        let range = LEInterval<1250>(rawValue: 0x0006)...LEInterval<1250>(rawValue: 0x0C80)
        let silence = maximumInterval.duration * (Int(latency) + 1) * 2
        return range.contains(minimumInterval) && range.contains(maximumInterval)
            && minimumInterval <= maximumInterval && latency <= 499
            && 0x000A...0x0C80 ~= supervisionTimeout.rawValue && supervisionTimeout.duration > silence
    }
}

extension LEPHYPreference {
    /// Whether a controller with those features has a PHY for each direction.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.49
    fileprivate func isSupported(by features: LEFeatures) -> Bool {
        // LE 1M has no feature bit, because every controller has it.
        var own: LEPHYSet = .le1M
        if features.contains(.le2MPHY) { own.insert(.le2M) }
        if features.contains(.codedPHY) { own.insert(.coded) }
        return [transmit, receive].allSatisfy { $0 == nil || $0?.isDisjoint(with: own) == false }
    }
}
