// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Control of a running world")
struct WorldControlTests {
    private static let batteryLevel = WorldRequest.Target.characteristic(0x2A19, service: nil)

    /// Runs a test with the heart rate strap connected.
    private func withStrap(
        _ body: @escaping @Sendable (RunningWorld, any ATTChannel, SimulatedDevice, VirtualTime) async throws -> Void
    ) throws {
        let world = try SimulatedWorld.builtIn()
        let strap = try #require(world.device(named: "pulse-strap"))
        try share(world) { world, time, _ in
            let radio = try world.join().radio(named: nil)
            let channel = try await radio.connectATT(to: strap.address, deadline: time.now + .seconds(5))
            try await body(world, channel, strap, time)
        }
    }

    private static func handles(_ device: SimulatedDevice) throws -> (value: String, configuration: String) {
        let level = try #require(device.database.characteristic(0x2A19))
        let descriptor = try #require(device.database.descriptor(.clientCharacteristicConfiguration, of: level))
        return (Hex.string(level.valueHandle.encoded()), Hex.string(descriptor.encoded()))
    }

    private static func listed(_ world: RunningWorld, _ name: String = "pulse-strap") async throws -> WorldDevice {
        try #require(await world.control.devices().first { $0.name == name })
    }

    @Test func `a value that is set is read, sent to subscribers, and stays`() throws {
        try withStrap { world, channel, strap, time in
            let (value, configuration) = try Self.handles(strap)
            #expect(try await channel.exchange("12\(configuration)0100") == "13")
            for name in ["pulse-strap", "Pulse HR", "pulse hr", strap.address.address.description] {
                try await world.control.set([0x0C], of: Self.batteryLevel, on: name)
                #expect(Hex.string(try await channel.receive()) == "1b\(value)0c")
            }
            #expect(try await channel.exchange("0a\(value)") == "0b0c")
            try await time.sleep(for: .seconds(120))
            try channel.send(try #require(Hex.bytes("0a\(value)")))
            var answer = ""
            while !answer.hasPrefix("0b") { answer = Hex.string(try await channel.receive()) }
            #expect(answer == "0b0c")
        }
    }

    @Test func `invalid changes are refused`() throws {
        try withStrap { world, _, strap, _ in
            let control = world.control
            let declaration = try #require(strap.database.services.first).range.start
            let (_, configuration) = try Self.handles(strap)
            let bytes = try #require(Hex.bytes(configuration))
            let descriptor = Handle(UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
            await #expect(throws: WorldProblem.notSettable) {
                try await control.set([1], of: .handle(declaration), on: "Pulse HR")
            }
            await #expect(throws: WorldProblem.notSettable) {
                try await control.set([1, 0], of: .handle(descriptor), on: "Pulse HR")
            }
            await #expect(throws: WorldProblem.notSettable) {
                try await control.set([UInt8](repeating: 0, count: 513), of: Self.batteryLevel, on: "Pulse HR")
            }
            // A client can only write it.
            await #expect(throws: WorldProblem.notSettable) {
                try await control.set([1], of: .characteristic(0x2A39, service: nil), on: "Pulse HR")
            }
            // It is only sent.
            try await control.set([0, 72], of: .characteristic(0x2A37, service: nil), on: "Pulse HR")
            await #expect(throws: WorldProblem.noAttribute) {
                try await control.set([1], of: .characteristic(0x2A19, service: 0x1800), on: "Pulse HR")
            }
            await #expect(throws: WorldProblem.self) { try await control.set([1], of: Self.batteryLevel, on: "nobody") }
            let answers = await control.answers(to: .disconnect("nobody"))
            guard case .failed(.noDevice("nobody", let names))? = answers.first else {
                Issue.record("\(answers)")
                return
            }
            #expect(names.contains("Pulse HR"))
            // All of them, so that a program that shows fewer can count the others.
            #expect(await names.count == control.devices().count)
            #expect(
                await control.answers(to: .database("Pulse HR", name: "x")) == [.failed(.noDatabase("x", among: []))]
            )
        }
    }

    @Test func `a device is disconnected, and connectable off and on`() throws {
        try withStrap { world, channel, strap, time in
            try await world.control.disconnect("Pulse HR")
            await #expect(throws: RadioError.self) { while true { _ = try await channel.receive() } }
            try await time.sleep(for: .seconds(1))
            #expect(try await Self.listed(world).connections == 0)
            try world.control.setConnectable("Pulse HR", false)
            #expect(try await Self.listed(world).isConnectable == false)
            let system = world.join()
            let reports = try await ScanSettings().scan(system, for: .seconds(5), time).reports
                .filter { $0.report.address == strap.address }
            // It can be found and scanned, as a device that is busy.
            #expect(reports.contains { $0.report.properties.contains(.scanResponse) })
            #expect(reports.allSatisfy { !$0.report.properties.contains(.connectable) })
            let radio = try system.radio(named: nil)
            async let attempt = radio.connectATT(to: strap.address, deadline: time.now + .seconds(20))
            try await time.sleep(for: .seconds(3))
            let start = time.now
            try world.control.setConnectable("Pulse HR", true)
            _ = try await attempt
            #expect(time.now - start < .seconds(1))
        }
    }

    @Test func `a device is moved out of range, back, and nearer`() throws {
        try withStrap { world, channel, strap, time in
            try world.control.setSignal("Pulse HR", .outOfRange)
            let start = time.now
            await #expect(throws: RadioError(.linkLost(.connectionTimeout), during: "link to \(strap.address.address)"))
            {
                while true { _ = try await channel.receive() }
            }
            #expect(time.now - start == .milliseconds(420))
            #expect(try await Self.listed(world).isInRange == false)
            let system = world.join()
            let gone = try await ScanSettings().scan(system, for: .seconds(5), time).reports
            #expect(!gone.contains { $0.report.address == strap.address })
            try world.control.setSignal("Pulse HR", .inRange)
            try world.control.setSignal("Pulse HR", .strength(-30))
            let back = try await ScanSettings().scan(system, for: .seconds(5), time).reports
            let levels = back.filter { $0.report.address == strap.address }.compactMap(\.report.rssi)
            #expect(levels.count > 10 && levels.allSatisfy { $0 > -45 })
            #expect(try await Self.listed(world).rssi == -30)
        }
    }

    @Test func `a device that is restarted accepts connections again`() throws {
        try withStrap { world, _, _, _ in
            try world.control.setConnectable("Pulse HR", false)
            #expect(try await !Self.listed(world).isConnectable)
            try await world.control.restart("Pulse HR")
            #expect(try await Self.listed(world).isConnectable)
        }
    }

    @Test func `answers are held back and released, each to its client`() throws {
        try withStrap { world, channel, strap, time in
            let (value, _) = try Self.handles(strap)
            try await world.control.setPaused("Pulse HR", true)
            #expect(try await Self.listed(world).isPaused)
            try channel.send(try #require(Hex.bytes("0a\(value)")))
            let start = time.now
            await #expect(throws: DeadlineExceeded.self) {
                try await withDeadline(start + .seconds(10), time, operation: "") { try await channel.receive() }
            }
            try await world.control.setPaused("Pulse HR", false)
            #expect(Hex.string(try await channel.receive()).hasPrefix("0b"))
            #expect(time.now - start <= .seconds(10) + .milliseconds(60))
            #expect(try await channel.exchange("0a\(value)").hasPrefix("0b"))
            #expect(try await Self.listed(world).requests == 2)
        }
    }

    @Test func `adapters are powered off and on`() throws {
        try withStrap { world, channel, _, time in
            #expect(world.control.adapters().map(\.connections) == [1])
            world.control.setPower(false)
            await #expect(throws: RadioError.self) { while true { _ = try await channel.receive() } }
            #expect(world.control.adapters().map(\.isPowered) == [false])
            world.control.setPower(true)
            #expect(world.control.adapters().map(\.isPowered) == [true])
            try await time.sleep(for: .seconds(1))
            #expect(world.control.adapters().map(\.connections) == [0])
        }
    }

    @Test func `machines that join later have their adapters off as well, until all are switched on`() throws {
        try share(try SimulatedWorld.builtIn()) { world, _, _ in
            #expect(await world.control.answers(to: .power(false)) == [.done])
            let system = world.join()
            #expect(world.control.adapters().map(\.isPowered) == [false])
            let states = try system.adapters().map(\.state)
            #expect(states == [.down])
            world.control.setPower(true)
            #expect(world.control.adapters().map(\.isPowered) == [true])
            _ = world.join()
            #expect(world.control.adapters().map(\.isPowered) == [true, true])
        }
    }
}
