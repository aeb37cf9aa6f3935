// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("The pace of simulated devices")
struct DevicePaceTests {
    @Test func `a device that sends faster than its link carries drops values, and still answers`() throws {
        var definition = DeviceDefinition(
            label: "fast",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0A), .random),
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            services: [
                DeviceService(
                    0xFF00,
                    characteristics: [
                        DeviceCharacteristic(
                            0xFF01,
                            [.read, .notify],
                            value: .octets([1]),
                            stream: DeviceStream(every: .fixed(.milliseconds(1)))
                        )
                    ]
                )
            ],
            hasStandardServices: false
        )
        definition.limits.packetsPerEvent = 1
        let device = try SimulatedDevice(definition)
        let dropped = Box(0)
        let time = VirtualTime()
        let answer = try time.run { () async throws -> Duration in
            try await withTaskScope { scope in
                let world = RunningWorld(SimulatedWorld(devices: [device]), time: time, scope: scope) { _, event in
                    if case .dropped(_, let count) = event { dropped.set(dropped.value + count) }
                }
                let radio = try world.join().radio(named: nil)
                let channel = try await radio.connectATT(to: device.address, deadline: time.now + .seconds(5))
                #expect(try await channel.exchange("1204000100") == "13")
                // 1,000 values in a second, of which the link carries 33.
                for _ in 0..<1_000 { _ = try await channel.receive() }
                let start = time.now
                try channel.send([0x0A, 0x03, 0x00])
                while try await channel.receive().first != 0x0B {}
                return time.now - start
            }
        }
        #expect(dropped.value >= 10_000)
        // It waits behind the values that the link has taken ahead, and not behind all of them.
        #expect(answer < .seconds(4))
    }
}
