// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Shapeshifter")
struct ShapeshifterTests {
    /// Service Changed, its configuration, and the control point. Their handles never move.
    private static let changed = "0800"
    private static let changedConfiguration = "0900"
    private static let controlPoint = "1000"

    /// The database of a shape.
    private static func database(_ shape: String) throws -> GATTDatabase {
        var definition = try #require(BuiltInDevice.named("shapeshifter")).definition()
        if shape != "plain" { definition.services = try #require(definition.databases[shape]) }
        return try definition.image().database
    }

    private static func hash(_ shape: String) throws -> String { Hex.string(try database(shape).hash) }

    /// Reads the hash like a client: by UUID, in the range of all handles.
    private static func readHash(_ device: DeviceProbe) async throws -> String {
        // Opcode, length, handle.
        String(try await device.exchange("080100ffff2a2b").dropFirst(8))
    }

    @Test func `it takes the requested shape, indicates the change to subscribers, and answers before`() throws {
        try DeviceProbe.run("shapeshifter") { device in
            #expect(try await Self.readHash(device) == Self.hash("plain"))
            #expect(try await device.exchange("12" + Self.changedConfiguration + "0200") == "13")
            #expect(try await device.exchange("12" + Self.controlPoint + "01") == "13")
            #expect(Hex.string(try await device.receive()) == "1d" + Self.changed + "14001e00")
            try device.channel.send([0x1E])
            #expect(try await device.exchange("0a1200") == "0b01")
            #expect(try await Self.readHash(device) == Self.hash("pushed"))
        }
    }

    @Test func `a handle that was read before the change means another attribute`() throws {
        try DeviceProbe.run("shapeshifter") { device async throws in
            #expect(try await device.exchange("0a1600") == "0b0000")
            #expect(try await device.exchange("12" + "1700" + "0100") == "13")
            #expect(Hex.string(try await device.receive()) == "1b16000001")
            #expect(try await device.exchange("12" + Self.controlPoint + "01") == "13")
            #expect(try await device.exchange("0a1600") == "0b" + Hex.string("padding".utf8))
            #expect(try await device.exchange("0a1700") == "0b0000", "nobody has subscribed to that")
            #expect(await device.isQuiet(for: .seconds(5)))
            #expect(try await device.exchange("12" + "1b00" + "0100") == "13")
            #expect(Hex.string(try await device.receive()) == "1b1a000102")
        }
    }

    @Test func `a change may be delayed`() throws {
        try DeviceProbe.run("shapeshifter") { device in
            #expect(try await device.exchange("12" + Self.changedConfiguration + "0200") == "13")
            let before = device.time.now
            #expect(try await device.exchange("12" + Self.controlPoint + "0203") == "13")
            #expect(Hex.string(try await device.receive()) == "1d" + Self.changed + "1400ffff")
            #expect(device.time.now - before > .seconds(3))
            try device.channel.send([0x1E])
            #expect(try await device.exchange("0affff") == "0b" + Hex.string("outermost".utf8))
        }
    }

    @Test func `a restart answers, disconnects, goes silent, and has another shape afterwards`() throws {
        let world = try SimulatedWorld.builtIn()
        let address = try #require(world.device(named: "shapeshifter")).address
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            let first = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await first.exchange("12" + Self.changedConfiguration + "0200") == "13")
            #expect(try await first.exchange("12" + Self.controlPoint + "83") == "13")
            await #expect(throws: RadioError.self) { try await first.receive() }
            let second = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await second.exchange("0a1200") == "0b03")
            #expect(try await second.exchange("0a1600") == "010a160001")
            #expect(try await second.exchange("080100ffff2a2b").dropFirst(8) == Self.hash("bare"))
        }
    }

    @Test func `a change that is due without a connection is done before the next one`() throws {
        let world = try SimulatedWorld.builtIn()
        let address = try #require(world.device(named: "shapeshifter")).address
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            let first = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await first.exchange("12" + Self.controlPoint + "030a") == "13")
            first.close()
            try await time.sleep(for: .seconds(20))
            let second = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await second.exchange("0a1200") == "0b03")
        }
    }

    @Test func `every shape has its own hash, and the control point keeps its handle`() throws {
        let databases = try ["plain", "pushed", "outermost", "bare"].map { try Self.database($0) }
        #expect(Set(databases.map(\.hash)).count == databases.count)
        for database in databases {
            #expect(database.characteristic(.serviceChanged)?.valueHandle == 0x0008)
            #expect(database.characteristic(ShapeshifterUUID.controlPoint)?.valueHandle == 0x0010)
        }
        #expect(databases[2].characteristic(ShapeshifterUUID.label)?.valueHandle == .last)
    }

    @Test func `nonsense is refused`() throws {
        try DeviceProbe.run("shapeshifter") { device async throws in
            #expect(try await device.exchange("12" + Self.controlPoint) == "0112" + Self.controlPoint + "0d")
            #expect(try await device.exchange("12" + Self.controlPoint + "000000") == "0112" + Self.controlPoint + "0d")
            #expect(try await device.exchange("12" + Self.controlPoint + "04") == "0112" + Self.controlPoint + "13")
            #expect(try await device.exchange("12" + Self.controlPoint + "00") == "13")
        }
    }
}
