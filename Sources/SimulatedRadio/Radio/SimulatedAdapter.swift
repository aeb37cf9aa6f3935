// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

/// An adapter in a simulated world. Its state belongs to the world, whose lock guards it.
final class SimulatedAdapter: Sendable {
    /// The constant part of the description. `present` has the current state.
    let description: AdapterDescription
    let number: Int
    /// The world whose lock guards the adapter's state.
    let world: RunningWorld

    var time: any TimeSource { world.time }
    /// The scope of links and of everything else that takes time.
    var scope: TaskScope { world.scope }

    /// An adapter of a world, which has its state. Several values may stand for one adapter.
    init(_ number: Int, _ kernel: SimulatedKernel, at index: Int = 0, in world: RunningWorld) {
        self.number = number
        self.world = world
        var description = AdapterDescription(
            name: "hci\(index)",
            index: index,
            address: kernel.profile.address,
            state: .up,
            bus: kernel.traits.contains(.suspended) ? "usb" : "virtual",
            lmpFeatures: kernel.profile.lmpFeatures
        )
        if kernel.traits.contains(.managed) { description.manager = SimulatedMachine.daemon.name }
        self.description = description
    }

    var isScanning: Bool { world.state.withLock { $0.listeners.contains { $0.number == number } } }

    /// Whether a central could connect now.
    var isAdvertising: Bool {
        world.state.withLock { $0.adapters[number]?.controller.advertising.isConnectable == true }
    }

    /// The number of links, with those that are ending.
    var linkCount: Int { world.state.withLock { $0.adapters[number]?.links.count ?? 0 } }

    /// The devices at the other ends of its links.
    var linkedDevices: [DeviceAddress] {
        world.state.withLock { ($0.adapters[number]?.links ?? []).filter(\.link.isOpen).map(\.peer) }
    }

    // MARK: - HCI channels

    /// Opens an HCI channel. Without the capability it may only be used for questions, as with a raw socket of
    /// Linux.
    func openHCI(for use: HCIUse) throws(RadioError) -> SimulatedHCIChannel {
        try checkUse()
        let isAuthorized = world.state.withLock { $0.adapters[number]?.kernel.isAuthorized == true }
        guard use == .questions || isAuthorized else {
            throw RadioError(
                .permissionDenied(capability: "CAP_NET_RAW"),
                during: description.name,
                on: description.name
            )
        }
        let channel = SimulatedHCIChannel(self, isForData: use == .securityManager)
        world.state.withLock { $0.adapters[number]?.channels.append(channel) }
        return channel
    }

    /// Throws the reason why the adapter cannot be used now.
    func checkUse() throws(RadioError) {
        guard let present else {
            throw RadioError(.adapterRemoved, during: description.name, on: description.name)
        }
        try present.checkUse()
    }

    /// Removes the channel. The controller continues with its work, as it does when a program's socket closes, so that
    /// a program that leaves a scan running is noticed.
    func closeHCI(_ channel: SimulatedHCIChannel) {
        world.state.withLock { $0.adapters[number]?.channels.removeAll { $0 === channel } }
    }

    /// Takes an HCI packet of a program: shows it to the other programs, lets the controller answer, and
    /// carries out its actions.
    func commandReceived(_ packet: [UInt8], from channel: SimulatedHCIChannel) throws(RadioError) {
        let waiters = world.state.withLock { state -> [ConnectWaiters.Waiter]? in
            guard let adapter = state.adapters[number], adapter.channels.contains(where: { $0 === channel }) else {
                return nil
            }
            let now = time.now
            // Like the kernel, which shows a command to all other raw sockets when it is sent.
            for other in adapter.channels where other !== channel && !other.isForData { other.deliver(packet) }
            // A suspended controller takes no command, so that the program waits for its answer in vain.
            guard !adapter.kernel.isSuspended else { return [] }
            // A copy, because the closure below changes the state while the controller works.
            var controller = adapter.controller
            let fault = state.signalFault(packet, of: number, now: now)
            let actions = controller.received(packet, now: now) { handle in
                var info = state.linkInfo(handle, of: number, now: now)
                if case .report(let strength)? = fault { info?.rssi = strength }
                return info
            }
            state.adapters[number]?.controller = controller
            var waiters: [ConnectWaiters.Waiter] = []
            for action in answered(actions, fault, controller) { waiters += perform(action, &state, now: now) }
            world.follow(&state)
            return waiters
        }
        guard let waiters else { throw RadioError(.closedLocally, during: "HCI channel") }
        for waiter in waiters { waiter.finish() }
    }

    /// Starts a scan that belongs to no program, as one that was killed leaves behind.
    func startLeftoverScan() {
        world.state.withLock { state in
            guard let adapter = state.adapters[number], adapter.kernel.state == .up else { return }
            var controller = adapter.controller
            let now = time.now
            let interval = LEInterval<625>(.milliseconds(60))
            let commands: [HCICommandPacket] =
                adapter.kernel.profile.leFeatures.contains(.extendedAdvertising)
                ? [
                    LESetExtendedScanParameters(le1M: .init(type: .active, interval: interval, window: interval))
                        .packet,
                    LESetExtendedScanEnable(isEnabled: true).packet,
                ]
                : [
                    LESetScanParameters(
                        type: .active,
                        interval: interval,
                        window: interval,
                        ownAddressType: .public
                    ).packet, LESetScanEnable(isEnabled: true).packet,
                ]
            let actions = commands.flatMap {
                controller.received(HCIPacket.command($0).encoded(), now: now) { _ in nil }
            }
            state.adapters[number]?.controller = controller
            for action in actions { _ = perform(action, &state, now: now) }
            world.follow(&state)
        }
    }

    /// The remaining actions of the controller after a command that waits for a signal and meets a fault.
    private func answered(
        _ actions: [SimulatedController.Action],
        _ fault: FaultEffect?,
        _ controller: SimulatedController
    ) -> [SimulatedController.Action] {
        switch fault {
        case .noAnswer:
            return []
        case .delay(let delay):
            answer(actions, after: delay)
            return []
        case .error(let code, let delay):
            let status = code.map { HCIStatus(rawValue: $0) } ?? .hardwareFailure
            let refusal = controller.refuse(HCIReadRSSI.opcode, status)
            guard delay > .zero else { return refusal }
            answer(refusal, after: delay)
            return []
        default:
            return actions
        }
    }

    /// Performs actions after a time, as a controller that is slow.
    private func answer(_ actions: [SimulatedController.Action], after delay: Duration) {
        scope.spawn { [self] in
            guard (try? await time.sleep(for: delay)) != nil else { return }
            let waiters = world.state.withLock { state -> [ConnectWaiters.Waiter] in
                var waiters: [ConnectWaiters.Waiter] = []
                for action in actions { waiters += perform(action, &state, now: time.now) }
                return waiters
            }
            for waiter in waiters { waiter.finish() }
        }
    }

    /// Performs an action of the controller. Returns the connection attempts to wake.
    private func perform(
        _ action: SimulatedController.Action,
        _ state: inout RunningWorld.State,
        now: Instant
    ) -> [ConnectWaiters.Waiter] {
        switch action {
        case .event(let event):
            state.adapters[number]?.emit(event)
        case .startScanning(let scanner, let end):
            state.startScanning(number, scanner, until: end, now: now)
        case .stopScanning:
            state.stopScanning(number)
        case .link(let handle, let procedure):
            guard let end = state.adapters[number]?.end(handle) else { return [] }
            start(procedure, on: end, &state)
        case .advertisingChanged:
            defer { invite(&state) }
            return state.updateAdvertising(of: number, now: now)
        case .advertisingDataChanged:
            return state.updateAdvertising(of: number, now: now)
        case .reset:
            let ends = state.adapters[number]?.links ?? []
            state.adapters[number]?.links = []
            // The peers hear nothing any more.
            for end in ends { end.close(telling: .connectionTimeout) }
            return state.updateAdvertising(of: number, now: now)
        }
        return []
    }

    // MARK: - End

    /// Takes the adapter out of the world, with its links, its advertising and its scan.
    func leave() {
        world.state.withLock { state in
            guard state.adapters[number] != nil else { return }
            end(.adapterRemoved, &state)
            state.adapters[number]?.managers.forEach { $0.end(RadioError(.closedLocally, during: description.name)) }
            state.adapters[number] = nil
            state.air.remove(adapter: number)
        }
    }

    /// Ends links, scans and channels, as Linux does when an adapter is powered off or pulled out.
    func end(_ cause: RadioError.Cause, _ state: inout RunningWorld.State) {
        guard let adapter = state.adapters[number] else { return }
        let error = RadioError(cause, during: description.name, on: description.name)
        state.stopScanning(number)
        // A fresh controller advertises nothing, and so takes the adapter off the air in the next line.
        state.adapters[number]?.controller = SimulatedController(adapter.kernel.profile)
        let waiters = state.updateAdvertising(of: number, now: time.now) + state.waiters.takeAll()
        for end in adapter.links {
            // A link lasts a little longer, and would accept channels for listeners that have ended.
            for service in adapter.services { end.channels.withdraw(service.request.spsm) }
            end.close(cause)
        }
        for channel in adapter.channels { channel.end(error) }
        state.adapters[number]?.channels = []
        adapter.listener?.end(error)
        for service in adapter.services { service.end(error) }
        state.adapters[number]?.services = []
        state.adapters[number]?.listener = nil
        // Attempts of this adapter fail when they look again; those of others go on.
        for waiter in waiters { waiter.finish() }
    }
}

extension RunningWorld.State {
    /// The fault of a command that asks for the signal of a device; `nil` for other commands.
    fileprivate mutating func signalFault(_ packet: [UInt8], of number: Int, now: Instant) -> FaultEffect? {
        guard
            case .command(let packet)? = try? HCIPacket(decoding: packet),
            let command = try? HCICommandCatalog.command(in: packet) as? HCIReadRSSI,
            case .device(let station)? = adapters[number]?.end(command.connection)?.sender
        else { return nil }
        return fault(.rssi, of: station, now: now)?.effect
    }

    mutating func linkInfo(
        _ handle: ConnectionHandle,
        of number: Int,
        now: Instant
    ) -> SimulatedController.LinkInfo? {
        guard let adapter = adapters[number], let end = adapter.end(handle) else { return nil }
        let level = end.sender.map { signal(of: $0, at: now, for: adapter.place) }
        guard let rssi = adapters[number]?.strength(of: end, at: level) else { return nil }
        return SimulatedController.LinkInfo(rssi: rssi, phy: end.link.currentShape.phy)
    }
}
