// SPDX-License-Identifier: MIT

import BluetoothTesting
import Testing
import Wearable

@Suite("The screen of a heart rate strap")
struct StrapMonitorTests {
    /// Runs a test with a monitor that is shown.
    private func shown(_ body: (StrapMonitor, Simulation) async throws -> Void) async throws {
        let simulation = try Simulation.current
        let monitor = StrapMonitor()
        async let _: Void = withCentral(on: simulation.system) { await monitor.run(on: $0, named: "Pulse HR") }
        try await body(monitor, simulation)
    }

    @Test("shows the manufacturer, the battery and the heart rate", .simulated("pulse-strap", "thermometer"))
    func live() async throws {
        try await shown { monitor, simulation in
            try await simulation.run { await monitor.content.heartRate != nil }
            let content = await monitor.content
            #expect(content.state == .live)
            #expect(content.manufacturer == "blectl simulation")
            #expect(content.batteryPercent == 87)
            #expect(!content.isBatteryLow)
        }
    }

    @Test("tells a low battery as soon as the strap does", .simulated("pulse-strap"))
    func lowBattery() async throws {
        try await shown { monitor, simulation in
            try await simulation.run { await monitor.content.heartRate != nil }
            try await simulation.device.set(BatteryLevel(percent: 3))
            try await simulation.run { await monitor.content.isBatteryLow }
        }
    }

    @Test("survives a link that is lost for a minute", .simulated("pulse-strap"))
    func lostLink() async throws {
        try await shown { monitor, simulation in
            try await simulation.run { await monitor.content.heartRate != nil }
            try simulation.device.leave()
            try await simulation.run { await monitor.content.state == .reconnecting }
            try await simulation.advance(by: .seconds(60))
            #expect(await monitor.content.state == .reconnecting)
            try simulation.device.comeBack()
            try await simulation.run { await monitor.content.state == .live }
            #expect(await monitor.content.gaps == 1)
            // The subscriptions are there again.
            try await simulation.device.set(BatteryLevel(percent: 42))
            try await simulation.run { await monitor.content.batteryPercent == 42 }
        }
    }

    @Test("says why a strap cannot be found", .simulated("thermometer"))
    func notFound() async throws {
        try await shown { monitor, simulation in
            try await simulation.run {
                await monitor.content.state == .failed("cannot find the device: timed out after 20 s")
            }
        }
    }

    @Test("ten minutes of heartbeats take no ten minutes", .simulated("pulse-strap"))
    func hour() async throws {
        let start = ContinuousClock.now
        try await shown { monitor, simulation in
            try await simulation.advance(by: .seconds(600))
            #expect(await monitor.content.state == .live)
        }
        // They take a moment. The bound only detects real waiting, also on a busy machine.
        #expect(ContinuousClock.now - start < .seconds(300))
    }

    @Test("the examples of README do what they say", .simulated("pulse-strap"))
    func examples() async throws {
        let simulation = try Simulation.current
        #expect(try await batteryLevel(on: simulation.system) == 87)
        try await withCentral(on: simulation.system) { central in
            try await listAdvertisers(central)
            let found = try await central.find { $0.isConnectable }
            try await central.withPeripheral(found.address) { strap in
                async let end: Void = {
                    try await simulation.advance(by: .seconds(3))
                    try await simulation.device.disconnect()
                }()
                await #expect(throws: BluetoothError.self) { try await printHeartRate(strap) }
                try await end
            }
        }
    }
}
