// SPDX-License-Identifier: MIT

import BluetoothTesting
import Synchronization
import Testing

/// What an app meets besides values: states of the adapter, links that are shared, errors.
@Suite("An app", .simulated("pulse-strap"))
struct AppTests {
    @Test("follows the states of the adapter")
    func states() async throws {
        let simulation = try Simulation.current
        let system = simulation.system
        let seen = Mutex<[AdapterState]>([])
        let watch = Task {
            for await state in system.adapterStates() { seen.withLock { $0.append(state) } }
        }
        try await simulation.advance(by: .seconds(1))
        simulation.adapter.setPower(false)
        try await simulation.advance(by: .seconds(1))
        simulation.adapter.setPower(true)
        try await simulation.advance(by: .seconds(1))
        simulation.adapter.setPluggedIn(false)
        try await simulation.advance(by: .seconds(1))
        simulation.adapter.setPluggedIn(true)
        try await simulation.advance(by: .seconds(10))
        watch.cancel()
        await watch.value
        let states = seen.withLock { $0 }
        #expect(states.filter { $0 != .starting } == [.on, .off, .on, .absent, .on])
    }

    @Test("has one link for all its parts")
    func oneLink() async throws {
        let simulation = try Simulation.current
        let address = try simulation.device.address
        try await withCentral(on: simulation.system) { central in
            let first = central.peripheral(address)
            let second = central.peripheral(address)
            #expect(first === second)
            #expect(try await first.read(.batteryLevel).percent == 87)
            #expect(central.connectedDevices == [address])
            try await central.withPeripheral(address) { third in
                #expect(third === first)
                let level = try await third.read(.batteryLevel)
                #expect(level.percent == 87)
            }
            // The block did not make the link, and does not end it.
            #expect(await first.isConnected)
        }
        // The machine keeps a link for a moment.
        try await simulation.advance(by: .seconds(3))
        #expect(try await simulation.device.state.connections == 0)
    }

    @Test("gets errors of one type, in words")
    func errors() async throws {
        let simulation = try Simulation.current
        let strap = simulation.peripheral
        func text(_ body: () async throws(BluetoothError) -> Void) async -> String {
            do throws(BluetoothError) {
                try await body()
                return "no error"
            } catch {
                return error.description
            }
        }
        let name = strap.address.address
        #expect(
            await text { () async throws(BluetoothError) in
                _ = try await strap.service(0x180F).characteristic(0x2A6E).read(within: .seconds(5))
            }
                == "cannot read Temperature from \(name): the device has no characteristic Temperature (0x2A6E) in service Battery (0x180F)"
        )
        #expect(
            await text { () async throws(BluetoothError) in
                _ = try await strap.characteristic(0x2A37).read(within: .seconds(5))
            }.hasPrefix("cannot read Heart Rate Measurement from \(name): the device refused")
        )
        await strap.disconnect()
        try simulation.device.leave()
        #expect(
            await text { () async throws(BluetoothError) in _ = try await strap.signalStrength(within: .seconds(5)) }
                .hasPrefix("cannot measure the signal of \(name): ")
        )
        try simulation.device.comeBack()
    }

    @Test("is told of a cancellation by the same error")
    func cancellation() async throws {
        let strap = try Simulation.current.peripheral
        let read = Task { () async throws(BluetoothError) -> UInt8 in
            for try await level in strap.values(of: .batteryLevel) { return level.percent }
            return 0
        }
        try await Simulation.current.advance(by: .seconds(2))
        read.cancel()
        let error = await #expect(throws: BluetoothError.self) { try await read.value }
        #expect(error?.isCancellation == true)
    }

    @Test("a request that ended with its link is not left over")
    func endedRequest() async throws {
        let simulation = try Simulation.current
        let strap = simulation.peripheral
        _ = try await strap.read(.batteryLevel)
        try await simulation.device.add("read battery-level: delay 5s")
        let read = Task { try await strap.read(.batteryLevel) }
        try await simulation.advance(by: .seconds(1))
        await strap.disconnect()
        await #expect(throws: BluetoothError.self) { try await read.value }
    }

    @Test("a read by the UUID is among the requests of the characteristic")
    func readByUUID() async throws {
        let simulation = try Simulation.current
        _ = try await simulation.peripheral.read(.batteryLevel)
        #expect(try simulation.device.requests(of: 0x2A19).map(\.isRead) == [true])
        #expect(try simulation.device.requests(of: 0x2A37).isEmpty)
    }

    @Test("a fault of a characteristic that the device does not have is refused")
    func unknownTarget() async throws {
        let device = try Simulation.current.device
        await #expect(throws: WorldProblem.noAttribute) { try await device.add("read batery-level: error") }
        await #expect(throws: WorldProblem.noAttribute) { try await device.add("read 2a6e: error") }
    }
}

@Suite("Writing in parts")
struct PartsTests {
    /// A device that takes a firmware, and keeps what was written.
    private final class Updater: Sendable {
        static let data: BluetoothUUID = 0xFF31
        private let parts = Mutex<[[UInt8]]>([])
        var written: [[UInt8]] { parts.withLock { $0 } }

        var definition: DeviceDefinition {
            DeviceDefinition("updater") {
                DeviceAdvertising(name: "Updater")
                DeviceService(0xFF30) {
                    DeviceCharacteristic(Self.data, [.write, .writeWithoutResponse])
                        .onWrite { [self] value, _ in parts.withLock { $0.append(value) } }
                }
            }
        }
    }

    @Test("all parts arrive in order, with and without responses", arguments: [true, false])
    func parts(hasResponses: Bool) async throws {
        let updater = Updater()
        let firmware = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        let progress = Mutex<[Int]>([])
        try await withSimulation(SimulatedWorld { updater.definition }) { simulation in
            let data = simulation.peripheral.characteristic(Updater.data)
            try await data.write(parts: firmware, hasResponses: hasResponses) { count in
                progress.withLock { $0.append(count) }
            }
            // A part without a response is on its way yet.
            try await simulation.advance(by: .seconds(1))
        }
        #expect(updater.written.flatMap(\.self) == firmware)
        #expect(updater.written.first?.count == 244)
        #expect(progress.withLock { $0.count } == 21)
        #expect(progress.withLock { $0.last } == 5000)
    }

    @Test("parts have the wanted length")
    func length() async throws {
        let updater = Updater()
        try await withSimulation(SimulatedWorld { updater.definition }) { simulation in
            try await simulation.peripheral.characteristic(Updater.data).write(parts: [1, 2, 3, 4, 5], length: 2)
        }
        #expect(updater.written == [[1, 2], [3, 4], [5]])
    }
}

@Suite("A barometer", .simulated("sensor-tag"))
struct BarometerTests {
    @Test("its calibration makes pascals of its numbers")
    func pressure() async throws {
        let tag = try Simulation.current.peripheral.service(SensorTagService.self)
        let calibration = try await tag.barometerCalibration()
        try await tag.set(.barometer, isOn: true)
        for try await reading in tag.pressures(calibration) {
            #expect((80_000...110_000).contains(reading.pascals))
            #expect((-20...60).contains(reading.celsius))
            let raw = try reading.raw(calibration)
            #expect(abs(SensorTag.Pressure(raw, calibration).pascals - reading.pascals) < 5)
            break
        }
        try await tag.set(.barometer, isOn: false)
    }
}
