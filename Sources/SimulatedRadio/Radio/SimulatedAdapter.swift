// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

/// The adapter of a simulated world: its controller, what it hears, and its links.
///
/// One lock guards all state, because packets arrive synchronously on the threads of their senders. Everything that
/// takes time runs in tasks of the scope: one that follows the air during a scan, and one for each link.
final class SimulatedAdapter: Sendable {
    struct State {
        var kernel: SimulatedKernel
        var managers: [SimulatedManagementChannel] = []
        var controller: SimulatedController
        var air: Air
        var paths: [SignalPath]
        var generator: SeededGenerator
        var channels: [SimulatedHCIChannel] = []
        var scanner: Scanner?
        var scanEnd: Instant?
        var follower = Follower()
        var stations: [Station]
        var links: [SimulatedLink] = []
        var lastHandle: UInt16 = 0x003F
        var guests: Guests
        let others: OtherPrograms

        mutating func makeHandle() -> ConnectionHandle {
            lastHandle = lastHandle < 0x0EFF ? lastHandle + 1 : 0x0040
            return ConnectionHandle(rawValue: lastHandle)
        }
    }

    /// The task that follows the air. The generation tells a task that it was replaced.
    struct Follower {
        var generation = 0
        var sleepingUntil: Instant?
        var task: ScopedTask?
    }

    /// A device in range of the adapter.
    struct Station {
        let device: SimulatedDevice
        let peripheral: DeviceRunner
        var connections = 0
        var refusals: Int
        /// The attempts that wait until the device can be connected again.
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    let description: AdapterDescription
    let time: any TimeSource
    let scope: TaskScope
    let state: Mutex<State>

    init(_ world: SimulatedWorld, time: any TimeSource, scope: TaskScope) {
        self.time = time
        self.scope = scope
        let kernel = SimulatedKernel(world.controller, world.adapter)
        let profile = kernel.profile
        description = AdapterDescription(
            name: "hci0",
            index: 0,
            address: profile.address,
            state: .up,
            bus: "virtual",
            lmpFeatures: profile.lmpFeatures
        )
        let streams = world.devices.map { SeededGenerator(seed: world.seed, stream: ~$0.address.address.rawValue) }
        let paths = zip(world.devices, streams).map { SignalPath(mean: $0.rssi, generator: $1) }
        let stations = zip(world.devices, streams).map { device, stream in
            var generator = stream
            let seed = SeededGenerator(seed: generator.next(), stream: 1)
            let peripheral = DeviceRunner(device.definition(random: seed), time: time, scope: scope)
            return Station(device: device, peripheral: peripheral, refusals: device.faults.refusedConnections)
        }
        state = Mutex(
            State(
                kernel: kernel,
                controller: SimulatedController(profile),
                air: Air(world, start: time.now),
                paths: paths,
                generator: SeededGenerator(seed: world.seed),
                stations: stations,
                guests: Guests(seed: world.seed),
                others: OtherPrograms(world.adapter, start: time.now)
            )
        )
        followChanges()
    }

    var isScanning: Bool { state.withLock { $0.scanner != nil } }

    var isAdvertising: Bool { state.withLock { $0.controller.advertising.isConnectable } }

    var linkCount: Int { state.withLock { $0.links.count } }

    // MARK: - HCI channels

    func openHCI(for use: HCIUse) throws(RadioError) -> SimulatedHCIChannel {
        try checkUse()
        guard use == .questions || state.withLock({ $0.kernel.isAuthorized }) else {
            throw RadioError(
                .permissionDenied(capability: "CAP_NET_RAW"),
                during: description.name,
                on: description.name
            )
        }
        let channel = SimulatedHCIChannel(self)
        state.withLock { $0.channels.append(channel) }
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
        state.withLock { $0.channels.removeAll { $0 === channel } }
    }

    func commandReceived(_ packet: [UInt8], from channel: SimulatedHCIChannel) throws(RadioError) {
        let isOpen = state.withLock { state in
            guard state.channels.contains(where: { $0 === channel }) else { return false }
            let now = time.now
            // Like the kernel, which shows a command to all other raw sockets when it is sent.
            for other in state.channels where other !== channel { other.deliver(packet) }
            var controller = state.controller
            let actions = controller.received(packet, now: now) { state.linkInfo($0) }
            state.controller = controller
            for action in actions { perform(action, &state, now: now) }
            follow(&state)
            return true
        }
        guard isOpen else { throw RadioError(.closedLocally, during: "HCI channel") }
    }

    private func perform(_ action: SimulatedController.Action, _ state: inout State, now: Instant) {
        switch action {
        case .event(let event):
            state.emit(event)
        case .startScanning(let scanner, let end):
            if state.scanner == nil { state.air.startListening(now: now) }
            state.scanner = scanner
            state.scanEnd = end
        case .stopScanning:
            state.stopScanning()
        case .link(let handle, let procedure):
            guard let link = state.links.first(where: { $0.handle == handle }) else { return }
            start(procedure, on: link, &state)
        case .advertisingChanged:
            invite(&state)
        case .reset:
            for link in state.links { link.closeByHost() }
        }
    }

    // MARK: - Following the air

    /// Makes the follower wake no later than the next event. Called after each change, with the lock held.
    func follow(_ state: inout State) {
        guard let next = state.nextMoment else { return }
        if let sleepingUntil = state.follower.sleepingUntil, sleepingUntil <= next { return }
        state.follower.task?.cancel()
        state.follower.generation += 1
        state.follower.sleepingUntil = next
        state.follower.task = scope.spawnCancellable { [self, generation = state.follower.generation] in
            await follow(generation: generation)
        }
    }

    private func follow(generation: Int) async {
        while let moment = nextMoment(generation: generation) {
            guard (try? await time.sleep(until: moment)) != nil else { return }
            state.withLock { state in
                guard state.follower.generation == generation else { return }
                state.hear(until: time.now)
            }
        }
    }

    private func nextMoment(generation: Int) -> Instant? {
        state.withLock { state in
            guard state.follower.generation == generation else { return nil }
            state.follower.sleepingUntil = state.nextMoment
            return state.nextMoment
        }
    }
}

extension SimulatedAdapter.State {
    /// Delivers an event to all channels, as the kernel does to raw sockets.
    func emit(_ event: HCIEventPacket) {
        let packet = HCIPacket.event(event).encoded()
        for channel in channels { channel.deliver(packet) }
    }

    /// The time of the next advertisement or of the scan's end; `nil` if there is neither.
    var nextMoment: Instant? {
        guard scanner != nil else { return nil }
        guard let next = air.next else { return scanEnd }
        return min(next, scanEnd ?? next)
    }

    mutating func stopScanning() {
        scanner = nil
        scanEnd = nil
        air.stopListening()
        follower.task?.cancel()
        follower = SimulatedAdapter.Follower(generation: follower.generation + 1)
    }

    /// Reports the advertisements up to now, and ends the scan if its time is up.
    mutating func hear(until now: Instant) {
        while let transmission = air.takeTransmission(now: now) {
            let events = scanner?.events(for: transmission, over: &paths[transmission.device], &generator) ?? []
            for event in events { emit(event) }
        }
        guard let end = scanEnd, end <= now else { return }
        stopScanning()
        controller.scanTimedOut()
        emit(LEScanTimeoutEvent().packet)
    }

    /// The controller's data about a link.
    mutating func linkInfo(_ handle: ConnectionHandle) -> SimulatedController.LinkInfo? {
        guard let link = links.first(where: { $0.handle == handle }) else { return nil }
        // A guest has no path of its own: it is taken to be close to the adapter.
        let device = stations.firstIndex { $0.device.address == link.peer }
        let rssi = device.map { paths[$0].strength() } ?? -45
        return SimulatedController.LinkInfo(rssi: rssi, phy: link.currentShape.phy)
    }
}
