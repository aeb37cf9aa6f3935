// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import BluetoothTesting
import SimulatedRadio
import Testing

/// Runs a body as the trait runs a test.
private func perform(
    _ trait: SimulatedTrait,
    _ body: @concurrent @Sendable () async throws -> Void
) async throws {
    let test = try #require(Test.current)
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
}

/// Runs a body as the trait runs a test. Expects one issue with that text.
private func expectIssue(
    _ text: String,
    _ trait: SimulatedTrait,
    _ body: @concurrent @Sendable () async throws -> Void
) async {
    await withKnownIssue {
        do { try await perform(trait, body) } catch { Issue.record(error) }
    } matching: { issue in
        "\(issue)".contains(text)
    }
}

@Suite("The trait 'simulated'", .simulated { try strap() })
struct SimulatedTraitTests {
    @Test("a test has a central, a device and a connection")
    func wired() async throws {
        let simulation = try Simulation.current
        let level = try await simulation.peripheral.characteristic(0x2A19).read()
        #expect(level.value == [87])
        #expect(await simulation.peripheral.isConnected)
        #expect(try await simulation.device.state.connections == 1)
        #expect(simulation.time.now > .zero)
    }

    @Test("each case of a test has a world of its own", arguments: [1, 2, 3])
    func cases(level: UInt8) async throws {
        let device = try Simulation.current.device
        #expect(try await device.value(of: BatteryLevel.self)?.percent == 87)
        try await device.set(BatteryLevel(percent: level))
        #expect(try await device.value(of: BatteryLevel.self)?.percent == level)
    }

    @Test("an hour of virtual time takes little real time")
    func hour() async throws {
        let simulation = try Simulation.current
        let start = ContinuousClock().now
        try await simulation.advance(by: .seconds(3000))
        #expect(simulation.time.now == .zero + .seconds(3000))
        // It takes a moment. The bound only detects real waiting, also on a busy machine.
        #expect(ContinuousClock().now - start < .seconds(300))
    }

    @MainActor
    private static func soon() async { for _ in 0..<100 { await Task.yield() } }

    @Test("a test may call code of the main actor")
    func mainActor() async throws {
        let simulation = try Simulation.current
        _ = try await simulation.peripheral.characteristic(0x2A19).read()
        await Self.soon()
        #expect(try await simulation.peripheral.characteristic(0x2A19).read().value == [87])
    }
}

@Suite("Findings of the trait 'simulated'")
struct SimulatedTraitFindingsTests {
    @Test("there is no simulation without the trait")
    func outside() {
        #expect(throws: SimulationError.noSimulation) { try Simulation.current }
    }

    @Test("a test that waits for an event that never comes ends, and fails")
    func deadlock() async {
        await expectIssue("still waits", .simulated { try strap() }) {
            let (never, continuation) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            continuation.finish()
        }
    }

    @Test("a test that waits for ever while the device goes on fails at its limit of virtual time")
    func endless() async {
        await expectIssue("has not ended after", .simulated("pulse-strap", limit: .seconds(100))) {
            let peripheral = try Simulation.current.peripheral
            let observation = try await peripheral.characteristic(0x2A37).observe()
            while true { _ = try await observation.next() }
        }
    }

    @Test("a fault that never acts fails the test")
    func unmet() async {
        await expectIssue("never acted", .simulated { try strap("read battery-level: error 0x0e once") }) {
            _ = try await Simulation.current.peripheral.characteristic(0x2A38).read()
        }
    }

    @Test("a fault that acts does not")
    func met() async throws {
        try await perform(.simulated { try strap("read battery-level: error 0x0e once") }) {
            let simulation = try Simulation.current
            await #expect(throws: GATTError.self) { try await simulation.peripheral.characteristic(0x2A19).read() }
        }
    }

    @Test("a request without an answer fails the test")
    func waitingRequest() async {
        await expectIssue("never got an answer", .simulated { try strap() }) {
            let simulation = try Simulation.current
            _ = try await simulation.peripheral.connection()
            try await simulation.device.pause()
            simulation.scope.spawn { _ = try? await simulation.peripheral.characteristic(0x2A19).read() }
            try await simulation.advance(by: .seconds(1))
        }
    }

    @Test("a scan, a link and advertising that a test leaves behind fail it")
    func leftOver() async {
        await expectIssue("left scanning", .simulated { try strap() }) {
            let channel = try Simulation.current.system.radio(named: nil).openHCI()
            try channel.send(HCIPacket.command(LESetScanEnable(isEnabled: true).packet).encoded())
        }
        await expectIssue("a link was left open", .simulated { try strap() }) {
            let simulation = try Simulation.current
            let radio = try simulation.system.radio(named: nil)
            _ = try await radio.connectATT(to: simulation.device.address, deadline: .zero + .seconds(10))
        }
    }

    @Test("an attempt to connect that still waits fails the test")
    func waitingConnection() async {
        await expectIssue("an attempt to connect", .simulated { try strap() }) {
            let simulation = try Simulation.current
            try simulation.device.setConnectable(false)
            simulation.scope.spawn { _ = try? await simulation.peripheral.connection() }
            try await simulation.advance(by: .seconds(1))
        }
    }

    @Test("a test that throws fails for that reason only")
    func thrown() async {
        await #expect(throws: WorldProblem.noAttribute) {
            try await perform(.simulated { try strap("read battery-level: error once") }) {
                try await Simulation.current.device.set([1], of: 0x2A6E)
            }
        }
    }

    @Test("the function outside of tests throws the findings")
    func function() async throws {
        let world = try SimulatedWorld { try strap("read battery-level: error 0x0e once") }
        await #expect(throws: SimulationLeftovers.self) { try await withSimulation(world) { _ in } }
        let value = try await withSimulation(world) { simulation in
            try? await simulation.peripheral.characteristic(0x2A19).read()
        }
        #expect(value == nil)
    }
}
