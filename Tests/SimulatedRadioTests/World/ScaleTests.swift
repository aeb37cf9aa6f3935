// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Foundation
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

    /// What the channels of a world with six devices have received: a scan all the time, and three links that read and
    /// listen, each made anew every minute.
    ///
    /// - Parameters:
    ///   - seed: The seed of the world.
    ///   - duration: How long it goes on.
    ///   - marks: Moments at which `look` is called.
    private static func load(
        seed: UInt64,
        for duration: Duration,
        lookingAt marks: [Duration] = [],
        _ look: @escaping @Sendable (Duration) -> Void = { _ in }
    ) throws -> [UInt64] {
        var world = try SimulatedWorld.builtIn(seed: seed)
        let names = ["pulse-strap", "thermometer", "uart-echo", "workbench", "ibeacon", "eddystone"]
        world.devices = world.devices.filter { names.contains($0.name) }
        #expect(world.devices.count == names.count)
        let devices = world.devices
        return try simulate(world) { system, time in
            let (start, end) = (time.now, time.now + duration)
            return try await withThrowingTaskGroup(of: UInt64.self) { group in
                group.addTask {
                    for mark in marks {
                        try await time.sleep(until: start + mark)
                        look(mark)
                    }
                    return 0
                }
                group.addTask { try await Self.scan(system, until: end, time) }
                for device in devices.filter(\.isConnectable).prefix(3) {
                    group.addTask { try await Self.listen(to: device, system, until: end, time) }
                }
                var digests: [UInt64] = []
                for try await digest in group { digests.append(digest) }
                #expect(system.linkCount == 0 && time.sleeperEntryCount < 1_000)
                return digests
            }
        }
    }

    private static func scan(_ system: SimulatedRadioSystem, until end: Instant, _ time: VirtualTime) async throws
        -> UInt64
    {
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

    private static func listen(
        to device: SimulatedDevice,
        _ system: SimulatedRadioSystem,
        until end: Instant,
        _ time: VirtualTime
    ) async throws -> UInt64 {
        let radio = try system.radio(named: nil)
        var sum: UInt64 = 0
        while time.now < end {
            let limit = min(end, time.now + .seconds(60))
            let channel = try await radio.connectATT(to: device.address, deadline: end)
            for characteristic in device.database.characteristics() {
                guard
                    let descriptor = device.database.descriptor(.clientCharacteristicConfiguration, of: characteristic)
                else { continue }
                try channel.send(try #require(Hex.bytes("12\(Hex.string(descriptor.encoded()))0100")))
                _ = try await channel.receive()
            }
            sum = sum &* 31 &+ (await digest(of: channel, until: limit, time))
            channel.close()
            try await time.sleep(for: .seconds(1))
        }
        return sum
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

    @Test func `six devices are the same for the same seed`() throws {
        let first = try Self.load(seed: 3, for: .seconds(600))
        // Not every device sends something by itself.
        #expect(first.count == 5 && first.count { $0 != 0 } > 1)
        #expect(try Self.load(seed: 3, for: .seconds(600)) == first)
        #expect(try Self.load(seed: 4, for: .seconds(600)) != first)
    }

    /// In a process of its own, because the tests of this one run at the same time.
    @Test func `an hour of six devices needs no more memory than ten minutes`() async {
        await #expect(processExitsWith: .success) {
            let sizes = Box<[Duration: Int]>([:])
            _ = try ScaleTests.load(seed: 3, for: .seconds(3_600), lookingAt: [.seconds(600), .seconds(3_540)]) {
                mark in
                sizes.set(sizes.value.merging([mark: ScaleTests.residentSize]) { $1 })
            }
            let (early, late) = (sizes.value[.seconds(600)] ?? 0, sizes.value[.seconds(3_540)] ?? .max)
            print("resident: \(early / 1_024) KiB after ten minutes, \(late / 1_024) KiB after an hour")
            // 32 octets for each of the hundred thousands of packets in between would be more.
            precondition(early > 0 && late - early < 3 << 20, "\(early) and then \(late) octets")
        }
    }

    /// The octets of memory that this process has in use.
    private static var residentSize: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return pages.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * 4_096 } ?? 0
    }
}
