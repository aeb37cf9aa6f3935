// SPDX-License-Identifier: MIT

import Bluetooth

/// The command side of a controller. Command packets go in; events and actions for the radio come out.
///
/// A pure state machine. It takes the same packets as a real controller, and refuses the same ones: unknown commands,
/// malformed or contradictory parameters, legacy commands after extended ones.
///
/// Spec: Core 5.4, Vol 4, Part E, 7
struct SimulatedController: Sendable {
    enum Action: Sendable {
        case event(HCIEventPacket)
        /// Start to listen, or continue with other parameters.
        case startScanning(Scanner, until: Instant?)
        case stopScanning
        /// Start a procedure on an existing link; an event reports its end.
        case link(ConnectionHandle, LinkProcedure)
        /// Sets were switched on or off.
        case advertisingChanged
        case advertisingDataChanged
        /// End all links at once, and report nothing of them.
        case reset
    }

    /// A procedure on a link, which involves the device at the other end.
    enum LinkProcedure: Hashable, Sendable {
        /// Ends the link with that reason for the peer.
        case disconnect(HCIStatus)
        /// Asks the peer for its version.
        case readVersion
        /// Asks the peer for its LE features.
        case readFeatures
        /// Changes the PHY to one that both support.
        case setPHY(LEPHYPreference)
        /// Changes the payload of the host's packets, in octets.
        case setDataLength(UInt16)
        case update(LEConnectionParameters)
    }

    /// The family of advertising and scanning commands that the host has used since the last reset. Commands of the
    /// other family are then disallowed.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 3.1.1
    enum CommandFamily: Sendable {
        /// The commands of Bluetooth 4.0.
        case legacy
        /// The commands of Bluetooth 5.0.
        case extended
    }

    /// The version and the features, which decide which commands there are.
    let profile: ControllerProfile
    /// The family that the host has used; `nil` after a reset.
    var family: CommandFamily?
    var scan = ScanState()
    var advertising = AdvertisingState()
    /// The random address for scans and legacy advertising; `nil` until it is set.
    var randomAddress: BluetoothAddress?
    var acceptList: [DeviceAddress] = []

    /// The commands that the profile has.
    private let knownOpcodes: Set<HCIOpcode>

    /// A controller after a reset.
    init(_ profile: ControllerProfile) {
        self.profile = profile
        knownOpcodes = Set(Self.commands(of: profile).map { $0.opcode })
    }

    /// Receives a packet from the host. Ignores packets that are not commands, because this controller carries no data
    /// packets.
    mutating func received(
        _ bytes: [UInt8],
        now: Instant,
        link: (ConnectionHandle) -> LinkInfo?
    ) -> [Action] {
        guard case .command(let packet)? = try? HCIPacket(decoding: bytes) else { return [] }
        do {
            guard
                // Before the parameters are decoded: an unsupported command is unknown even if it is malformed.
                knownOpcodes.contains(packet.opcode),
                let command = try HCICommandCatalog.command(in: packet)
            else { return refuse(packet.opcode, .unknownHCICommand) }
            return carryOut(command, now: now, link: link)
        } catch {
            return refuse(packet.opcode, .invalidHCICommandParameters)
        }
    }

    /// Carries out a command. A supported command without a handler is refused as unknown.
    private mutating func carryOut(
        _ command: any HCICommand,
        now: Instant,
        link: (ConnectionHandle) -> LinkInfo?
    ) -> [Action] {
        switch command {
        case let command as LESetScanParameters: set(command)
        case let command as LESetScanEnable: enable(command, now: now)
        case let command as LESetExtendedScanParameters: set(command)
        case let command as LESetExtendedScanEnable: enable(command, now: now)
        default:
            configure(command) ?? inform(command) ?? advertise(command) ?? perform(command, link: link)
                ?? refuse(type(of: command).opcode, .unknownHCICommand)
        }
    }

    func complete<Command: HCICommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) -> Action {
        .event(CommandCompleteEvent(command, returned).packet)
    }

    /// The Command Complete event of a command that returns its status only.
    func complete<Command: HCICommand>(_ command: Command) -> Action
    where Command.ReturnParameters == HCINoReturnParameters {
        complete(Command.self, HCINoReturnParameters())
    }

    /// The answer to a command that failed, in the kind of event that answers the command.
    func refuse(_ opcode: HCIOpcode, _ status: HCIStatus) -> [Action] {
        switch HCICommandCatalog.type(of: opcode)?.completion {
        case .commandComplete: [.event(CommandCompleteEvent(opcode, failed: status).packet)]
        case .commandStatus, nil: [.event(CommandStatusEvent(opcode, status: status).packet)]
        }
    }

    /// Records the family that the host uses. Returns the refusal if it has used the other family before.
    mutating func use(_ wanted: CommandFamily, for opcode: HCIOpcode) -> [Action]? {
        if let family, family != wanted { return refuse(opcode, .commandDisallowed) }
        family = wanted
        return nil
    }
}
