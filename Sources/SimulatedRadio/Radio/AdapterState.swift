// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// The part of a world's state that belongs to one adapter: its kernel, its controller, its scanner, and its links.
struct AdapterState: Sendable {
    /// The settings, the keys and the state that the kernel keeps.
    var kernel: SimulatedKernel
    /// The programs that have opened the management channel.
    var managers: [SimulatedManagementChannel] = []
    /// The controller, with the configuration made by HCI commands.
    var controller: SimulatedController
    /// The programs that have opened an HCI channel.
    var channels: [SimulatedHCIChannel] = []
    /// The receiving half of the controller while a scan runs; `nil` otherwise.
    var scanner: Scanner?
    var links: [LinkEnd] = []
    /// The handle that was given last; 0x0040 is the first.
    var lastHandle: UInt16 = 0x003F
    /// The listener for ATT channels; an adapter has one at most.
    var listener: SimulatedListener?
    /// The credit-based services that programs offer.
    var services: [LinkChannelListener] = []
    /// The invented centrals that visit a served device.
    var visitors: Visitors
    /// Programs that hold the adapter at the start.
    let others: OtherPrograms
    /// The pairing that runs; `nil` if there is none.
    var pairing: ActivePairing?
    /// The pairings that programs here have asked centrals for.
    var requests: [SecurityRequest] = []
    /// Makes passkeys. It is separate, so that pairing does not change what the adapter receives.
    private var passkeys: SeededGenerator
    /// Makes the keys of pairings.
    private var keys: SeededGenerator
    /// The seed of this adapter, which differs from adapter to adapter.
    private let seed: UInt64
    /// Decides about fading, losses and batches of reports.
    private var generator: SeededGenerator
    /// The path from each sender, which remembers how its strength wanders.
    private var paths: [Air.Sender: SignalPath] = [:]
    let place: AdapterPosition

    /// An adapter without users. The first one of a world receives the same as if it were alone.
    init(
        number: Int,
        seed: UInt64,
        kernel: SimulatedKernel,
        hasVisitors: Bool,
        others: OtherPrograms,
        place: AdapterPosition = .usual
    ) {
        self.place = place
        self.kernel = kernel
        self.others = others
        controller = SimulatedController(kernel.profile)
        if kernel.traits.contains(.legacyCommands) { controller.family = .legacy }
        visitors = Visitors(seed: seed, areInvited: hasVisitors)
        var mixer = SeededGenerator(seed: seed, stream: 0x6164_6170_0000 &+ UInt64(number))
        self.seed = number == 0 ? seed : mixer.next()
        generator = SeededGenerator(seed: self.seed)
        passkeys = SeededGenerator(seed: self.seed, stream: 0x7061_7373)
        keys = SeededGenerator(seed: self.seed, stream: 0x6B65_7973)
    }

    /// The present state; `nil` if the adapter is missing.
    func described(as description: AdapterDescription) -> AdapterDescription? {
        guard let kept = kernel.state else { return nil }
        var adapter = description
        adapter.state = kept
        return adapter
    }

    // MARK: - Events

    /// Delivers an event to all channels, as the kernel does to raw sockets.
    func emit(_ event: HCIEventPacket) {
        let packet = HCIPacket.event(event).encoded()
        for channel in channels where !channel.isForData { channel.deliver(packet) }
    }

    func show(_ pdu: SecurityManagerPDU, on connection: ConnectionHandle, isFromHost: Bool) {
        let frame = L2CAPFrame(.securityManager, pdu.encoded())
        let packet = HCIPacket.acl(HCIACLPacket(frame, on: connection, isFromHost: isFromHost)).encoded()
        for channel in channels where channel.isForData { channel.deliver(packet) }
    }

    /// Reports an advertisement, if the scanner receives it.
    ///
    /// - Parameter level: The present signal of the sender.
    mutating func deliver(_ transmission: Transmission, at level: SignalLevel) {
        var path = path(to: transmission.sender, transmission.address, level)
        let events = scanner?.events(for: transmission, over: &path, &generator) ?? []
        paths[transmission.sender] = path
        for event in events { emit(event) }
    }

    /// Ends a scan whose duration has passed, and reports that.
    mutating func scanTimedOut() {
        controller.scanTimedOut()
        emit(LEScanTimeoutEvent().packet)
    }

    private func broadcast(_ event: some ManagementEventParameters) {
        let packet = event.packet(about: kernel.index).encoded()
        for manager in managers { manager.deliver(packet) }
    }

    // MARK: - Pairing

    /// Six random digits.
    mutating func makePasskey() -> UInt32 { passkeys.passkey() }

    /// The keys of a pairing with another adapter, at both ends.
    mutating func makeKeys(
        _ agreement: PairingAgreement,
        central: DeviceAddress,
        peripheral: DeviceAddress
    ) -> (central: GeneratedKeys, peripheral: GeneratedKeys) {
        GeneratedKeys.make(agreement, central: central, peripheral: peripheral, &keys)
    }

    // MARK: - Signals

    /// The path from a sender. Its randomness depends on the sender's address, so that a further device changes
    /// nothing for the others.
    private func path(to sender: Air.Sender, _ address: DeviceAddress, _ level: SignalLevel) -> SignalPath {
        guard var path = paths[sender] else {
            // Inverted, because the stream of the address itself makes the schedule of the device.
            return SignalPath(level, generator: SeededGenerator(seed: seed, stream: ~address.address.rawValue))
        }
        path.level = level
        return path
    }

    /// The strength of the next packet of a link, in dBm.
    mutating func strength(of end: LinkEnd, at level: SignalLevel?) -> Int8 {
        // A visitor's signal is not simulated: it counts as close to the adapter.
        guard let sender = end.sender, let level else { return -45 }
        var path = path(to: sender, end.peer, level)
        defer { paths[sender] = path }
        return path.strength()
    }

    // MARK: - Links

    /// The handle of the next link, from 0x0040 to 0x0EFF and then again. Spec: Core 5.4, Vol 4, Part E, 5.4.2
    mutating func makeHandle() -> ConnectionHandle {
        // A link may outlast all numbers.
        repeat {
            lastHandle = lastHandle < 0x0EFF ? lastHandle + 1 : 0x0040
        } while links.contains { $0.handle.rawValue == lastHandle }
        return ConnectionHandle(rawValue: lastHandle)
    }

    /// The end of the link with a handle; `nil` if there is none.
    func end(_ handle: ConnectionHandle) -> LinkEnd? { links.first { $0.handle == handle } }

    var hasRoom: Bool { links.count < controller.profile.maximumConnections }

    /// Adds a link, and reports it to the host.
    mutating func take(_ end: LinkEnd) {
        links.append(end)
        let isEnhanced = controller.profile.leFeatures.contains(.extendedAdvertising)
        emit(end.link.completeEvent(end.handle, role: end.role, peer: end.peer, isEnhanced: isEnhanced))
        if controller.profile.leFeatures.contains(.dataPacketLengthExtension), end.link.parameters.dataLength > 27 {
            // The controllers have agreed on the longest packets on their own, like most controllers.
            emit(end.link.dataLengthEvent(end.handle).packet)
        }
        let device = ManagementAddress(kernel.keys.identity(of: end.peer))
        // Bit 3: this side has made the connection.
        broadcast(DeviceConnectedEvent(device, flags: end.role == .central ? 1 << 3 : 0))
    }

    /// Removes a link that has ended, and reports it to the host. A controller that was reset has forgotten it.
    mutating func ended(_ end: LinkEnd, _ reason: HCIStatus) {
        if let index = links.firstIndex(where: { $0.link === end.link && $0.handle == end.handle }) {
            links.remove(at: index)
            emit(DisconnectionCompleteEvent(end.handle, reason: reason).packet)
        }
        let isAboutKey = end.link.nearError?.cause == .authenticationFailed
        let device = ManagementAddress(kernel.keys.identity(of: end.peer))
        broadcast(DeviceDisconnectedEvent(device, reason: isAboutKey ? .authenticationFailed : .init(reason)))
    }
}

/// One end of a link, as the adapter there sees it.
struct LinkEnd: Sendable {
    /// The side of a link. The near side is the one that has a `SimulatedATTChannel`.
    enum Side: Hashable, Sendable {
        /// The end that has made the link.
        case near
        case far
    }

    let link: SimulatedLink
    let side: Side
    /// The handle at this adapter. The other end has another one.
    let handle: ConnectionHandle
    let peer: DeviceAddress
    let role: LERole
    /// The sender of the signals at the other end; `nil` for a visitor.
    let sender: Air.Sender?

    /// Ends the link from this end.
    ///
    /// - Parameters:
    ///   - cause: The error for users of this end's channel.
    ///   - reason: What the peer is told; `nil` for what follows from the cause.
    func close(_ cause: RadioError.Cause = .closedLocally, telling reason: HCIStatus? = nil) {
        switch side {
        case .near: link.closeByHost(cause, telling: reason)
        case .far: link.closeByDevice(reason ?? .remoteUserTerminatedConnection, cause)
        }
    }
}

/// The other programs of the simulated machine that have links when the world begins, and end soon after.
struct OtherPrograms: Sendable {
    private static let duration = Duration.seconds(3)

    /// The reason for which a connection fails while they run; `nil` if there are none.
    private let obstacle: RadioError.Cause?
    private let end: Instant

    init(_ traits: Set<AdapterTrait>, start: Instant) {
        obstacle = traits.contains(.full) ? .tooManyConnections : traits.contains(.held) ? .channelBusy(by: nil) : nil
        end = start + Self.duration
    }

    /// The error that keeps the adapter from another link; `nil` when the other programs have ended.
    func obstacle(now: Instant) -> RadioError.Cause? { now < end ? obstacle : nil }
}
