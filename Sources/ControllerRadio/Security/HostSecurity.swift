// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The number of an attempt to raise the security of a link. Each is used once.
struct RaisingID: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64
}

/// The security of all links of a controller: pairings, keys, encryption, and the management commands about them.
///
/// A pure state machine, as `HostMachine` is, which it is a part of.
///
/// Spec: Core 5.4, Vol 3, Part H; Part C, 10.3
struct HostSecurity: AdapterSecurity {
    /// What the owner has to do, in the order of the actions.
    enum Action: Equatable, Sendable {
        /// Send a management packet to the program with that channel.
        case reply(ManagementPacket, to: ChannelID?)
        /// Send one to all programs, but not to that one.
        case event(ManagementPacket, except: ChannelID?)
        /// Send a packet of the Security Manager.
        case send(PairingPDU, on: ConnectionHandle)
        /// Send a command, and hand its refusal to `encryptionRefused`.
        case command(HCICommandPacket, ConnectionHandle)
        /// End a link. The first reason is for the peer.
        case end(ConnectionHandle, HCIStatus, RadioError.Cause)
        /// An attempt to raise the security of a link has ended.
        case raised(RaisingID, RadioError.Cause?)
    }

    struct Link: Sendable {
        let role: LERole
        let peer: DeviceAddress
        /// The address of this side on the air.
        var own: DeviceAddress
        var security = LinkSecurity.none
        var session: PairingSession?
        /// The pairing that this side has asked for, and the program that waits for it.
        var command: PairingCommand?
        var program: ChannelID?
        var encryption = Encryption.none
        /// Programs that have asked the central for security.
        var requests: [(packet: ManagementPacket, program: ChannelID?)] = []
        var raisings: [RaisingID: SecurityLevel] = [:]
        /// Whether a pairing has timed out, after which the Security Manager is silent on the link.
        var isSilent = false
    }

    /// The key with which a link is being encrypted.
    enum Encryption: Sendable {
        case none
        case session
        case bond(LongTermKey)
    }

    /// The number of programs' requests on one link.
    static let requestLimit = 16

    let index = ManagementIndex(0)
    /// The settings that a program can change. The power is not among them: this host has no radio without it.
    private static let changeable: ManagementSettings = [
        .connectable, .bondable, .lowEnergy, .secureConnections, .privacy,
    ]
    var identityAddress: DeviceAddress
    var settings: ManagementSettings = [.powered, .connectable, .bondable, .lowEnergy, .secureConnections]
    var keys = AdapterKeys()
    var pairing: DeviceAddress?
    var askedBy: Set<DeviceAddress> = []
    var links: [ConnectionHandle: Link] = [:]
    var attempts = RepeatedAttempts()
    var ownData: PairingTerms.GivenData?
    /// The programs that have given the data of devices, and the one that answers the questions of pairings.
    private var givers: [BluetoothAddress: ChannelID] = [:]
    private var answering: ChannelID?
    /// The programs that need private addresses, and the one that has chosen how devices may pair.
    private var needingPrivacy: Set<ChannelID> = []
    private var choosing: ChannelID?
    let random: PairingRandom
    private var facts = ControllerFacts()

    /// The security of no link yet.
    init(_ random: PairingRandom) {
        self.random = random
        identityAddress = DeviceAddress(BluetoothAddress(rawValue: 0), .public)
        keys.secureConnections = .on
    }

    mutating func ready(_ facts: ControllerFacts, identity: DeviceAddress) {
        self.facts = facts
        identityAddress = identity
    }

    mutating func makeOutOfBandData() -> OutOfBandData.Pair {
        let data = PairingTerms.GivenData(random.keyPair(), randomizer: random.key())
        ownData = data
        return data.pair
    }

    // MARK: - Links

    mutating func began(_ handle: ConnectionHandle, _ origin: LinkOrigin, own: DeviceAddress) -> [Action] {
        var link = Link(role: origin.role, peer: origin.peer, own: own)
        let identity = keys.identity(of: origin.peer)
        link.security.hasBond = keys.isPaired(with: identity)
        links[handle] = link
        let device = ManagementAddress(identity)
        // Bit 3: this side has made the connection.
        let event = DeviceConnectedEvent(device, flags: origin.role == .central ? 1 << 3 : 0)
        return [.event(event.packet(about: index), except: nil)]
    }

    /// A link has ended, and all that was going on there.
    mutating func ended(_ handle: ConnectionHandle, _ reason: HCIStatus, _ cause: RadioError.Cause) -> [Action] {
        guard let link = links[handle] else { return [] }
        var actions: [Action] = link.raisings.keys.sorted { $0.rawValue < $1.rawValue }.map { .raised($0, cause) }
        if link.session != nil { actions += endPairing(on: handle, .disconnected) }
        actions += answerRequests(on: handle, .disconnected)
        links[handle] = nil
        let device = ManagementAddress(keys.identity(of: link.peer))
        askedBy.remove(link.peer)
        // Keys that are not kept last as long as the link.
        linkEnded(with: link.peer)
        let isAboutKey = cause == .authenticationFailed
        let event = DeviceDisconnectedEvent(device, reason: isAboutKey ? .authenticationFailed : .init(reason))
        return actions + [.event(event.packet(about: index), except: nil)]
    }

    /// The links to a device, by any address of it that is known.
    func handles(of device: DeviceAddress) -> [ConnectionHandle] {
        let identity = keys.identity(of: DeviceAddress(device.address, device.type.connectionType))
        return links.filter { $0.value.peer == identity || keys.identity(of: $0.value.peer) == identity }
            .map(\.key).sorted { $0.rawValue < $1.rawValue }
    }

    // MARK: - Time

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? { links.values.lazy.compactMap { $0.session?.nextDeadline }.min() }

    mutating func timerFired(now: Instant) -> [Action] {
        links.keys.sorted { $0.rawValue < $1.rawValue }
            .flatMap { advance($0, now) { session, now in session.timerFired(now: now) } }
    }

    // MARK: - Management

    /// Takes a packet of a program. Ignores malformed ones.
    mutating func received(_ bytes: [UInt8], from program: ChannelID, now: Instant) -> [Action] {
        guard let packet = try? ManagementPacket(decoding: bytes) else { return [] }
        let actions: [ManagementAction]
        let known = keys
        do throws(DecodeError) {
            guard let command = try ManagementCommandCatalog.command(in: packet) else {
                return perform(refuse(packet, .unknownCommand), from: program, knowing: known, now)
            }
            actions = carryOut(command, packet)
            switch command {
            case let command as AddRemoteOutOfBandData: givers[command.device.address] = program
            case is SetIOCapability: answering = program
            case let command as SetPrivacy where command.mode == .off: needingPrivacy = []
            case is SetPrivacy: needingPrivacy.insert(program)
            case is SetBondable, is SetSecureConnections: choosing = program
            default: break
            }
        } catch {
            actions = refuse(packet, .invalidParameters)
        }
        return perform(actions, from: program, knowing: known, now)
    }

    /// A program has ended, perhaps killed, and with it what it has given, chosen and asked for: nobody there answers
    /// questions any more.
    mutating func ended(_ program: ChannelID) -> [Action] {
        for address in givers.filter({ $0.value == program }).keys {
            givers[address] = nil
            keys.outOfBand[address] = nil
        }
        if answering == program {
            answering = nil
            keys.capability = nil
        }
        if choosing == program {
            choosing = nil
            keys.secureConnections = .on
            settings.formUnion([.bondable, .secureConnections])
        }
        var actions: [Action] = []
        if needingPrivacy.remove(program) != nil, needingPrivacy.isEmpty {
            keys.own = nil
            settings.remove(.privacy)
            actions += deliver([newSettings])
        }
        for (handle, link) in links.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            links[handle]?.requests.removeAll { $0.program == program }
            if link.program == program, link.command?.packet != nil { actions += cancel(handle, .cancelled) }
        }
        return actions
    }

    private mutating func carryOut(_ command: any ManagementCommand, _ packet: ManagementPacket) -> [ManagementAction] {
        let isForAll = command is ReadManagementVersion || command is ReadControllerIndexList
        guard packet.adapter == (isForAll ? .none : index) else { return refuse(packet, .invalidIndex) }
        switch command {
        case is ReadManagementVersion:
            return complete(ReadManagementVersion.self, .init(version: 1, revision: 22), packet)
        case is ReadControllerIndexList: return complete(ReadControllerIndexList.self, .init([index]), packet)
        case is ReadControllerInformation: return complete(ReadControllerInformation.self, information, packet)
        case is GetConnections: return [.listConnections(packet)]
        // This host has no radio without them.
        case let command as SetPowered where command.isOn: return complete(SetPowered.self, settings, packet)
        case let command as SetLowEnergy where command.isOn: return complete(SetLowEnergy.self, settings, packet)
        case is SetPowered, is SetLowEnergy, is SetAdvertising: return refuse(packet, .notSupported)
        case let command as SetPrivacy: return setPrivacy(command, packet)
        default: return pairingCommand(command, packet) ?? refuse(packet, .unknownCommand)
        }
    }

    private var information: ReadControllerInformation.ReturnParameters {
        .init(
            address: identityAddress.address,
            version: facts.hciVersion,
            manufacturer: facts.company,
            supportedSettings: Self.changeable,
            currentSettings: settings,
            name: []
        )
    }

    /// Carries out what a command leads to.
    ///
    /// - Parameter known: The keys before the command, by which a device is recognised that it forgets.
    private mutating func perform(
        _ actions: [ManagementAction],
        from program: ChannelID?,
        knowing known: AdapterKeys,
        _ now: Instant
    ) -> [Action] {
        var result: [Action] = []
        for action in actions {
            switch action {
            case .reply(let packet): result.append(.reply(packet, to: program))
            case .event(let packet): result.append(.event(packet, except: program))
            case .pair(let command): result += begin(command, from: program, now)
            // Other pairings may run, which their peripherals have asked for.
            case .answered(let reply): if let pairing { result += give(reply, to: pairing, now) }
            case .answeredTo(let device, let reply): result += give(reply, to: device, now)
            case .endPairing(let status):
                if let handle = links.first(where: { $0.value.command?.packet != nil })?.key {
                    result += cancel(handle, status)
                }
            case .disconnect(let device):
                let identity = known.identity(of: device)
                for (handle, link) in links where known.identity(of: link.peer) == identity || link.peer == device {
                    result.append(.end(handle, .remoteUserTerminatedConnection, .closedLocally))
                }
            case .listConnections(let packet):
                let devices = links.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    ManagementAddress($0.value.peer)
                }
                result += deliver(complete(GetConnections.self, .init(devices), packet), to: program)
            // Whoever needs an identity looks for it at that moment.
            case .identitiesChanged, .end: break
            }
        }
        return result
    }

    /// Sends replies and events that no command has caused.
    ///
    /// - Parameter program: The program that waits for the replies, and gets no events.
    func deliver(_ actions: [ManagementAction], to program: ChannelID? = nil) -> [Action] {
        actions.compactMap { action in
            switch action {
            case .reply(let packet): .reply(packet, to: program)
            case .event(let packet): .event(packet, except: program)
            default: nil
            }
        }
    }

    func broadcast(_ event: some ManagementEventParameters) -> Action {
        .event(event.packet(about: index), except: nil)
    }
}
