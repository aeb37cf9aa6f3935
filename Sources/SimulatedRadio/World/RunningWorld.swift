// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothDevices
public import BluetoothHost
import Synchronization

/// A simulated world while it runs: the devices and their links, the air, and the adapters that share it.
///
/// One lock guards all state, because packets arrive synchronously on the threads of their senders, and a packet of one
/// adapter may be an event of another. Everything that takes time runs in tasks of the scope: one that follows the air
/// while any adapter scans, and one for each link.
public final class RunningWorld: Sendable {
    struct State {
        var air: Air
        let start: Instant
        var stations: [Station]
        /// The adapters by number, which is the order in which they joined.
        var adapters: [Int: AdapterState] = [:]
        /// The scanning adapters, in the order of their numbers.
        var listeners: [Listener] = []
        var follower = Follower()
        var waiters = ConnectWaiters()
        /// Advertisements that faults hold back, the first one first.
        var late: [LateTransmission] = []
        var joined = 0
        /// Whether the adapters of machines that join are off: all were switched off from outside.
        var isUnpowered = false
    }

    /// A scanning adapter: what each advertisement needs of it, apart from its state, which is costly to copy.
    struct Listener {
        let number: Int
        let place: AdapterPosition
        /// The scheduled end of the scan; `nil` for a scan without a duration.
        var end: Instant?
    }

    /// The task that follows the air. A task compares the generation to notice that it was replaced.
    struct Follower {
        var generation = 0
        var sleepingUntil: Instant?
        var task: ScopedTask?
    }

    struct Station {
        var device: SimulatedDevice
        /// The name in its advertisements; `nil` if there is none.
        var advertisedName: String?
        let peripheral: DeviceRunner
        /// The present signal, which can be changed from outside.
        var signal: DeviceSignal
        var connections = 0
        /// The faults of the device that the radio shows.
        var faults: FaultMachine
        /// Whether the device accepts connections if it has room. Otherwise it is advertised as one that accepts none.
        var acceptsConnections = true
        /// Whether the device was moved out of range.
        var isMovedAway = false
        /// The number of scheduled absences of the device that are not over.
        var excursions = 0
        /// The number of requests and commands that it has served.
        var requests = 0
        /// The number of the last client: each connection of the device is another one.
        var lastClient: UInt32 = 0
        /// The smallest number that was not used yet in the signatures of an adapter.
        var signatureCounters: [BluetoothAddress: UInt32] = [:]

        var hasRoom: Bool { connections < device.link.maximumConnections }

        /// Whether nothing keeps the device out of range, apart from the absences of its signal.
        var isPresent: Bool { !isMovedAway && excursions == 0 }

        mutating func makeClient() -> GATTServer.ClientID {
            lastClient += 1
            return GATTServer.ClientID(lastClient)
        }
    }

    let world: SimulatedWorld
    let time: any TimeSource
    let scope: TaskScope
    /// Whether invented centrals connect to the adapter's devices.
    let hasVisitors: Bool
    let start: Instant
    let state: Mutex<State>

    /// Starts a world without adapters.
    ///
    /// - Parameters:
    ///   - world: The devices, the seed, and the model of the adapters.
    ///   - time: The clock of the world: a `VirtualTime`, or the system's clock.
    ///   - scope: The scope of all scans, links and devices; they end with it.
    ///   - onEvent: Called with each event of a device, and the number of the device in the order of the world.
    public convenience init(
        _ world: SimulatedWorld,
        time: any TimeSource,
        scope: TaskScope,
        onEvent: (@Sendable (Int, DeviceEvent) -> Void)? = nil
    ) {
        self.init(world, time: time, scope: scope, hasVisitors: false, onEvent: onEvent)
    }

    /// Creates the devices of a world. Each has its own random numbers, derived from its address, so that its behaviour
    /// does not depend on the others or on their order.
    init(
        _ world: SimulatedWorld,
        time: any TimeSource,
        scope: TaskScope,
        hasVisitors: Bool,
        onEvent: (@Sendable (Int, DeviceEvent) -> Void)? = nil
    ) {
        self.world = world
        self.time = time
        self.scope = scope
        self.hasVisitors = hasVisitors
        start = time.now
        let events = Events()
        let stations = world.devices.enumerated().map { index, device in
            var generator = SeededGenerator(seed: world.seed, stream: ~device.address.address.rawValue)
            let seed = SeededGenerator(seed: generator.next(), stream: 1)
            let peripheral = DeviceRunner(device.definition(random: seed), time: time, scope: scope) { event in
                events.world.withLock { $0.world }?.happened(event, to: index)
                onEvent?(index, event)
            }
            return Station(
                device: device,
                advertisedName: device.definition(random: seed).advertisedName,
                peripheral: peripheral,
                signal: device.signal,
                faults: FaultMachine(device.faults.filter(\.isOfRadio), random: seed)
            )
        }
        state = Mutex(State(air: Air(world, start: start), start: start, stations: stations))
        events.world.withLock { $0.world = self }
        // Started without a client, because a timeline may order the radio to act before the first connection.
        let peripherals = stations.map(\.peripheral)
        scope.spawn { for peripheral in peripherals { await peripheral.start() } }
    }

    /// The way of a device's events to the world, which exists only after its devices.
    private final class Events: Sendable {
        struct Reference {
            // Weak, because the world holds the devices, and each device holds the closure with this reference.
            weak var world: RunningWorld?
        }

        let world = Mutex(Reference())
    }

    // MARK: - Adapters

    /// Adds a machine with one adapter, `hci0`, whose public address no other adapter of the world has; with the trait
    /// `second`, one with two.
    ///
    /// The address is the first free one, so that a machine that takes the place of one that has left has the bonds
    /// that were made there.
    ///
    /// If all adapters were switched off from outside, this one is off, too: `WorldControl.setPower`.
    ///
    /// - Parameter traits: The defects and other traits of the adapter.
    public func join(_ traits: Set<AdapterTrait> = []) -> SimulatedRadioSystem {
        var adapters = [addAdapter(traits, index: 0)]
        if traits.contains(.second) { adapters.append(addAdapter(traits.filter(\.isOfMachine), index: 1)) }
        return SimulatedRadioSystem(adapters)
    }

    private func addAdapter(_ traits: Set<AdapterTrait>, index: Int) -> SimulatedAdapter {
        let adapter = state.withLock { state in
            // A number is not given again, because tasks of an adapter that has left may still name it.
            let number = state.joined
            state.joined += 1
            let taken = Set(state.adapters.values.map(\.kernel.profile.address))
            var profile = world.controller
            while taken.contains(profile.address) {
                profile.address = BluetoothAddress(rawValue: (profile.address.rawValue &+ 1) & 0xFFFF_FFFF_FFFF)
            }
            var kernel = SimulatedKernel(profile, traits, index: index)
            // No program has opened the adapter yet, so there is no event to report.
            if state.isUnpowered { _ = kernel.apply(.unpowered) }
            state.adapters[number] = AdapterState(
                number: number,
                seed: world.seed,
                kernel: kernel,
                hasVisitors: hasVisitors,
                others: OtherPrograms(traits, start: time.now),
                place: index == 0 ? .usual : .second
            )
            return SimulatedAdapter(number, kernel, at: index, in: self)
        }
        adapter.followChanges()
        if traits.contains(.leftoverScan) { adapter.startLeftoverScan() }
        return adapter
    }

    /// The number of adapters in the world.
    public var adapterCount: Int { state.withLock { $0.adapters.count } }

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
                state.deliver(until: time.now)
            }
        }
    }

    private func nextMoment(generation: Int) -> Instant? {
        state.withLock { state in
            guard state.follower.generation == generation else { return nil }
            let moment = state.nextMoment
            state.follower.sleepingUntil = moment
            return moment
        }
    }

    // MARK: - Devices

    /// Lets a device advertise again after one of its links has ended, and wakes the attempts that wait for it.
    func isBack(_ station: Int) { change(station) { $0.connections -= 1 } }

    /// Changes a device's state, puts it into effect on the air, and wakes the attempts that wait for the device.
    func change(_ station: Int, _ change: (inout Station) -> Void) {
        let waiters = state.withLock { state in
            change(&state.stations[station])
            defer { follow(&state) }
            return state.refresh(station, now: time.now)
        }
        for waiter in waiters { waiter.finish() }
    }

    private func happened(_ event: DeviceEvent, to station: Int) {
        switch event {
        case .exchanged: state.withLock { $0.stations[station].requests += 1 }
        case .odd, .asked, .fault, .dropped: break
        case .appeared(let guise): appear(station, as: guise)
        case .connectable(let isConnectable): change(station) { $0.acceptsConnections = isConnectable }
        case .left(let duration):
            change(station) { $0.excursions += 1 }
            scope.spawn { [self] in
                try? await time.sleep(for: duration)
                change(station) { $0.excursions -= 1 }
            }
        }
    }

    /// Gives a device another address and other advertisements.
    private func appear(_ station: Int, as guise: DeviceGuise) {
        state.withLock { state in
            state.stations[station].device.address = guise.address
            state.stations[station].device.advertising = guise.advertising
            state.stations[station].advertisedName = state.stations[station].device.advertisedName
            state.air.replaceSets(of: station, guise.address, guise.advertising, now: time.now)
        }
        // Attempts may wait for the new address.
        change(station) { _ in }
    }
}

extension RunningWorld.State {
    // MARK: - Listening

    /// The time of the next advertisement or of a scan's end; `nil` if there is neither.
    var nextMoment: Instant? {
        guard !listeners.isEmpty else { return nil }
        let end = listeners.compactMap(\.end).min()
        return [air.next, late.first?.due, end].compactMap { $0 }.min()
    }

    mutating func startScanning(_ number: Int, _ scanner: Scanner, until end: Instant?, now: Instant) {
        guard let place = adapters[number]?.place else { return }
        adapters[number]?.scanner = scanner
        if listeners.isEmpty { air.startListening(now: now) }
        listeners.removeAll { $0.number == number }
        listeners.append(RunningWorld.Listener(number: number, place: place, end: end))
        listeners.sort { $0.number < $1.number }
    }

    mutating func stopScanning(_ number: Int) {
        adapters[number]?.scanner = nil
        listeners.removeAll { $0.number == number }
        guard listeners.isEmpty else { return }
        air.stopListening()
        late = []
        follower.task?.cancel()
        follower = RunningWorld.Follower(generation: follower.generation + 1)
    }

    /// Reports the advertisements up to now, and ends the scans whose time is up.
    mutating func deliver(until now: Instant) {
        while let transmission = takeLate(now: now) { deliver(transmission) }
        while let transmission = air.takeTransmission(now: now) {
            for transmission in faulty(transmission) { deliver(transmission) }
        }
        // Once more, because a fault may have held one of these back for a time that is over by now.
        while let transmission = takeLate(now: now) { deliver(transmission) }
        // The loop has its own copy of the list, which `stopScanning` shortens.
        for listener in listeners {
            guard let end = listener.end, end <= now else { continue }
            stopScanning(listener.number)
            adapters[listener.number]?.scanTimedOut()
        }
    }

    private mutating func deliver(_ transmission: Transmission) {
        for listener in listeners where transmission.sender != .adapter(listener.number) {
            let level = signal(of: transmission.sender, at: transmission.instant, for: listener.place)
            adapters[listener.number]?.deliver(transmission, at: level)
        }
    }

    func signal(of sender: Air.Sender, at moment: Instant, for place: AdapterPosition) -> SignalLevel {
        switch sender {
        case .device(let index):
            place.level(
                of: stations[index].signal,
                at: moment - start,
                address: stations[index].device.address
            )
        // Two machines in one room.
        case .adapter: SignalLevel(mean: -50, wanders: true)
        }
    }

    // MARK: - Devices

    /// Puts a device's state into effect on the air. Returns the connection attempts to wake.
    mutating func refresh(_ index: Int, now: Instant) -> [ConnectWaiters.Waiter] {
        let station = stations[index]
        air.setState(
            index,
            acceptsConnections: station.acceptsConnections,
            hasRoom: station.hasRoom,
            isPresent: station.isPresent,
            now: now
        )
        guard station.acceptsConnections, station.hasRoom, station.isPresent else { return [] }
        // Attempts go to any of the addresses that such a device has had.
        return station.device.pairing?.addressLife == nil ? waiters.take(station.device.address) : waiters.takeAll()
    }

    /// The links of a device, in the order of the adapters' numbers.
    func links(of index: Int) -> [SimulatedLink] {
        adapters.keys.sorted().flatMap { adapters[$0]?.links ?? [] }.filter { $0.sender == .device(index) }.map(\.link)
    }

    // MARK: - Advertising of adapters

    /// Puts an adapter's advertising on the air as its controller has configured it. Returns the connection attempts to
    /// wake.
    mutating func updateAdvertising(of number: Int, now: Instant) -> [ConnectWaiters.Waiter] {
        guard let sets = adapters[number]?.controller.advertisedSets else { return [] }
        air.setAdvertising(sets, of: number, now: now)
        // An attempt to reach an identity address can also succeed at a private address of it, because the key may be
        // known.
        return sets.flatMap { $0.address.kind == .resolvable ? waiters.takeAll() : waiters.take($0.address) }
    }
}
