// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Large and long worlds")
struct ScaleTests {
    @Test func `a thousand advertisers are all heard`() throws {
        let devices = (0..<1_000).map { number in
            SimulatedDevice(
                name: "beacon-\(number)",
                address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_00 + UInt64(number)), .random),
                rssi: -60,
                advertising: [
                    DeviceAdvertising(
                        .nonConnectable,
                        interval: .milliseconds(1_000),
                        data: [0x05, 0xFF, 0xFF, 0xFF, UInt8(number & 0xFF), UInt8(number >> 8)]
                    )
                ]
            )
        }
        try simulate(SimulatedWorld(devices: devices)) { system, time in
            let channel = try system.radio(named: nil).openHCI()
            let scan = LESetExtendedScanParameters.Scan(
                type: .passive,
                interval: .init(.milliseconds(60)),
                window: .init(.milliseconds(60))
            )
            try await channel.perform([
                LESetExtendedScanParameters(le1M: scan, coded: nil),
                LESetExtendedScanEnable(isEnabled: true, duplicateFilter: .off),
            ])
            let transcript = await channel.transcript(until: time.now + .seconds(10), time)
            #expect(channel.droppedCount == 0)
            let reports = transcript.reports.map(\.report)
            #expect(Set(reports.map(\.address)).count == 1_000)
            // 10 s at 1 s to 1.01 s: ten times each, and two in a hundred are lost.
            #expect(9_500...10_000 ~= reports.count)
            #expect(reports.allSatisfy { $0.data.count == 6 })
        }
    }

    /// An hour of a world with six devices: a scan all the time, and three links that read and listen.
    private static func hour(seed: UInt64) throws -> [UInt64] {
        var world = try SimulatedWorld.builtIn(seed: seed)
        let names = ["pulse-strap", "thermometer", "uart-echo", "workbench", "ibeacon", "eddystone"]
        world.devices = world.devices.filter { names.contains($0.name) }
        #expect(world.devices.count == names.count)
        let devices = world.devices
        return try simulate(world) { system, time in
            let end = time.now + .seconds(3_600)
            return try await withThrowingTaskGroup(of: UInt64.self) { group in
                group.addTask {
                    let channel = try system.radio(named: nil).openHCI()
                    let scan = LESetExtendedScanParameters.Scan(
                        type: .active,
                        interval: .init(.milliseconds(60)),
                        window: .init(.milliseconds(60))
                    )
                    try await channel.perform([
                        LESetExtendedScanParameters(le1M: scan, coded: nil),
                        LESetExtendedScanEnable(isEnabled: true, duplicateFilter: .off),
                    ])
                    return await digest(of: channel, until: end, time)
                }
                for device in devices.filter(\.isConnectable).prefix(3) {
                    group.addTask {
                        let radio = try system.radio(named: nil)
                        var sum: UInt64 = 0
                        // Each link is used for a minute.
                        while time.now < end {
                            let limit = min(end, time.now + .seconds(60))
                            let channel = try await radio.connectATT(to: device.address, deadline: end)
                            for characteristic in device.database.characteristics() {
                                guard
                                    let descriptor = device.database.descriptor(
                                        .clientCharacteristicConfiguration,
                                        of: characteristic
                                    )
                                else { continue }
                                let handle = Hex.string(descriptor.encoded())
                                try channel.send(try #require(Hex.bytes("12\(handle)0100")))
                                _ = try await channel.receive()
                            }
                            sum = sum &* 31 &+ (await digest(of: channel, until: limit, time))
                            channel.close()
                            try await time.sleep(for: .seconds(1))
                        }
                        return sum
                    }
                }
                var digests: [UInt64] = []
                for try await digest in group { digests.append(digest) }
                #expect(system.linkCount == 0 && time.sleeperEntryCount < 1_000)
                return digests
            }
        }
    }

    /// A digest of the packets of a channel with their times, up to a moment.
    private static func digest(of channel: any PacketChannel, until end: Instant, _ time: VirtualTime) async -> UInt64 {
        let sum = Box<UInt64>(0)
        _ = try? await untilDeadline(end, time) {
            while let packet = try? await channel.receive() {
                var next = sum.value &* 31 &+ UInt64(bitPattern: time.now.nanoseconds)
                for octet in packet { next = next &* 31 &+ UInt64(octet) }
                sum.set(next)
            }
        }
        return sum.value
    }

    @Test func `an hour of six devices is the same for the same seed`() throws {
        let first = try Self.hour(seed: 3)
        // Not every device sends something by itself.
        #expect(first.count == 4 && first.contains { $0 != 0 })
        #expect(try Self.hour(seed: 3) == first)
        #expect(try Self.hour(seed: 4) != first)
    }
}
