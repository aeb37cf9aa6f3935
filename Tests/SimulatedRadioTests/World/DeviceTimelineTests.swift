// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Timelines of devices that nobody is connected to")
struct DeviceTimelineTests {
    /// The seconds in which an advertisement of a device with that timeline is heard, and whether it can be connected to.
    private static func heard(_ timeline: [TimelineEntry], for duration: Duration) throws -> [Int64: Bool] {
        var definition = DeviceDefinition(
            label: "busy",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random)
        )
        definition.advertising = [
            DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [0x02, 0x01, 0x06])
        ]
        definition.signal = DeviceSignal(rssi: -50, movement: .still)
        definition.timeline = timeline
        let device = try SimulatedDevice(definition)
        return try simulate(SimulatedWorld(devices: [device])) { system, time in
            let start = time.now
            let reports = try await ScanSettings(isActive: false).scan(system, for: duration, time).reports
            return reports.reduce(into: [:]) { seconds, report in
                let second = (report.instant - start).clampedNanoseconds / 1_000_000_000
                seconds[second] = report.report.properties.contains(.connectable)
            }
        }
    }

    @Test func `a device leaves, and comes back`() throws {
        let seconds = try Self.heard([TimelineEntry(at: .seconds(3), [.leave(.seconds(4))])], for: .seconds(10))
        #expect(seconds.keys.sorted() == [0, 1, 2, 7, 8, 9])
    }

    @Test func `a device stops accepting connections, and accepts them again`() throws {
        let seconds = try Self.heard(
            [
                TimelineEntry(at: .seconds(2), [.connectable(false)]),
                TimelineEntry(at: .seconds(5), [.connectable(true)]),
            ],
            for: .seconds(8)
        )
        // It goes on to advertise, as a served device does.
        #expect(seconds.keys.sorted() == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(seconds.filter { !$0.value }.keys.sorted() == [2, 3, 4])
    }

    @Test func `after a restart the timeline begins again`() throws {
        let seconds = try Self.heard(
            [
                TimelineEntry(at: .seconds(1), [.leave(.seconds(2))]),
                TimelineEntry(at: .seconds(5), [.restart]),
            ],
            for: .seconds(14)
        )
        #expect(seconds.keys.sorted() == [0, 3, 4, 5, 8, 9, 10, 13])
    }
}
