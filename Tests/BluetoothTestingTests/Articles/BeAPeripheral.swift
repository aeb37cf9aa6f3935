// SPDX-License-Identifier: MIT

// The code of the article 'Be a peripheral'. `ArticleTests` holds the two equal.

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import BluetoothTesting
import Synchronization
import Testing

/// A lamp with a brightness, which any central may read, write and follow.
func lamp() throws -> DeviceDefinition {
    try DeviceDefinition("lamp", name: "Lamp") {
        DeviceAdvertising(name: "Lamp", services: [Lamp.service])
        try DeviceService(Lamp.service) {
            DeviceCharacteristic(Lamp.brightness, [.read, .write, .notify], value: .octets([50]))
                .onWrite(.number(0...100, try ValueFormat("u8")), .set(.uuid(Lamp.brightness, service: nil), .written))
                .onWrite(nil, .refuse(.valueNotAllowed))
        }
        try DeviceService(0x180F) {
            try DeviceCharacteristic(BatteryLevel(percent: 100), [.read, .notify])
        }
    }
}

enum Lamp {
    static let service: BluetoothUUID = 0xFF10
    static let brightness: BluetoothUUID = 0xFF11
}

/// Serves the lamp on an adapter until the task is cancelled. Its battery suffers from visitors.
func serveLamp(on system: any RadioSystem) async throws {
    try await withPeripheralHost(of: lamp(), on: system) { host in
        try await host.serve { event in
            if case .connected(let connection) = event {
                print("central \(connection.number) is here")
                try await host.set(BatteryLevel(percent: 99))
            }
            return .goOn
        }
    }
}

@Suite("A lamp")
struct LampTests {
    @Test("a brightness is stored, and sent to subscribers")
    func brightness() throws {
        var bench = try DeviceBench(lamp())
        let (hand, wall) = (bench.connect(), bench.connect())
        try bench.subscribe(wall, to: Lamp.brightness)
        try bench.write([80], to: Lamp.brightness, hand)
        #expect(try bench.read(Lamp.brightness, hand) == [80])
        #expect(bench.takeValues(of: Lamp.brightness, for: wall) == [[80]])
    }

    @Test("101 % is refused")
    func range() throws {
        var bench = try DeviceBench(lamp())
        let hand = bench.connect()
        #expect(throws: DeviceBench.Failure.refused(.valueNotAllowed)) {
            try bench.write([101], to: Lamp.brightness, hand)
        }
    }

    @Test("a central finds it on the air, and switches it", .simulated {})
    func onTheAir() async throws {
        let simulation = try Simulation.current
        let (machine, phone) = (simulation.system, simulation.addMachine())
        try await withTaskScope { scope in
            scope.spawn { try? await serveLamp(on: machine) }
            let address = DeviceAddress(try #require(simulation.adapter.state).address, .public)
            let lamp = simulation.peripheral(at: address, of: phone)
            _ = try await lamp.characteristic(Lamp.brightness).write([80])
            #expect(try await lamp.characteristic(Lamp.brightness).read().value == [80])
            #expect(try await lamp.read(.batteryLevel).percent == 99)
            await lamp.disconnect()
        }
    }
}

/// A thermostat, whose temperature goes to its setpoint by a degree with each reading.
final class Thermostat: Sendable {
    static let service: BluetoothUUID = 0xFF20
    static let temperature: BluetoothUUID = 0xFF21
    static let setpoint: BluetoothUUID = 0xFF22
    private let state = Mutex((temperature: UInt8(18), setpoint: UInt8(20)))

    func definition() -> DeviceDefinition {
        DeviceDefinition("thermostat", name: "Thermostat") {
            DeviceAdvertising(name: "Thermostat", services: [Self.service])
            DeviceService(Self.service) {
                DeviceCharacteristic(Self.temperature, [.read, .notify])
                    .onRead { _ in [self.step()] }
                    .sent(every: .seconds(10))
                DeviceCharacteristic(Self.setpoint, [.read, .write, .notify], value: .octets([20]))
                    .onWrite { value, device in
                        guard let degrees = value.first, (5...30).contains(degrees) else {
                            throw ATTRefusal(.valueNotAllowed)
                        }
                        self.state.withLock { $0.setpoint = degrees }
                        try device.send(value, of: Self.setpoint)
                    }
            }
        }
    }

    private func step() -> UInt8 {
        state.withLock { state in
            if state.temperature < state.setpoint { state.temperature += 1 }
            if state.temperature > state.setpoint { state.temperature -= 1 }
            return state.temperature
        }
    }
}

@Suite("A thermostat")
struct ThermostatTests {
    @Test("the temperature follows the setpoint")
    func follows() throws {
        var bench = try DeviceBench(Thermostat().definition())
        let hand = bench.connect()
        try bench.write([22], to: Thermostat.setpoint, hand)
        try bench.subscribe(hand, to: Thermostat.temperature)
        bench.advance(by: .seconds(50))
        #expect(bench.takeValues(of: Thermostat.temperature, for: hand) == [[19], [20], [21], [22], [22]])
    }
}
