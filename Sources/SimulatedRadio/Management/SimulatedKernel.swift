// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The kernel's part of one adapter: its presence, its settings, and the management packets about them.
///
/// A pure state machine. It takes the same packets as Linux, and refuses the same ones.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst; net/bluetooth/mgmt.c
struct SimulatedKernel: Sendable {
    typealias Action = ManagementAction

    /// The stages of an adapter's life.
    enum Presence: Hashable, Sendable {
        case absent
        /// Its controller is being set up; the management interface does not list it yet.
        case settingUp
        case present
    }

    /// A change without a command.
    enum Change: Hashable, Sendable {
        case pulledOut
        case pluggedIn
        case setUp
        case powered
        case unpowered
        case blocked
        case unblocked
    }

    /// The time after which the kernel takes another private address.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, Appendix A, T_GAP(private_addr_int); Linux, HCI_DEFAULT_RPA_TIMEOUT
    static let addressLife = Duration.seconds(15 * 60)
    /// The time that the kernel takes to connect a device that is to be paired.
    static let connectTimeout = Duration.seconds(20)

    /// The number of the adapter on its machine.
    let index: ManagementIndex
    let profile: ControllerProfile
    /// The conditions of the adapter at the world's beginning.
    let traits: Set<AdapterTrait>
    /// Whether the program has both capabilities.
    let isAuthorized: Bool
    private(set) var presence: Presence
    var settings: ManagementSettings
    private(set) var isBlocked: Bool
    var keys = AdapterKeys()
    /// The device of the running pairing; `nil` if there is none.
    var pairing: DeviceAddress?
    /// The devices with which a pairing runs that no program of this machine has asked for.
    var askedBy: Set<DeviceAddress> = []
    /// Whether the controller sleeps, and answers no command.
    private(set) var isSuspended: Bool
    /// Whether the controller refuses the extended commands of the kernel.
    var isRefusedByController = false
    /// Whether the adapter was set up and not powered yet.
    private var isJustSetUp = false
    /// The changes to come, by the time since the world's beginning.
    let changes: [(after: Duration, change: Change)]

    init(_ profile: ControllerProfile, _ traits: Set<AdapterTrait>, index: Int = 0) {
        self.index = ManagementIndex(index)
        var profile = profile
        // Clears "BR/EDR Not Supported": only a controller with both has Low Energy as a setting.
        if traits.contains(.lowEnergyOff) { profile.lmpFeatures &= ~(1 << 37) }
        if traits.contains(.noFirmware) {
            // The RTL8761B as its ROM describes it; loaded firmware has another revision.
            profile.manufacturer = 0x005D
            profile.lmpSubversion = 0x8761
        }
        self.profile = profile
        self.traits = traits
        isAuthorized = !traits.contains(.unauthorized)
        isBlocked = traits.contains(.blocked)
        isSuspended = traits.contains(.suspended)
        settings = [.powered, .bondable]
        if traits.contains(.unprepared) { settings.remove(.bondable) }
        if !traits.contains(.lowEnergyOff) { settings.insert(.lowEnergy) }
        if profile.lmpFeatures >> 37 & 1 == 0 { settings.insert(.basicRate) }
        if !traits.isDisjoint(with: [.off, .blocked, .hardBlocked]) { settings.remove(.powered) }
        if !traits.isDisjoint(with: [.gone, .noDriver, .noKernel]) {
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

    /// Whether a hardware switch blocks the adapter. The simulation never moves it.
    private var isHardBlocked: Bool { traits.contains(.hardBlocked) }

    private var supported: ManagementSettings {
        let lowEnergy: ManagementSettings = [
            .powered, .connectable, .bondable, .lowEnergy, .advertising, .secureConnections, .privacy,
        ]
        return profile.lmpFeatures >> 37 & 1 == 1 ? lowEnergy : lowEnergy.union([.basicRate, .secureSimplePairing])
    }

    /// The adapter's state; `nil` if it is missing.
    var state: AdapterDescription.State? {
        switch presence {
        case .absent: nil
        case .settingUp: .starting(isSetUp: false)
        case .present where traits.contains(.inUse): .inUse
        case .present where settings.contains(.powered): .up
        case .present where isHardBlocked: .blocked(byHardware: true)
        case .present where isBlocked: .blocked(byHardware: false)
        case .present: isJustSetUp ? .starting(isSetUp: true) : .down
        }
    }

    // MARK: - Changes without a command

    /// Changes the adapter. Open channels end before the event that reports the change.
    mutating func apply(_ change: Change) -> [Action] {
        switch change {
        case .pulledOut:
            presence = .absent
            settings.remove(.powered)
            return [.end(.adapterRemoved), .event(IndexRemovedEvent().packet(about: index))]
        case .pluggedIn:
            presence = .settingUp
            return []
        case .setUp:
            presence = .present
            isJustSetUp = true
            return [.event(IndexAddedEvent().packet(about: index))]
        case .powered:
            guard presence == .present, !isBlocked, !isHardBlocked, !settings.contains(.powered) else { return [] }
            isJustSetUp = false
            settings.insert(.powered)
            return [newSettings]
        case .unpowered:
            guard settings.contains(.powered) else { return [] }
            isSuspended = false
            settings.remove(.powered)
            return [.end(.adapterDown), newSettings]
        case .blocked:
            isBlocked = true
            return apply(.unpowered)
        case .unblocked:
            isBlocked = false
            // Lifting a block leaves the power off, as on Linux.
            return []
        }
    }

    // MARK: - Commands

    /// Receives a packet from a program. Ignores malformed packets.
    ///
    /// - Parameter others: The other adapters of the machine that the management interface lists.
    mutating func received(_ bytes: [UInt8], besides others: [ManagementIndex] = []) -> [Action] {
        guard let packet = try? ManagementPacket(decoding: bytes) else { return [] }
        do throws(DecodeError) {
            guard let command = try ManagementCommandCatalog.command(in: packet) else {
                return refuse(packet, .unknownCommand)
            }
            return carryOut(command, packet, others)
        } catch {
            return refuse(packet, .invalidParameters)
        }
    }

    /// Carries out a command, if its index is right and the program has the privilege for it.
    private mutating func carryOut(
        _ command: any ManagementCommand,
        _ packet: ManagementPacket,
        _ others: [ManagementIndex]
    ) -> [Action] {
        let isForKernel = command is ReadManagementVersion || command is ReadControllerIndexList
        // Linux has one error for an index that is missing, and for one that the command does not take.
        guard isForKernel == (packet.adapter == .none), isForKernel || packet.adapter == index && isListed else {
            return refuse(packet, .invalidIndex)
        }
        switch command {
        case is ReadManagementVersion:
            return complete(ReadManagementVersion.self, .init(version: 1, revision: 22), packet)
        case is ReadControllerIndexList:
            return complete(ReadControllerIndexList.self, .init((isListed ? [index] : []) + others), packet)
        case is ReadControllerInformation:
            return complete(ReadControllerInformation.self, information, packet)
        case let command as SetPowered:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            return setPowered(command, packet)
        case let command as SetLowEnergy:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            return setLowEnergy(command, packet)
        case is GetConnections:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            guard settings.contains(.powered) else { return refuse(packet, .notPowered) }
            return [.listConnections(packet)]
        default:
            guard isAuthorized else { return refuse(packet, .permissionDenied) }
            return pairingCommand(command, packet) ?? refuse(packet, .unknownCommand)
        }
    }

    /// Whether the management interface lists the adapter. It does not while a program has it exclusively.
    var isListed: Bool { presence == .present && !traits.contains(.inUse) }

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
        guard !(command.isOn && (isBlocked || isHardBlocked)) else { return refuse(packet, .radioBlocked) }
        // Linux 6.1 ends advertising by an extended command first, and reports the refusal of the controller as "busy".
        guard command.isOn || !isRefusedByController else { return refuse(packet, .busy) }
        isJustSetUp = false
        // Powering off closes the device on USB, and powering on wakes it.
        if !command.isOn { isSuspended = false }
        return set(.powered, command.isOn, SetPowered.self, packet) + (command.isOn ? [] : [.end(.adapterDown)])
    }

    private mutating func setLowEnergy(_ command: SetLowEnergy, _ packet: ManagementPacket) -> [Action] {
        // A controller with Low Energy only would have nothing left, so Linux rejects this.
        guard command.isOn || supported.contains(.basicRate) else { return refuse(packet, .rejected) }
        return set(.lowEnergy, command.isOn, SetLowEnergy.self, packet)
    }
}
