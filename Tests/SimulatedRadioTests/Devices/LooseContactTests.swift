// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Loose contact")
struct LooseContactTests {
    @Test func `every third connection breaks after a second, and the light is then away for two`() throws {
        let world = try SimulatedWorld.builtIn()
        let address = try #require(world.device(named: "loose-contact")).address
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            for number in 1...6 {
                let channel = try await radio.connectATT(to: address, deadline: time.now + .seconds(10))
                let connected = time.now
                if number % 3 != 0 {
                    try await time.sleep(for: .seconds(5))
                    #expect(try await channel.exchange("0a0300").hasPrefix("0b"), "connection \(number)")
                    channel.close()
                    continue
                }
                await #expect(throws: RadioError(.linkLost(.connectionTimeout), during: "link to \(address.address)")) {
                    try await channel.receive()
                }
                let lost = time.now
                #expect(lost - connected > .seconds(1) && lost - connected < .seconds(2))
                await #expect(throws: RadioError.self) {
                    try await radio.connectATT(to: address, deadline: lost + .milliseconds(1_500))
                }
            }
        }
    }
}
