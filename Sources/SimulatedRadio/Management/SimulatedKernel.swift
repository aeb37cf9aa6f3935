// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The kernel's side of one adapter: whether it is there, what it is set to, and the management packets about that.
///
/// A pure machine. It takes the very packets that Linux would, and refuses what Linux refuses.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst; net/bluetooth/mgmt.c
struct SimulatedKernel: Sendable {
    /// What is to be done after a packet or a change.
    enum Action: Equatable, Sendable {
        /// For the one who sent the command.
        case reply(ManagementPacket)
        /// For everybody else, or for everybody where there was no command.
        case event(ManagementPacket)
        /// The adapter cannot be used any longer, for this reason: links, scans and channels end.
        case end(RadioError.Cause)
    }

    /// How far an adapter has come.
    enum Presence: Hashable, Sendable {
        case absent
        /// Its controller is being set up; the management interface does not know it yet.
        case settingUp
        case present
    }

    /// Something that happens without a command.
    enum Change: Hashable, Sendable {
        case pulledOut
        case pluggedIn
        case setUp
        case powered
    }

    static let index = ManagementIndex(0)

    let profile: ControllerProfile
    /// Whether the program has the capabilities.
    let isAuthorized: Bool
    private(set) var presence: Presence
    private(set) var settings: ManagementSettings
    private(set) var isBlocked: Bool
    /// Set up a moment ago, and nobody has powered it yet.
    private var isJustSetUp = false
    /// What will happen, and when, from the world's beginning.
    let changes: [(after: Duration, change: Change)]

    init(_ profile: ControllerProfile, _ traits: Set<AdapterTrait>) {
        var profile = profile
        // A controller with Basic Rate, too.
        if traits.contains(.lowEnergyOff) { profile.lmpFeatures &= ~(1 << 37) }
        self.profile = profile
        isAuthorized = !traits.contains(.unauthorized)
        isBlocked = traits.contains(.blocked)
        settings = [.powered, .bondable]
        if !traits.contains(.lowEnergyOff) { settings.insert(.lowEnergy) }
        if profile.lmpFeatures >> 37 & 1 == 0 { settings.insert(.basicRate) }
        if traits.contains(.off) || traits.contains(.blocked) { settings.remove(.powered) }
        if traits.contains(.gone) {
            presence = .absent
            changes = []
        } else if traits.contains(.coming) {
            presence = .settingUp
            settings.remove(.powered)
            changes = [(.milliseconds(500), .setUp), (.seconds(1), .powered)]
        } else {
            presence = .present
            changes =
                traits.contains(.returning)
                ? [
                    (.seconds(2), .pulledOut), (.seconds(4), .pluggedIn), (.milliseconds(4_500), .setUp),
                    (.seconds(5), .powered),
                ] : []
        }
    }

    /// What the adapter can be set to.
    private var supported: ManagementSettings {
        profile.lmpFeatures >> 37 & 1 == 1
            ? [.powered, .connectable, .bondable, .lowEnergy, .advertising]
            : [.powered, .connectable, .bondable, .basicRate, .lowEnergy, .advertising]
    }

    /// Whether the adapter can be used; `nil` where there is none.
    var state: AdapterDescription.State? {
        switch presence {
        case .absent: nil
        case .settingUp: .starting(isSetUp: false)
        case .present where settings.contains(.powered): .up
        case .present where isBlocked: .blocked(byHardware: false)
        case .present: isJustSetUp ? .starting(isSetUp: true) : .down
        }
    }

    // MARK: - What happens by itself

    mutating func happen(_ change: Change) -> [Action] {
        switch change {
        case .pulledOut:
            presence = .absent
            settings.remove(.powered)
            return [.end(.adapterRemoved), .event(IndexRemovedEvent().packet(about: Self.index))]
        case .pluggedIn:
            presence = .settingUp
            return []
        case .setUp:
            presence = .present
            isJustSetUp = true
            return [.event(IndexAddedEvent().packet(about: Self.index))]
        case .powered:
            isJustSetUp = false
            settings.insert(.powered)
            return [newSettings]
        }
    }

    // MARK: - Commands

    /// A packet from a program. What is no packet is ignored.
    mutating func received(_ bytes: [UInt8]) -> [Action] {
        guard let packet = try? ManagementPacket(decoding: bytes) else { return [] }
        do throws(DecodeError) {
            guard let command = try ManagementCommandCatalog.command(in: packet) else {
                return refuse(packet, .unknownCommand)
            }
            return carryOut(command, packet)
        } catch {
            return refuse(packet, .invalidParameters)
        }
    }

    private mutating func carryOut(_ command: any ManagementCommand, _ packet: ManagementPacket) -> [Action] {
        let isForKernel = command is ReadManagementVersion || command is ReadControllerIndexList
        guard isForKernel == (packet.adapter == .none), isForKernel || isKnown(packet.adapter) else {
            return refuse(packet, .invalidIndex)
        }
        switch command {
        case is ReadManagementVersion:
            return complete(ReadManagementVersion.self, .init(version: 1, revision: 22), packet)
        case is ReadControllerIndexList:
            return complete(ReadControllerIndexList.self, .init(isKnown(Self.index) ? [Self.index] : []), packet)
        case is ReadControllerInformation:
            return complete(ReadControllerInformation.self, information, packet)
        case let command as SetPowered:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            return setPowered(command, packet)
        case let command as SetLowEnergy:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            return setLowEnergy(command, packet)
        default:
            return refuse(packet, .unknownCommand)
        }
    }

    private func isKnown(_ adapter: ManagementIndex) -> Bool { adapter == Self.index && presence == .present }

    private var information: ReadControllerInformation.ReturnParameters {
        .init(
            address: profile.address,
            version: profile.hciVersion,
            manufacturer: profile.manufacturer,
            supportedSettings: supported,
            currentSettings: settings,
            name: Array("simulated".utf8)
        )
    }

    private mutating func setPowered(_ command: SetPowered, _ packet: ManagementPacket) -> [Action] {
        guard !(command.isOn && isBlocked) else { return refuse(packet, .radioBlocked) }
        isJustSetUp = false
        return set(.powered, command.isOn, SetPowered.self, packet) + (command.isOn ? [] : [.end(.adapterDown)])
    }

    private mutating func setLowEnergy(_ command: SetLowEnergy, _ packet: ManagementPacket) -> [Action] {
        // With Low Energy only there is nothing else that could stay on.
        guard command.isOn || supported.contains(.basicRate) else { return refuse(packet, .rejected) }
        return set(.lowEnergy, command.isOn, SetLowEnergy.self, packet)
    }

    private mutating func set<Command: ManagementSwitchCommand>(
        _ setting: ManagementSettings,
        _ isOn: Bool,
        _ command: Command.Type,
        _ packet: ManagementPacket
    ) -> [Action] {
        let before = settings
        if isOn { settings.insert(setting) } else { settings.remove(setting) }
        return complete(command, settings, packet) + (settings == before ? [] : [newSettings])
    }

    private var newSettings: Action { .event(NewSettingsEvent(settings).packet(about: Self.index)) }

    // MARK: - Answers

    private func complete<Command: ManagementCommand>(
        _ command: Command.Type,
        _ returned: Command.ReturnParameters,
        _ packet: ManagementPacket
    ) -> [Action] {
        [.reply(ManagementCommandCompleteEvent(command, returned).packet(about: packet.adapter))]
    }

    private func refuse(_ packet: ManagementPacket, _ status: ManagementStatus) -> [Action] {
        let opcode = ManagementOpcode(rawValue: packet.code)
        return [.reply(ManagementCommandStatusEvent(opcode, status: status).packet(about: packet.adapter))]
    }
}
