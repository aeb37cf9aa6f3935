// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import BluetoothTesting
import Testing

@Suite("Values of a device that the program serves")
struct ServedValueTests {
    /// Serves the lamp, and runs `body` with its host and a phone that is connected to it.
    private static func withLamp(
        _ body: @escaping @Sendable (PeripheralHost, Peripheral) async throws -> Void
    ) async throws {
        let simulation = try Simulation.current
        let (machine, phone) = (simulation.system, simulation.addMachine())
        let address = DeviceAddress(try #require(simulation.adapter.state).address, .public)
        try await withPeripheralHost(of: lamp(), on: machine) { host in
            try await withThrowingTaskGroup { group in
                group.addTask { try await host.serve { _ in .goOn } }
                group.addTask {
                    try await withCentral(on: phone) { central in
                        try await central.withPeripheral(address) { try await body(host, $0) }
                    }
                }
                // Serving ends by itself only if it fails.
                try await group.next()
                group.cancelAll()
            }
        }
    }

    @Test("a value that is set is read, and sent to subscribers", .simulated {})
    func set() async throws {
        try await Self.withLamp { host, peripheral in
            #expect(try await host.subscribers(of: 0x2A19) == 0)
            try await host.set(BatteryLevel(percent: 88))
            #expect(try await peripheral.read(.batteryLevel).percent == 88)
            var levels = peripheral.values(of: .batteryLevel).makeAsyncIterator()
            async let first = levels.next()
            while try await host.subscribers(of: 0x2A19) == 0 {
                try await Simulation.current.advance(by: .milliseconds(50))
            }
            try await host.set(BatteryLevel(percent: 87), of: .batteryLevel)
            #expect(try await first?.percent == 87)
        }
    }

    @Test("a value that is sent is not stored", .simulated {})
    func send() async throws {
        try await Self.withLamp { host, peripheral in
            let counts = [
                try await host.send(BatteryLevel(percent: 12)),
                try await host.send([7], of: Lamp.brightness, in: Lamp.service),
            ]
            #expect(counts == [0, 0])
            #expect(try await peripheral.read(.batteryLevel).percent == 100)
        }
    }

    @Test("errors name the cause", .simulated {})
    func errors() async throws {
        let system = try Simulation.current.system
        try await withPeripheralHost(of: lamp(), on: system) { host in
            await #expect(throws: ServedValueError.notServed) { try await host.set([1], of: Lamp.brightness) }
            await #expect(throws: ServedValueError.notServed) { try await host.send([1], of: Lamp.brightness) }
            let subscribers = try await host.subscribers(of: Lamp.brightness)
            #expect(subscribers == 0)
        }
        try await Self.withLamp { host, _ in
            await #expect(throws: ServedValueError.noCharacteristic(0x2A37)) { try await host.set([1], of: 0x2A37) }
            await #expect(throws: ServedValueError.noCharacteristic(0x2A37)) { try await host.subscribers(of: 0x2A37) }
            await #expect(throws: ServedValueError.noCharacteristic(Lamp.brightness)) {
                try await host.send([1], of: Lamp.brightness, in: 0x180F)
            }
            await #expect(throws: ServedValueError.notSettable(Lamp.brightness)) {
                try await host.set([UInt8](repeating: 0, count: 513), of: Lamp.brightness)
            }
        }
        #expect("\(ServedValueError.noCharacteristic(0x2A19))" == "the device has no Battery Level")
        #expect("\(ServedValueError.notSettable(0x2A19))" == "Battery Level cannot have the value: it is too long")
        #expect(
            "\(ServedValueError.timedOut(0x2A19, .seconds(30)))"
                == "Battery Level was not sent: a client took no more for 30 s"
        )
    }

    @Test("without an adapter the block does not run", .simulated(adapter: [.gone]) {})
    func noAdapter() async throws {
        let system = try Simulation.current.system
        await #expect(throws: BluetoothError.self) {
            try await withPeripheralHost(of: lamp(), on: system) { _ in Issue.record("there is no adapter") }
        }
    }
}
