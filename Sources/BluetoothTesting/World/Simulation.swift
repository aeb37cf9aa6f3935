// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
public import BluetoothHost
public import SimulatedRadio

/// A simulated world with one machine in it, and the hand that reaches into both.
///
/// Only the radio is replaced: the code under test sends real HCI packets and ATT PDUs, and the devices answer by the
/// GATT server that also serves real centrals. Time is virtual, unless the test asks for real time: it moves when nothing
/// is left to do, so that an hour of heartbeats takes a fraction of a second, and two runs are the same.
///
///     @Test(.simulated { try .builtIn("pulse-strap") })
///     func reportsALowBattery() async throws {
///         let simulation = try Simulation.current
///         try await simulation.device.set(BatteryLevel(percent: 3))
///         let level = try await simulation.peripheral.characteristic(0x2A19).read()
///         #expect(level.value == [3])
///     }
///
/// Virtual time covers the task of the test and all tasks that it starts, also unstructured, detached and sleeping ones.
/// They run one after the other on one thread. While the main actor works for the test, the clock stands still. Threads
/// and queues of Dispatch that the code under test has of its own are outside: for these there is real time.
public struct Simulation: Sendable {
    /// All adapters of the machine: what the code under test gets in place of the kernel.
    public let system: SimulatedRadioSystem
    /// The clock of the world. Virtual time begins at zero.
    public let time: any TimeSource
    /// The scope of everything that runs in the background; it ends with the simulation.
    public let scope: TaskScope
    /// The devices, in the order of the world.
    public let devices: [RunningDevice]
    /// The device in the machine's role of central: the first one that can be connected.
    ///
    /// It connects when an operation needs the link, and disconnects at the end of the simulation.
    public let peripheral: Peripheral

    /// The machine in the role of central, for code that scans and chooses its device.
    ///
    /// Code under test that opens its own central does so by `withCentral(on: simulation.system)`.
    public let central: Central

    let world: RunningWorld
    let belongings: SimulationResources

    @TaskLocal static var bound: Simulation?

    /// The simulation in which the current task runs.
    ///
    /// - Throws: `SimulationError.noSimulation` outside of `withSimulation` and of tests with the trait `simulated`.
    public static var current: Simulation {
        get throws(SimulationError) {
            guard let bound else { throw .noSimulation }
            return bound
        }
    }

    init(_ world: SimulatedWorld, time: any TimeSource, scope: TaskScope) throws {
        let journal = RequestJournal(devices: world.devices.count)
        let running = RunningWorld(world, time: time, scope: scope) { device, event in
            if case .exchanged(let exchange) = event { journal.add(exchange, of: device, at: time.now) }
        }
        self.world = running
        self.time = time
        self.scope = scope
        system = running.join(world.adapter)
        devices = world.devices.enumerated().map { number, device in
            RunningDevice(device, number, of: running, journal)
        }
        belongings = SimulationResources()
        central = Central(system.radio, scope: scope, time: time)
        let address = (world.devices.first(where: \.isConnectable) ?? world.devices.first)?.address
        peripheral = Peripheral(
            // A world without devices has a peripheral as well, whose connection attempts find nothing.
            address ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public),
            radio: system.radio,
            scope: scope,
            time: time
        )
        belongings.add(peripheral)
        belongings.add(system)
    }

    // MARK: - Devices

    /// The device of `peripheral`: the first one that can be connected, or else the first one.
    ///
    /// - Throws: `SimulationError.noDevice` in a world without devices.
    public var device: RunningDevice {
        get throws(SimulationError) {
            guard let device = devices.first(where: { $0.address == peripheral.address }) ?? devices.first else {
                throw .noDevice("any", among: [])
            }
            return device
        }
    }

    /// The device with that label.
    public func device(_ label: String) throws(SimulationError) -> RunningDevice {
        guard let device = devices.first(where: { $0.label == label }) else {
            throw .noDevice(label, among: devices.map(\.label))
        }
        return device
    }

    /// A device as the machine sees it, in the role of central. It connects when an operation needs the link, and
    /// disconnects at the end of the simulation.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - configuration: How connections are made.
    public func peripheral(
        _ device: RunningDevice,
        configuration: Peripheral.Configuration = Peripheral.Configuration()
    ) -> Peripheral {
        peripheral(at: device.address, configuration: configuration)
    }

    /// A device at an address, as a machine sees it. It disconnects at the end of the simulation.
    ///
    /// - Parameters:
    ///   - address: The address: that of a device, or of an adapter that advertises.
    ///   - machine: The machine that connects; `nil` for that of the test.
    ///   - configuration: How connections are made.
    public func peripheral(
        at address: DeviceAddress,
        of machine: SimulatedRadioSystem? = nil,
        configuration: Peripheral.Configuration = Peripheral.Configuration()
    ) -> Peripheral {
        let made = Peripheral(
            address,
            radio: (machine ?? system).radio,
            scope: scope,
            time: time,
            configuration: configuration
        )
        belongings.add(made)
        return made
    }

    /// Adds another machine with an adapter of its own, so that code in both roles can meet: one machine serves, the
    /// other one connects.
    public func addMachine() -> SimulatedRadioSystem {
        let machine = world.join()
        belongings.add(machine)
        return machine
    }

    // MARK: - Adapter

    /// The adapter of the machine, which the test controls.
    public var adapter: RunningAdapter { RunningAdapter(control: world.control) }

    // MARK: - Time

    /// Lets a time pass, with everything that happens in it.
    public func advance(by duration: Duration) async throws(CancellationError) { try await time.sleep(for: duration) }

    /// Lets time pass until nothing is due any more, so that nothing more can happen without the test.
    ///
    /// A device that sends values periodically to a subscribed client is never at rest, and neither is a world in real
    /// time, which lets the whole limit pass.
    ///
    /// - Parameter limit: The longest time.
    /// - Returns: Whether the world is at rest. Its clock then stands still.
    @discardableResult
    public func runUntilIdle(limit: Duration = .seconds(60)) async throws(CancellationError) -> Bool {
        guard time is VirtualTime else {
            try await time.sleep(for: limit)
            return false
        }
        return try await time.untilNothingIsDue(or: time.now + limit)
    }

    /// Lets time pass until a condition is met, which is looked at each time that nothing else can happen at a moment.
    ///
    /// - Parameters:
    ///   - limit: The longest time.
    ///   - condition: The condition.
    /// - Throws: `DeadlineExceeded` if it is not met in time.
    public func run(
        limit: Duration = .seconds(60),
        until condition: @Sendable () async throws -> Bool
    ) async throws {
        let deadline = time.now + limit
        while try await !condition() {
            guard time.now < deadline else { throw DeadlineExceeded("condition of the test", limit: limit) }
            // Virtual time moves only when nothing else can happen, so that each look sees a world that has settled.
            try await time.sleep(for: .milliseconds(1))
        }
    }
}

/// Why there is no simulation, or no device in it.
public enum SimulationError: Error, Hashable, Sendable {
    /// The task runs in no simulation: neither in `withSimulation`, nor in a test with the trait `simulated`.
    case noSimulation
    /// There is no such device; these are the labels that there are.
    case noDevice(String, among: [String])
}
