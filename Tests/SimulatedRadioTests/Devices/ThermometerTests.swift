// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import SimulatedRadio

@Suite("Thermometer")
struct ThermometerTests {
    private static let measurement: BluetoothUUID = 0x2A1C

    @Test func `body temperatures are indicated every five seconds, each after the confirmation of the last`() throws {
        try DeviceProbe.run("thermometer") { thermometer in
            let answer = try await thermometer.exchange("12" + thermometer.configuration(Self.measurement) + "0200")
            #expect(answer == "13")
            var last = thermometer.time.now
            for number in 0..<10 {
                let pdu = try await thermometer.receive()
                #expect(Hex.string(pdu.prefix(3)) == "1d" + (try thermometer.handle(Self.measurement)))
                #expect(pdu.count == 9 && pdu[3] == 0x04 && pdu[8] == 0x02)
                var reader = ByteReader(pdu[4..<8])
                let temperature = try #require(MedicalFloat(float: try reader.uint32("temperature")).number)
                #expect(temperature.exponent == -1 && 350...390 ~= temperature.magnitude)
                if number > 0 { #expect(abs((thermometer.time.now - last) / .seconds(1) - 5) < 0.11) }
                last = thermometer.time.now
                try thermometer.channel.send([0x1E])
            }
        }
    }

    @Test func `without a confirmation nothing follows, and after 30 s the device hangs up`() throws {
        try DeviceProbe.run("thermometer") { thermometer in
            _ = try await thermometer.exchange("12" + thermometer.configuration(Self.measurement) + "0200")
            _ = try await thermometer.receive()
            let start = thermometer.time.now
            await #expect(throws: RadioError.self) { try await thermometer.receive() }
            let elapsed = thermometer.time.now - start
            #expect(elapsed > .seconds(29) && elapsed < .seconds(31))
        }
    }

    @Test func `the interval can be set within its range`() throws {
        try DeviceProbe.run("thermometer") { thermometer in
            let handle = try thermometer.handle(0x2A21)
            #expect(try await thermometer.read(0x2A21) == "0b0500")
            #expect(try await thermometer.write(0x2A21, "0000") == "0112" + handle + "80")
            #expect(try await thermometer.write(0x2A21, "110e") == "0112" + handle + "80")
            #expect(try await thermometer.write(0x2A21, "01") == "0112" + handle + "0d")
            #expect(try await thermometer.write(0x2A21, "0a00") == "13")
            #expect(try await thermometer.read(0x2A21) == "0b0a00")
            _ = try await thermometer.exchange("12" + thermometer.configuration(Self.measurement) + "0200")
            let start = thermometer.time.now
            _ = try await thermometer.receive()
            #expect(abs((thermometer.time.now - start) / .seconds(1) - 10) < 0.11)
        }
    }

    @Test func `room climate and battery can be read`() throws {
        try DeviceProbe.run("thermometer") { thermometer in
            var reader = ByteReader(try #require(Hex.bytes(try await thermometer.read(0x2A6E))))
            #expect(try reader.uint8("opcode") == 0x0B)
            #expect(1_700...2_700 ~= (try reader.int16("temperature")))
            reader = ByteReader(try #require(Hex.bytes(try await thermometer.read(0x2A6F))))
            #expect(try reader.uint8("opcode") == 0x0B)
            #expect(3_000...6_500 ~= (try reader.uint16("humidity")))
            #expect(try await thermometer.read(0x2A19) == "0b40")
        }
    }

    @Test func `several values at once keep their own rhythms`() throws {
        try DeviceProbe.run("thermometer") { thermometer in
            _ = try await thermometer.exchange("12" + thermometer.configuration(0x2A1E) + "0100")
            _ = try await thermometer.exchange("12" + thermometer.configuration(0x2A6E) + "0100")
            var counts: [String: Int] = [:]
            let end = thermometer.time.now + .seconds(60)
            while thermometer.time.now < end {
                counts[Hex.string(try await thermometer.receive()[1...2]), default: 0] += 1
            }
            #expect(59...61 ~= counts[try thermometer.handle(0x2A1E)] ?? 0)
            #expect(5...7 ~= counts[try thermometer.handle(0x2A6E)] ?? 0)
        }
    }
}
