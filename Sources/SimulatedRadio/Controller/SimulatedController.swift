// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The command side of a controller: command packets in, answers and orders to the radio out.
///
/// A pure machine. It takes the very packets that the kernel would hand to a real controller, and refuses what a real one
/// refuses: unknown commands, malformed or contradictory parameters, legacy commands after extended ones.
///
/// Spec: Core 5.4, Vol 4, Part E, 7
struct SimulatedController: Sendable {
    /// What is to be done after a command.
    enum Action: Sendable {
        /// An event for the host.
        case event(HCIEventPacket)
        /// Begin to listen, or listen in another way from now on.
        case startScanning(Scanner, until: Instant?)
        /// Listen no more.
        case stopScanning
        /// Do something with a link that there is; an event tells when it is done.
        case link(ConnectionHandle, LinkProcedure)
        /// What is advertised has changed.
        case advertisingChanged
        /// End all links at once.
        case reset
    }

    /// What a command wants of a link and the device at its other end.
    enum LinkProcedure: Hashable, Sendable {
        case disconnect
        case readVersion
        case readFeatures
        case setPHY(LEPHYPreference)
        case setDataLength(UInt16)
        case update(LEConnectionParameters)
    }

    /// Which of the two families of advertising and scanning commands the host has used since the last reset; the other
    /// one is disallowed.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 3.1.1
    enum CommandFamily: Sendable {
        case legacy
        case extended
    }

    let profile: ControllerProfile
    var family: CommandFamily?
    var scan = ScanState()
    var advertising = AdvertisingState()
    var randomAddress: BluetoothAddress?
    var acceptList: [DeviceAddress] = []

    private let knownOpcodes: Set<HCIOpcode>

    init(_ profile: ControllerProfile) {
        self.profile = profile
        knownOpcodes = Set(Self.commands(of: profile).map { $0.opcode })
    }

    /// A packet from the host. What is no command is ignored, as a controller without such a link would.
    mutating func received(
        _ bytes: [UInt8],
        now: Instant,
        link: (ConnectionHandle) -> LinkInfo?
    ) -> [Action] {
        guard case .command(let packet)? = try? HCIPacket(decoding: bytes) else { return [] }
        do {
            guard
                knownOpcodes.contains(packet.opcode),
                let command = try HCICommandCatalog.command(in: packet)
            else { return refuse(packet.opcode, .unknownHCICommand) }
            return carryOut(command, now: now, link: link)
        } catch {
            return refuse(packet.opcode, .invalidHCICommandParameters)
        }
    }

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

    // MARK: - Answers

    /// Command Complete with what the command returns.
    func complete<Command: HCICommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) -> Action {
        .event(CommandCompleteEvent(command, returned).packet)
    }

    /// Command Complete of a command that returns nothing but its status.
    func complete<Command: HCICommand>(_ command: Command) -> Action
    where Command.ReturnParameters == HCINoReturnParameters {
        complete(Command.self, HCINoReturnParameters())
    }

    /// The answer to a command that failed, in the event that the command is answered by.
    func refuse(_ opcode: HCIOpcode, _ status: HCIStatus) -> [Action] {
        switch HCICommandCatalog.type(of: opcode)?.completion {
        case .commandComplete: [.event(CommandCompleteEvent(opcode, failed: status).packet)]
        case .commandStatus, nil: [.event(CommandStatusEvent(opcode, status: status).packet)]
        }
    }

    /// Notes which family the host uses; the refusal where it may not use that one.
    mutating func use(_ wanted: CommandFamily, for opcode: HCIOpcode) -> [Action]? {
        if let family, family != wanted { return refuse(opcode, .commandDisallowed) }
        family = wanted
        return nil
    }
}
