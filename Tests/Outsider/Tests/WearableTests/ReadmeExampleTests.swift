// SPDX-License-Identifier: MIT

import BluetoothTesting
import Synchronization
import Testing
import Wearable

@Suite("The examples of RZBluetooth")
struct RZBluetoothTests {
    @Test("straps are listed once, and other devices are not", .simulated("pulse-strap", "thermometer"))
    func scan() async throws {
        let simulation = try Simulation.current
        let found = try await straps(simulation.central, for: .seconds(5))
        #expect(found.map(\.name) == ["Pulse HR"])
        #expect(try found.map(\.address) == [simulation.device("pulse-strap").address])
    }

    @Test("the place on the body, or why there is none", .simulated("pulse-strap"))
    func location() async throws {
        let simulation = try Simulation.current
        #expect(await bodyLocation(simulation.peripheral) == "chest")
        await simulation.peripheral.disconnect()
        try simulation.device.leave()
        #expect(await bodyLocation(simulation.peripheral) == "please come nearer")
        try simulation.device.comeBack()
    }

    @Test("device information of a device that has not all of it", .simulated("pulse-strap"))
    func information() async throws {
        #expect(try await facts(Simulation.current.peripheral).first == "blectl simulation")
    }

    @Test("a monitor outlives ten lost links", .simulated("pulse-strap"))
    func monitor() async throws {
        let simulation = try Simulation.current
        let patient = Peripheral.Configuration(reconnection: .unlimited())
        let strap = simulation.peripheral(try simulation.device, configuration: patient)
        let monitor = await BatteryMonitor()
        await monitor.start(strap)
        try await simulation.advance(by: .seconds(10))
        for level in UInt8(1)...10 {
            try simulation.device.leave()
            try await simulation.advance(by: .seconds(60))
            try simulation.device.comeBack()
            try await simulation.advance(by: .seconds(60))
            try await simulation.device.set(BatteryLevel(percent: level))
            try await simulation.run { await monitor.levels.last == level }
        }
        #expect(await monitor.losses == 10)
        await monitor.stop()
        #expect(await monitor.failure == nil)
    }

    @Test("one model for both sides, and firmware in Swift", .simulated { pingDevice() })
    func ping() async throws {
        let simulation = try Simulation.current
        let service = simulation.peripheral.service(PingService.self)
        #expect(try await service.ping(41) == 42)
        #expect(try await service.ping(255) == 0)
        let written = try simulation.device.requests(of: Ping.characteristic).compactMap(\.written)
        #expect(written == [[41], [255]])
    }

    @Test("a paused device, an injected error, an adapter that is switched off", .simulated("pulse-strap"))
    func badDays() async throws {
        let simulation = try Simulation.current
        let strap = simulation.peripheral
        _ = try await strap.read(.batteryLevel)
        try await simulation.device.pause()
        let read = Task { () async throws(BluetoothError) in try await strap.read(.batteryLevel).percent }
        try await simulation.advance(by: .seconds(3))
        #expect(try await !simulation.device.isIdle)
        try await simulation.device.release()
        #expect(try await read.value == 87)
        try await simulation.device.add("read battery-level: error 0x0e once")
        let error = await #expect(throws: BluetoothError.self) { try await strap.read(.batteryLevel) }
        #expect(error?.description.contains("ATT 0x0E") == true)
        simulation.adapter.setPower(false)
        await #expect(throws: BluetoothError.self) { try await strap.read(.batteryLevel) }
        #expect(simulation.system.adapterState() == .off)
        simulation.adapter.setPower(true)
    }
}

@Suite("The examples of YmsCoreBluetooth", .simulated("sensor-tag"))
struct YmsCoreBluetoothTests {
    @Test("a screen of a tag shows its sensors, its keys and its signal")
    func screen() async throws {
        let simulation = try Simulation.current
        let screen = TagScreen()
        let strap = simulation.peripheral
        let showing = Task { await screen.show(strap) }
        try await simulation.run { await screen.acceleration != nil }
        try await simulation.run { await screen.pressure != nil }
        try await simulation.run { await screen.rssi != nil }
        let pascals = try #require(await screen.pressure?.pascals)
        #expect((80_000...110_000).contains(pascals))
        try await simulation.device.send(SensorTag.Keys.left)
        try await simulation.run { await screen.keys.contains(.left) }
        showing.cancel()
        await showing.value
        #expect(await screen.failure == nil)
    }

    @Test("a tag is found by its name")
    func found() async throws {
        let simulation = try Simulation.current
        #expect(try await knownTags(simulation.central).address == simulation.device.address)
    }
}

@Suite("The examples of DDBluetooth")
struct DDBluetoothTests {
    @Test("the strongest of those with the prefix is first", .simulated("pulse-strap", "thermometer"))
    func scan() async throws {
        let simulation = try Simulation.current
        #expect(try await nearest(["Pulse"], simulation.central).map(\.name) == ["Pulse HR"])
        #expect(try await nearest(["nobody"], simulation.central).isEmpty)
    }

    @Test("attempts are repeated and counted", .simulated("pulse-strap"))
    func retries() async throws {
        let simulation = try Simulation.current
        try await simulation.device.add("connect: error #1-2")
        let attempts = Mutex(0)
        let address = try simulation.device.address
        try await withCentral(on: simulation.system) { central in
            let result = await connect(central, to: address, retries: 3) { _ in attempts.withLock { $0 += 1 } }
            #expect(throws: Never.self) { _ = try result.get() }
        }
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test("octets are written in parts, with progress, and values are counted", .simulated { uart() })
    func transactions() async throws {
        let simulation = try Simulation.current
        let transactions = Transactions(simulation.peripheral)
        let octets = [UInt8](repeating: 7, count: 1000)
        let percents = Mutex<[Int]>([])
        try await transactions.write(octets, to: 0xFF41, hasResponses: true) { percent in
            percents.withLock { $0.append(percent) }
        }
        #expect(try simulation.device.requests(of: 0xFF41).compactMap(\.written).flatMap(\.self) == octets)
        #expect(percents.withLock { $0 }.last == 100)
        async let values = transactions.first(2, of: 0xFF42)
        try await simulation.advance(by: .seconds(2))
        try await simulation.device.send([1], of: 0xFF42)
        try await simulation.device.send([2], of: 0xFF42)
        #expect(try await values == [[1], [2]])
        #expect(try await transactions.read(0xFF41) == Array(octets.suffix(1000 % 244)))
    }
}

/// A device with a serial line.
private func uart() -> DeviceDefinition {
    DeviceDefinition("uart") {
        DeviceAdvertising(name: "UART")
        DeviceService(0xFF40) {
            DeviceCharacteristic(0xFF41, [.read, .write], value: .octets([]))
            DeviceCharacteristic(0xFF42, [.indicate])
        }
    }
}
