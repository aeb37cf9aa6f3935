// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Bonds in the simulated world")
struct BondTests {
    private static let bonded = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)

    /// The shapeshifter: Service Changed 0x0008, its configuration 0x0009 and its control point 0x0010.
    private static func world(_ security: LinkSecurity) throws -> SimulatedWorld {
        var device = try SimulatedDevice.builtIn("shapeshifter")
        device.link.security = security
        return SimulatedWorld(devices: [device])
    }

    @Test func `a bonded device remembers subscriptions, another one does not (GAN/SR/BV-03, GAI/SR/BV-02)`() throws {
        for security in [Self.bonded, LinkSecurity(isEncrypted: true, keySize: 16), .none] {
            let world = try Self.world(security)
            let expected = security.hasBond ? ["0b0200", "0b05"] : ["0b0000", "0b00"]
            let found = try simulate(world) { system, time in
                let radio = try system.radio(named: nil)
                let address = world.devices[0].address
                let first = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
                #expect(first.security == security)
                #expect(try await first.exchange("1209000200") == "13")
                #expect(try await first.exchange("120b0005") == "13")
                first.close()
                try await time.sleep(for: .seconds(1))
                let second = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
                return [try await second.exchange("0a0900"), try await second.exchange("0a0b00")]
            }
            #expect(found == expected)
        }
    }

    @Test func `a bonded device that has changed in the meantime sends Service Changed by itself`() throws {
        let world = try Self.world(Self.bonded)
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            let address = world.devices[0].address
            let first = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await first.exchange("1209000200") == "13")
            // The device restarts with another shape.
            #expect(try await first.exchange("12100081") == "13")
            await #expect(throws: RadioError.self) { try await first.receive() }
            let second = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(Hex.string(try await second.receive()) == "1d08000100ffff")
            try second.send([0x1E])
            #expect(try await second.exchange("0a1200") == "0b01")
            second.close()
            try await time.sleep(for: .seconds(1))
            let third = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
            #expect(try await third.exchange("0a1200") == "0b01", "it has been told once")
        }
    }

    @Test func `values that need encryption are accessible on an encrypted link`() throws {
        for (security, answer) in [(LinkSecurity.none, "010a"), (Self.bonded, "0b")] {
            var device = try SimulatedDevice.builtIn("workbench")
            device.link.security = security
            let handle = try #require(device.database.characteristic(WorkbenchUUID.encrypted)).valueHandle
            let found = try simulate(SimulatedWorld(devices: [device])) { [address = device.address] system, time in
                let radio = try system.radio(named: nil)
                let channel = try await radio.connectATT(to: address, deadline: time.now + .seconds(5))
                return try await channel.exchange("0a" + Hex.string(handle.encoded()))
            }
            #expect(found.hasPrefix(answer))
        }
    }
}
