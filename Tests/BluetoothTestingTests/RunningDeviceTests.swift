// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import BluetoothTesting
import SimulatedRadio
import Testing

@Suite("A device that the test controls", .simulated { try strap() })
struct RunningDeviceTests {
    /// The next value that an observation gets.
    private func next(_ observation: Observation) async throws -> [UInt8] {
        while true {
            if case .value(let event, _) = try await observation.next().kind { return event.value }
        }
    }

    @Test("a value that is set is sent to subscribers, and read by all")
    func set() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        let level = simulation.peripheral.characteristic(0x2A19)
        #expect(try await device.subscribers(of: 0x2A19) == 0)
        let observation = try await level.observe()
        #expect(try await device.subscribers(of: 0x2A19) == 1)
        try await device.set(BatteryLevel(percent: 3))
        #expect(try await next(observation) == [3])
        #expect(try await level.read().value == [3])
        #expect(try await device.send(BatteryLevel(percent: 99)) == 1)
        #expect(try await next(observation) == [99])
        #expect(try await level.read().value == [3])
        await observation.end()
        #expect(try await device.subscribers(of: 0x2A19) == 0)
    }

    @Test("text is set by its key", .simulated("pulse-strap"))
    func text() async throws {
        let simulation = try Simulation.current
        try await simulation.device.set("9.9", of: .firmwareRevision)
        #expect(try await simulation.peripheral.read(.firmwareRevision) == "9.9")
    }

    @Test("another database takes the place of the first, as after an update", .simulated("shapeshifter"))
    func database() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        let before = try await simulation.peripheral.tree()
        await #expect(throws: WorldProblem.self) { try await device.switchDatabase(to: "nowhere") }
        let problem = await #expect(throws: WorldProblem.self) { try await device.switchDatabase(to: "") }
        guard case .noDatabase(_, let names) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        let name: String = try #require(names.first)
        try await device.switchDatabase(to: name)
        await simulation.peripheral.disconnect()
        let after = simulation.peripheral(device)
        #expect(try await after.tree().services.count != before.services.count)
    }

    @Test("an unknown characteristic and a value that is too long are errors")
    func errors() async throws {
        let device = try Simulation.current.device
        await #expect(throws: WorldProblem.noAttribute) { try await device.set([1], of: 0x2A6E) }
        await #expect(throws: WorldProblem.notSettable) {
            try await device.set(Array(repeating: 0, count: 513), of: 0x2A19)
        }
        #expect(throws: SimulationError.noDevice("tag", among: ["strap"])) { try Simulation.current.device("tag") }
    }

    @Test("received requests are reported, decoded, with their answers")
    func requests() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        _ = try await simulation.peripheral.characteristic(0x2A19).read()
        let read = try #require(device.requests.first)
        #expect(device.requests.count == 1)
        #expect(read.isRead)
        #expect(read.instant > .zero)
        device.forgetRequests()
        _ = try await simulation.peripheral.characteristic(0x2A39).write([0x01])
        #expect(device.requests(of: 0x2A39).compactMap(\.written) == [[0x01]])
    }

    @Test("it disconnects, and can be connected again")
    func disconnect() async throws {
        let simulation = try Simulation.current
        _ = try await simulation.peripheral.connection()
        try await simulation.device.disconnect()
        try await simulation.run { await !simulation.peripheral.isConnected }
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
    }

    @Test("the central of the simulation finds it, and reads the typed values that were set")
    func central() async throws {
        let simulation = try Simulation.current
        let found = try await simulation.central.find { $0.services.contains(0x180F) }
        #expect(found.name == "Test HR")
        let device = try simulation.device
        #expect(found.address == device.address)
        try await simulation.central.withPeripheral(found.address) { peripheral in
            var levels = peripheral.values(of: .batteryLevel).makeAsyncIterator()
            async let change: Void = {
                try await simulation.run { try await device.subscribers(of: 0x2A19) == 1 }
                try await device.set(BatteryLevel(percent: 5))
            }()
            #expect(try await levels.next()?.percent == 5)
            try await change
        }
    }

    @Test("code with a central of its own leaves nothing behind")
    func ownCentral() async throws {
        let simulation = try Simulation.current
        let level = try await withCentral(on: simulation.system) { central in
            let address = try await central.find { $0.name == "Test HR" }.address
            return try await central.withPeripheral(address) { try await $0.read(.batteryLevel) }
        }
        #expect(level.percent == 87)
    }

    @Test("out of range its link is lost, and a waiting attempt succeeds when it is back")
    func range() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        _ = try await simulation.peripheral.connection()
        try device.leave()
        try await simulation.run { await !simulation.peripheral.isConnected }
        #expect(try await !device.state.isInRange)
        async let read = simulation.peripheral.characteristic(0x2A19).read()
        try await simulation.advance(by: .seconds(5))
        try device.comeBack()
        #expect(try await read.value == [87])
        #expect(simulation.time.now > .zero + .seconds(5))
    }

    @Test("a device that is not connectable keeps its link and accepts no other")
    func connectable() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        try device.setConnectable(false)
        let hasty = Peripheral.Configuration(connectTimeout: .seconds(1), retries: RetryPolicy(retries: 0))
        let peripheral = simulation.peripheral(device, configuration: hasty)
        await #expect(throws: (any Error).self) { try await peripheral.connection() }
        try device.setConnectable(true)
        _ = try await peripheral.connection()
    }

    @Test("answers that are held back come when they are released")
    func pause() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        _ = try await simulation.peripheral.connection()
        try await device.pause()
        async let read = simulation.peripheral.characteristic(0x2A19).read()
        try await simulation.advance(by: .seconds(2))
        #expect(try await !device.isIdle)
        try await device.release()
        #expect(try await read.value == [87])
        #expect(try await device.isIdle)
    }

    @Test("a restart loses its links and the values that were set")
    func restart() async throws {
        let simulation = try Simulation.current
        let device = try simulation.device
        _ = try await simulation.peripheral.connection()
        try await device.set(BatteryLevel(percent: 3))
        try await device.restart()
        try await simulation.run { await !simulation.peripheral.isConnected }
        #expect(try await device.value(of: BatteryLevel.self)?.percent == 87)
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
        #expect(try await device.state.connections == 1)
    }

    @Test("a fault can be added while it runs, as a sentence")
    func fault() async throws {
        let simulation = try Simulation.current
        try await simulation.device.add("read battery-level: error 0x0e once")
        await #expect(throws: GATTError.self) { try await simulation.peripheral.characteristic(0x2A19).read() }
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
        await #expect(throws: FaultTextError.self) { try await simulation.device.add("read battery-level: explode") }
        await #expect(throws: WorldProblem.noAttribute) { try await simulation.device.add("read batery-level: error") }
    }

    @Test("faults are listed, and taken away again")
    func faults() async throws {
        let device = try Simulation.current.device
        let level = try Simulation.current.peripheral.characteristic(0x2A19)
        let silent = try FaultRule("read battery-level: pause")
        try await device.add("read battery-level: error 0x0e once")
        try await device.add(silent)
        await #expect(throws: GATTError.self) { try await level.read() }
        #expect(try await device.faults.map(\.hasActed) == [true, false])
        async let held = level.read()
        try await Simulation.current.run { (try? await device.faults.last?.hasActed) == true }
        // The answer that the pause holds back comes when the pause is taken away.
        #expect(try await device.removeFaults(silent).map(\.hasActed) == [true])
        #expect(try await held.value == [87])
        #expect(try await device.removeFaults().count == 1)
        #expect(try await device.faults.isEmpty)
    }

    @Test("the signal can be set")
    func signal() async throws {
        let device = try Simulation.current.device
        try device.setRSSI(-91)
        #expect(try await device.state.rssi == -91)
    }

    @Test("the world comes to rest when nobody asks anything")
    func idle() async throws {
        let simulation = try Simulation.current
        #expect(try await simulation.runUntilIdle())
        async let read = simulation.peripheral.characteristic(0x2A19).read()
        _ = try await read
    }
}

@Suite("An adapter that the test controls", .simulated { try strap() })
struct RunningAdapterTests {
    @Test("an adapter that is off loses its links, and a blocked one cannot be switched on")
    func power() async throws {
        let simulation = try Simulation.current
        let adapter = simulation.adapter
        _ = try await simulation.peripheral.connection()
        adapter.setPower(false)
        try await simulation.run { await !simulation.peripheral.isConnected }
        #expect(try simulation.system.adapters().first?.state == .down)
        adapter.setBlocked(true)
        adapter.setPower(true)
        #expect(try simulation.system.adapters().first?.state == .blocked(byHardware: false))
        adapter.setBlocked(false)
        adapter.setPower(true)
        #expect(adapter.state?.isPowered == true)
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
    }

    @Test("a block ends its links at once")
    func block() async throws {
        let simulation = try Simulation.current
        _ = try await simulation.peripheral.connection()
        simulation.adapter.setBlocked(true)
        try await simulation.run { await !simulation.peripheral.isConnected }
        simulation.adapter.setBlocked(false)
    }

    @Test("an adapter is gone when it is pulled out, and works when it is plugged in again")
    func plug() async throws {
        let simulation = try Simulation.current
        simulation.adapter.setPluggedIn(false)
        #expect(try simulation.system.adapters().isEmpty)
        simulation.adapter.setPluggedIn(true)
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
    }

    @Test("an adapter may be off from the beginning", .simulated("pulse-strap", adapter: [.off]))
    func off() async throws {
        #expect(try Simulation.current.system.adapters().first?.state == .down)
    }
}
