// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Workbench")
struct WorkbenchTests {
    @Test func `512 octets are read in parts`() throws {
        try DeviceProbe.run("workbench") { bench in
            let handle = try bench.handle(WorkbenchUUID.long)
            var value = try #require(Hex.bytes(try await bench.read(WorkbenchUUID.long))).dropFirst()
            while true {
                var offset = ByteWriter()
                offset.uint16(UInt16(value.count))
                let part = try #require(Hex.bytes(try await bench.exchange("0c" + handle + Hex.string(offset.bytes))))
                #expect(part[0] == 0x0D)
                value += part.dropFirst()
                if part.count < 23 { break }
            }
            // They are not periodic, so that a lost or repeated part is noticed.
            #expect(Array(value) == (0..<512).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
            #expect(try await bench.exchange("0c" + handle + "0102") == "010c" + handle + "07")
        }
    }

    @Test func `512 octets are written in parts, and the length follows what was written`() throws {
        try DeviceProbe.run("workbench") { bench in
            #expect(try await bench.exchange("020502") == "03f700")
            for (uuid, length) in [(WorkbenchUUID.long, 512), (WorkbenchUUID.variable, 300)] {
                let handle = try bench.handle(uuid)
                let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                for start in stride(from: 0, to: length, by: 100) {
                    var offset = ByteWriter()
                    offset.uint16(UInt16(start))
                    let part = Hex.string(value[start..<min(start + 100, length)])
                    let echo = try await bench.exchange("16" + handle + Hex.string(offset.bytes) + part)
                    #expect(echo == "17" + handle + Hex.string(offset.bytes) + part)
                }
                #expect(try await bench.exchange("1801") == "19")
                #expect(try await bench.read(uuid) == "0b" + Hex.string(value[..<246]))
                #expect(
                    try await bench.exchange("0c" + handle + "f600") == "0d" + Hex.string(value[246...].prefix(246))
                )
            }
            #expect(try await bench.write(WorkbenchUUID.variable, "") == "13")
            #expect(try await bench.read(WorkbenchUUID.variable) == "0b")
        }
    }

    @Test func `wrong lengths are refused`() throws {
        try DeviceProbe.run("workbench") { bench in
            let handle = try bench.handle(WorkbenchUUID.fixed)
            #expect(try await bench.write(WorkbenchUUID.fixed, "010203") == "0112" + handle + "0d")
            #expect(try await bench.write(WorkbenchUUID.fixed, "05060708") == "13")
            #expect(try await bench.read(WorkbenchUUID.fixed) == "0b05060708")
        }
    }

    @Test func `each attribute refuses with its own error`() throws {
        try DeviceProbe.run("workbench") { bench in
            for (uuid, code) in [
                (WorkbenchUUID.authenticated, "05"), (WorkbenchUUID.encrypted, "05"), (WorkbenchUUID.authorized, "08"),
                (WorkbenchUUID.applicationError, "85"),
            ] {
                let handle = try bench.handle(uuid)
                #expect(try await bench.read(uuid) == "010a" + handle + code)
                #expect(try await bench.write(uuid, "00") == "0112" + handle + code)
            }
            let writeOnly = try bench.handle(WorkbenchUUID.writeOnly)
            #expect(try await bench.read(WorkbenchUUID.writeOnly) == "010a" + writeOnly + "02")
            let counter = try bench.handle(WorkbenchUUID.counter)
            #expect(try await bench.write(WorkbenchUUID.counter, "00") == "0112" + counter + "03")
        }
    }

    @Test func `one attribute never answers, and blocks later requests on that link`() throws {
        try DeviceProbe.run("workbench") { bench in
            try bench.channel.send(try #require(Hex.bytes("0a" + bench.handle(WorkbenchUUID.silent))))
            #expect(await bench.isQuiet(for: .seconds(60)))
            try bench.channel.send(try #require(Hex.bytes("0a" + bench.handle(WorkbenchUUID.fixed))))
            #expect(await bench.isQuiet(for: .seconds(60)))
        }
    }

    @Test func `each read increments the counter`() throws {
        try DeviceProbe.run("workbench") { bench in
            for number in 1...3 {
                let answer = try await bench.read(WorkbenchUUID.counter)
                #expect(answer == "0b0\(number)000000")
            }
        }
    }

    @Test func `the ticker notifies or indicates as asked`() throws {
        try DeviceProbe.run("workbench") { bench in
            let handle = try bench.handle(WorkbenchUUID.ticker)
            let configuration = try bench.configuration(WorkbenchUUID.ticker)
            _ = try await bench.exchange("12" + configuration + "0100")
            #expect(Hex.string(try await bench.receive()) == "1b" + handle + "01000000")
            _ = try await bench.exchange("12" + configuration + "0200")
            #expect(Hex.string(try await bench.receive()) == "1d" + handle + "02000000")
        }
    }

    @Test func `the aggregate names the two formats`() throws {
        let database = try SimulatedDevice.builtIn("workbench").database
        for handle in [0x0085, 0x008A] as [Handle] {
            #expect(database[handle]?.type == .characteristicPresentationFormat)
        }
        let aggregate = try #require(database.characteristic(WorkbenchUUID.aggregate))
        let descriptor = try #require(database.descriptor(.characteristicAggregateFormat, of: aggregate))
        #expect(database[descriptor]?.value == [0x85, 0x00, 0x8A, 0x00])
    }

    @Test func `twins, inclusions and secondary services are there`() throws {
        let database = try SimulatedDevice.builtIn("workbench").database
        #expect(database.characteristics().filter { $0.uuid == WorkbenchUUID.twin }.count == 2)
        #expect(database.services.filter { !$0.isPrimary }.count == 2)
        let includes = database.attributes.filter { $0.type == .include }.compactMap(\.value)
        // An include declaration contains no UUID of 128 bits, only the handles.
        #expect(includes.map(\.count) == [4, 6, 6])
    }
}
