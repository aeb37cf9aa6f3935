// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Control of a device from outside")
struct DeviceControlTests {
    /// A stored value, and one that the device counts and sends every second.
    private static func bench() throws -> DeviceBench {
        let stored = DeviceCharacteristic(0xFF01, [.read, .write, .notify], value: .octets([1]))
        let counted = DeviceCharacteristic(
            0xFF02,
            [.read, .notify],
            value: .number(
                .generated(.counter(from: DecimalNumber(1), step: DecimalNumber(1), limit: nil)),
                try ValueFormat("u8")
            ),
            stream: .init(every: .fixed(.seconds(1)))
        )
        let first = DeviceService(0xFF00, characteristics: [stored, counted])
        let other = DeviceService(0xFF10, characteristics: [DeviceCharacteristic(0xFF11, .read, value: .octets([9]))])
        return try DeviceBench(
            DeviceDefinition(
                label: "controlled",
                address: .scripted,
                services: [first],
                hasStandardServices: false,
                databases: ["other": [other], "both": [first, other]]
            )
        )
    }

    private static func handle(_ uuid: BluetoothUUID, _ machine: DeviceMachine) throws -> Handle {
        try #require(machine.database.characteristic(uuid)).valueHandle
    }

    @Test func `a value that is set is read and sent, also if the device generates it`() throws {
        var bench = try Self.bench()
        let (stored, counted) = (try Self.handle(0xFF01, bench.machine), try Self.handle(0xFF02, bench.machine))
        try bench.subscribe(0xFF01)
        try bench.subscribe(0xFF02)
        bench.control { $0.setValue([0x63], of: stored, now: $1) }
        bench.control { $0.setValue([0x64], of: counted, now: $1) }
        #expect(bench.events.suffix(2).map(\.what) == ["63", "64"])
        #expect(try bench.read(0xFF01) == "63")
        #expect(try bench.read(0xFF02) == "64")
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["64", "64"])
        #expect(!bench.control { $0.setValue([1], of: Handle(1), now: $1) })
        #expect(!bench.control { $0.setValue([UInt8](repeating: 0, count: 513), of: stored, now: $1) })
        #expect(!bench.control { $0.setValue([1], of: Handle(0xFFF0), now: $1) })
    }

    @Test func `answers are held back until they are released, or the client goes`() throws {
        var bench = try Self.bench()
        bench.control { machine, _ in
            machine.pause()
            return []
        }
        #expect(bench.machine.isPaused)
        #expect(try bench.read(0xFF01) == "nothing")
        bench.control { $0.release(now: $1) }
        #expect(bench.events.last?.what == "0b01" && !bench.machine.isPaused)
        bench.control { machine, _ in
            machine.pause()
            return []
        }
        #expect(try bench.read(0xFF01) == "nothing")
        bench.disconnect()
        let count = bench.events.count
        bench.control { $0.release(now: $1) }
        #expect(bench.events.count == count)
    }

    @Test func `a restart begins the timeline and the clocks anew`() throws {
        let clock = DeviceCharacteristic(
            0xFF01,
            [.read, .notify],
            value: .number(.generated(.clock(unit: .seconds(1))), try ValueFormat("u8"))
        )
        let entry = TimelineEntry(at: .seconds(5), [.send(.any(0xFF01), .value(.octets([0x55])))])
        let definition = DeviceDefinition.bench([clock], timeline: [entry])
        var bench = try DeviceBench(definition)
        bench.run(for: .seconds(20))
        #expect(try bench.read(0xFF01) == "14")
        let image = try definition.image()
        bench.control { $0.restart(as: image, now: $1) }
        bench.connect()
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(4)).isEmpty)
        #expect(try bench.read(0xFF01) == "04")
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["55"])
    }

    @Test func `links are ended, and databases replaced`() throws {
        var bench = try Self.bench()
        #expect(bench.machine.databaseNames == ["both", "other"])
        #expect(!bench.control { $0.switchDatabase(to: "none", now: $1) })
        #expect(bench.control { $0.switchDatabase(to: "other", now: $1) })
        try bench.look(in: "other")
        #expect(try bench.read(0xFF11) == "09")
        #expect(bench.control { $0.switchDatabase(to: nil, now: $1) })
        try bench.look(in: nil)
        #expect(try bench.read(0xFF01) == "01")
        bench.control { machine, _ in machine.hangUp(.remoteUserTerminatedConnection) }
        #expect(bench.events.last?.what == "hangs up 19")
        #expect(try bench.read(0xFF01) == "nothing")
    }
}
