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
        /// End a link.
        case disconnect(ConnectionHandle)
    }

    /// What the radio knows of a link when a command asks for it.
    struct LinkInfo: Sendable {
        var rssi: Int8
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
    var randomAddress: BluetoothAddress?
    var acceptList: [DeviceAddress] = []

    init(_ profile: ControllerProfile) { self.profile = profile }

    /// A packet from the host. What is no command is ignored, as a controller without such a link would.
    mutating func received(
        _ bytes: [UInt8],
        now: Instant,
        link: (ConnectionHandle) -> LinkInfo?
    ) -> [Action] {
        guard case .command(let packet)? = try? HCIPacket(decoding: bytes) else { return [] }
        do {
            guard let command = try HCICommandCatalog.command(in: packet) else { return unknown(packet.opcode) }
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
        default: unknown(type(of: command).opcode)
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

    private func unknown(_ opcode: HCIOpcode) -> [Action] { refuse(opcode, .unknownHCICommand) }

    /// Notes which family the host uses; the refusal where it may not use that one.
    mutating func use(_ wanted: CommandFamily, for opcode: HCIOpcode) -> [Action]? {
        if wanted == .extended, !profile.supportsExtendedAdvertising { return unknown(opcode) }
        if let family, family != wanted { return refuse(opcode, .commandDisallowed) }
        family = wanted
        return nil
    }
}
