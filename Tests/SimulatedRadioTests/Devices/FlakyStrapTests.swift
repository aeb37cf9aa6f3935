// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Flaky strap")
struct FlakyStrapTests {
    @Test func `subscribers get Service Changed after twelve seconds`() throws {
        try DeviceProbe.run("flaky-strap") { device in
            let start = device.time.now
            let measurement = try device.handle(0x2A37)
            #expect(try await device.exchange("12" + device.configuration(.serviceChanged) + "0200") == "13")
            #expect(try await device.exchange("12" + device.configuration(0x2A37) + "0100") == "13")
            var values = 0
            while case let pdu = Hex.string(try await device.receive()), pdu.hasPrefix("1b") {
                #expect(pdu.hasPrefix("1b" + measurement))
                values += 1
                if values > 20 { break }
            }
            #expect(values == 12)
            #expect(device.time.now - start >= .seconds(12) && device.time.now - start < .seconds(13))
            try device.channel.send([0x1E])
            // The battery has taken the handles of the heart rate.
            #expect(try await device.exchange("0a" + measurement) == "0b57")
        }
    }

    @Test func `each link breaks after twenty seconds, and the strap is out of reach for three`() throws {
        let world = try SimulatedWorld.builtIn()
        let address = try #require(world.device(named: "flaky-strap")).address
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            for _ in 0..<2 {
                let channel = try await radio.connectATT(to: address, deadline: time.now + .seconds(10))
                let connected = time.now
                await #expect(throws: RadioError(.linkLost(.connectionTimeout), during: "link to \(address.address)")) {
                    try await channel.receive()
                }
                let lost = time.now
                #expect(lost - connected > .seconds(20) && lost - connected < .seconds(21))
                await #expect(throws: RadioError.self) {
                    try await radio.connectATT(to: address, deadline: lost + .milliseconds(2_570))
                }
            }
        }
    }
}
