// SPDX-License-Identifier: MIT

// The code of the article 'Test your Bluetooth code without a radio'. `ArticleTests` holds the two equal.

import BluetoothHost
import BluetoothProfiles
import BluetoothTesting
import Testing

/// Rings when the battery of a device gets low.
struct BatteryAlarm: Sendable {
    let device: Peripheral
    let limit: UInt8

    /// Waits until the level is at the limit or below, and returns it.
    func wait() async throws -> UInt8 {
        let level = try await device.read(.batteryLevel).percent
        if level <= limit { return level }
        for try await level in device.values(of: .batteryLevel) where level.percent <= limit {
            return level.percent
        }
        throw CancellationError()
    }
}

@Suite("A battery alarm", .simulated("pulse-strap"))
struct BatteryAlarmTests {
    @Test("the alarm rings when the level falls to the limit")
    func rings() async throws {
        let simulation = try Simulation.current
        let alarm = BatteryAlarm(device: simulation.peripheral, limit: 10)
        async let level = alarm.wait()
        try await simulation.advance(by: .seconds(1800))
        try await simulation.device.set(BatteryLevel(percent: 11))
        try await simulation.device.set(BatteryLevel(percent: 7))
        #expect(try await level == 7)
    }

    @Test("a battery that is already low takes one request, and no subscription")
    func requests() async throws {
        let simulation = try Simulation.current
        try await simulation.device.set(BatteryLevel(percent: 3))
        #expect(try await BatteryAlarm(device: simulation.peripheral, limit: 10).wait() == 3)
        #expect(try simulation.device.requests.count == 1)
        #expect(try await simulation.device.subscribers(of: 0x2A19) == 0)
    }

    @Test("a device that refuses is an error, and not a full battery")
    func refusal() async throws {
        let simulation = try Simulation.current
        try await simulation.device.add("read battery-level: error 0x0e once")
        await #expect(throws: BluetoothError.self) {
            try await BatteryAlarm(device: simulation.peripheral, limit: 10).wait()
        }
    }

    @Test("the alarm survives a lost link")
    func lostLink() async throws {
        let simulation = try Simulation.current
        let patient = Peripheral.Configuration(reconnection: .unlimited())
        let peripheral = simulation.peripheral(try simulation.device, configuration: patient)
        async let level = BatteryAlarm(device: peripheral, limit: 10).wait()
        try await simulation.advance(by: .seconds(60))
        try simulation.device.leave()
        try await simulation.advance(by: .seconds(600))
        try simulation.device.comeBack()
        try await simulation.advance(by: .seconds(60))
        try await simulation.device.set(BatteryLevel(percent: 7))
        #expect(try await level == 7)
    }

    @Test("the model shows the level")
    func model() async throws {
        let simulation = try Simulation.current
        let model = await BatteryModel(simulation.peripheral)
        await model.refresh()
        try await simulation.run { await model.percent == 87 }
    }

    @Test("the app sees that Bluetooth is switched off")
    func adapterStates() async throws {
        let simulation = try Simulation.current
        async let off = simulation.system.adapterStates().first { $0 == .off }
        try await simulation.advance(by: .seconds(1))
        simulation.adapter.setPower(false)
        #expect(await off == .off)
    }
}

/// A model as apps have it: its methods start tasks, and nobody awaits them.
@MainActor
final class BatteryModel {
    private(set) var percent: UInt8?
    private let device: Peripheral

    init(_ device: Peripheral) { self.device = device }

    func refresh() {
        Task { percent = try? await device.read(.batteryLevel).percent }
    }
}

@Suite("A battery alarm in real time", .simulated("pulse-strap", time: .real))
struct RealBatteryAlarmTests {
    @Test("the alarm rings at once when the level is low")
    func rings() async throws {
        let simulation = try Simulation.current
        try await simulation.device.set(BatteryLevel(percent: 3))
        #expect(try await BatteryAlarm(device: simulation.peripheral, limit: 10).wait() == 3)
    }
}
