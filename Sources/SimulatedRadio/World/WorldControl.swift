// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices
public import BluetoothHost
import Synchronization

/// The control of a running world from outside: the actions of a person with the devices.
///
/// A device is named by its definition, by its advertised name, or by its address.
public struct WorldControl: Sendable {
    /// The maximum number of names that an error carries, as many as a packet to another process. A message that shows
    /// fewer can state the number of the others.
    private static let listedNames = 32

    let world: RunningWorld

    /// The devices in the order of the world.
    public func devices() async -> [WorldDevice] {
        var devices: [WorldDevice] = []
        for station in world.state.withLock({ $0.stations }) { devices.append(await describe(station)) }
        return devices
    }

    /// A device as it is now.
    public func device(_ name: String) async throws(WorldProblem) -> WorldDevice {
        let index = try station(name).index
        return await describe(world.state.withLock { $0.stations[index] })
    }

    private func describe(_ station: RunningWorld.Station) async -> WorldDevice {
        let uptime = world.time.now - world.start
        let level = station.signal.level(at: uptime).mean
        return WorldDevice(
            name: station.device.name,
            advertisedName: station.advertisedName,
            address: station.device.address,
            isConnectable: station.device.isConnectable && station.acceptsConnections,
            isInRange: station.isPresent && station.signal.absence(at: uptime) == nil,
            isPaused: await station.peripheral.isPaused,
            rssi: Int8(clamping: Int(level.rounded(.toNearestOrAwayFromZero))),
            connections: station.connections,
            requests: station.requests
        )
    }

    /// The adapters in the order in which they joined.
    public func adapters() -> [WorldAdapter] {
        world.state.withLock { state in
            state.adapters.sorted { $0.key < $1.key }.map { _, adapter in
                WorldAdapter(
                    address: adapter.kernel.profile.address,
                    isPowered: adapter.kernel.state == .up,
                    isScanning: adapter.scanner != nil,
                    isAdvertising: adapter.controller.advertising.isConnectable,
                    connections: adapter.links.count
                )
            }
        }
    }

    /// Changes a value of a device, and sends it to the clients that have subscribed. A value that no client could see
    /// is not settable: one that can be neither read nor sent.
    public func set(
        _ value: [UInt8],
        of target: WorldRequest.Target,
        on device: String
    ) async throws(WorldProblem) {
        let runner = try station(device).runner
        let database = await runner.database
        guard target.handle(in: database).map({ database.shows($0) }) ?? true else { throw .notSettable }
        guard let isSet = await runner.setValue(value, of: { target.handle(in: $0) }) else { throw .noAttribute }
        guard isSet else { throw .notSettable }
    }

    /// Ends the links of a device.
    public func disconnect(_ device: String) async throws(WorldProblem) {
        await (try station(device)).runner.hangUp(.remoteUserTerminatedConnection)
    }

    /// Lets a device accept connections, or no more of them, and advertise accordingly.
    public func setConnectable(_ device: String, _ isConnectable: Bool) throws(WorldProblem) {
        let index = try station(device).index
        world.change(index) { $0.acceptsConnections = isConnectable }
    }

    /// Changes the signal of a device. Out of range, its links are lost.
    public func setSignal(_ device: String, _ signal: WorldRequest.Signal) throws(WorldProblem) {
        let index = try station(device).index
        switch signal {
        case .strength(let level):
            world.change(index) { station in
                station.signal.rssi = level
                // A path would move the strength away from the wanted one.
                if case .path = station.signal.movement { station.signal.movement = .wandering }
            }
        case .outOfRange:
            // Before the links are closed, so that the device does not advertise when they have ended.
            world.change(index) { $0.isMovedAway = true }
            for link in world.state.withLock({ $0.links(of: index) }) { link.closeByDevice(.connectionTimeout) }
        case .inRange:
            world.change(index) { $0.isMovedAway = false }
        }
    }

    /// Sends a value to the clients that have subscribed, and leaves the value of the device as it is. Returns how many
    /// clients that are.
    public func send(
        _ value: [UInt8],
        of target: WorldRequest.Target,
        on device: String
    ) async throws(WorldProblem) -> Int {
        let runner = try station(device).runner
        guard let count = await runner.send(value, of: { target.handle(in: $0) }) else { throw .noAttribute }
        return count
    }

    /// The number of clients that are subscribed to a characteristic of a device.
    public func subscribers(of target: WorldRequest.Target, on device: String) async throws(WorldProblem) -> Int {
        let runner = try station(device).runner
        guard let count = await runner.subscribers(of: { target.handle(in: $0) }) else { throw .noAttribute }
        return count
    }

    /// The attributes of a device, with the values that its database holds.
    public func database(of device: String) async throws(WorldProblem) -> GATTDatabase {
        await (try station(device)).runner.database
    }

    /// The number of requests to a device that have no answer yet.
    public func waitingRequests(of device: String) async throws(WorldProblem) -> Int {
        await (try station(device)).runner.waitingRequests
    }

    /// Restarts a device. Its links are lost, and it has the values of its start.
    public func restart(_ device: String) async throws(WorldProblem) {
        let (index, runner) = try station(device)
        // Before the timeline of the start, which may say otherwise.
        world.change(index) { $0.acceptsConnections = true }
        await runner.restart()
    }

    /// The faults of a device that never acted.
    public func unmetFaults(of device: String) async throws(WorldProblem) -> [FaultRule] {
        let index = try station(device).index
        return await world.unmetFaults()[index]
    }

    /// The number of attempts to connect that wait for a device.
    public var waitingConnections: Int { world.state.withLock { $0.waiters.count } }

    /// Blocks all adapters by software, as rfkill(8) does, or lifts the block. Their power stays off until it is
    /// switched on.
    public func setBlocked(_ isBlocked: Bool) { change(isBlocked ? [.blocked] : [.unblocked]) }

    /// Pulls all adapters out, or plugs them in again and switches them on.
    public func setPluggedIn(_ isPluggedIn: Bool) {
        change(isPluggedIn ? [.pluggedIn, .setUp, .powered] : [.pulledOut])
    }

    private func change(_ changes: [SimulatedKernel.Change]) {
        let kernels = world.state.withLock { state in
            // Under the lock under which adapters are added, so that none is missed between the two.
            if changes.contains(.powered) { state.isUnpowered = false }
            if changes.contains(.unpowered) { state.isUnpowered = true }
            return state.adapters.mapValues(\.kernel)
        }
        for (number, kernel) in kernels.sorted(by: { $0.key < $1.key }) {
            let adapter = SimulatedAdapter(number, kernel, in: world)
            for change in changes { adapter.apply(change) }
        }
    }

    /// Powers all adapters on or off, and also those of machines that join later.
    public func setPower(_ isOn: Bool) {
        change(isOn ? [.powered] : [.unpowered])
    }

    /// Holds the answers of a device back, or sends those that were held back.
    public func setPaused(_ device: String, _ isPaused: Bool) async throws(WorldProblem) {
        let (index, runner) = try station(device)
        await runner.setPaused(isPaused)
        // Connections that a fault has paused are made now.
        if !isPaused { world.change(index) { $0.faults.release() } }
    }

    /// Puts one of a device's databases in place of the present one; `nil` for that of its start.
    public func switchDatabase(of device: String, to name: String?) async throws(WorldProblem) {
        guard let known = await (try station(device)).runner.switchDatabase(to: name) else { return }
        throw .noDatabase(name ?? "", among: known)
    }

    // MARK: - Requests of other processes

    /// Carries out a request, and returns its answers: a change is followed by the device as it is then. `stop` only
    /// gets an answer: the owner of the world ends it.
    public func answers(to request: WorldRequest) async -> [WorldAnswer] {
        do throws(WorldProblem) {
            switch request {
            case .list: return await devices().map { .device($0) } + adapters().map { .adapter($0) } + [.done]
            case .power(let isOn):
                setPower(isOn)
                return adapters().map { .adapter($0) } + [.done]
            case .stop: return [.done]
            case .set(let value, let target, let device): try await set(value, of: target, on: device)
            case .disconnect(let device): try await disconnect(device)
            case .connectable(let device, let isConnectable): try setConnectable(device, isConnectable)
            case .signal(let device, let signal): try setSignal(device, signal)
            case .pause(let device): try await setPaused(device, true)
            case .release(let device): try await setPaused(device, false)
            case .database(let device, let name): try await switchDatabase(of: device, to: name)
            case .addFault(let fault): return try await add(fault).map { .fault($0) } + [.done]
            case .faults(let device): return try await faults(of: device).map { .fault($0) } + [.done]
            case .removeFaults(let fault, let device):
                return try await removeFaults(fault, of: device).map { .fault($0) } + [.done]
            }
            guard let name = request.device else { return [.done] }
            return [.device(try await device(name)), .done]
        } catch {
            return [.failed(error)]
        }
    }

    // MARK: - Devices

    /// Finds a device by its name, its address or its advertised name, the most certain way first. Throws if several
    /// fit, so that no change hits the wrong device.
    func station(_ name: String) throws(WorldProblem) -> (index: Int, runner: DeviceRunner) {
        let stations = world.state.withLock { $0.stations }
        // The name of a definition is the most certain, and no two devices of a world need to advertise different ones.
        let ways: [(RunningWorld.Station) -> Bool] = [
            { $0.device.name == name },
            { $0.device.address.address.description.lowercased() == name.lowercased() },
            { $0.advertisedName == name },
            { $0.advertisedName?.lowercased() == name.lowercased() },
        ]
        for isMeant in ways {
            let found = stations.indices.filter { isMeant(stations[$0]) }
            if found.count > 1 {
                let names = found.prefix(Self.listedNames).map { stations[$0].device.address.address.description }
                throw .severalDevices(name, names)
            }
            if let index = found.first { return (index, stations[index].peripheral) }
        }
        let names = stations.prefix(Self.listedNames).map { $0.advertisedName ?? $0.device.name }
        throw .noDevice(name, among: names)
    }
}

extension RunningWorld {
    /// The control of the world from outside.
    public var control: WorldControl { WorldControl(world: self) }
}

extension GATTDatabase {
    /// Whether a client can read the attribute, or have its value sent.
    fileprivate func shows(_ handle: Handle) -> Bool {
        if self[handle]?.permissions.read != nil { return true }
        let characteristic = characteristics().first { $0.valueHandle == handle }
        return characteristic.map { !$0.properties.isDisjoint(with: [.notify, .indicate]) } ?? false
    }
}

extension WorldRequest.Target {
    /// The attribute in a database; `nil` if there is none.
    func handle(in database: GATTDatabase) -> Handle? {
        switch self {
        case .handle(let handle): database[handle].map { _ in handle }
        case .characteristic(let uuid, let service): database.characteristic(uuid, in: service)?.valueHandle
        case .descriptor(let uuid, let characteristic, let service):
            database.characteristic(characteristic, in: service).flatMap { database.descriptor(uuid, of: $0) }
        }
    }
}
