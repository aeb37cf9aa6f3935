// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Timeline")
struct TimelineTests {
    private static let value = DeviceCharacteristic(0xFF01, [.read, .notify], value: .octets([1]))
    private static let other = DeviceCharacteristic(0xFF02, .notify, value: .octets([2]))

    private static func send(_ octet: UInt8) -> [DeviceAction] { [.send(.any(0xFF01), .value(.octets([octet])))] }

    @Test func `times count from the start, and repeated entries continue`() throws {
        var bench = try DeviceBench(
            Self.value,
            timeline: [
                TimelineEntry(at: .seconds(5), Self.send(5)),
                TimelineEntry(at: .seconds(2), every: .seconds(4), Self.send(2)),
            ]
        )
        try bench.subscribe(0xFF01)
        #expect(
            bench.run(for: .seconds(12)).map { "\($0.time / 1_000) \($0.what)" } == ["2 02", "5 05", "6 02", "10 02"]
        )
        bench.standStill(for: .seconds(100))
        // Missed values are not sent: the present one is, and then the rhythm continues.
        #expect(bench.run(for: .seconds(4)).map { "\($0.time / 1_000) \($0.what)" } == ["112 02", "114 02"])
    }

    @Test func `a value without a new content is sent unchanged`() throws {
        var bench = try DeviceBench(
            Self.value,
            timeline: [TimelineEntry(at: .seconds(1), [.send(.any(0xFF01), .written)])]
        )
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["01"])
    }

    @Test func `each connection has its own times, which end with it`() throws {
        let second = GATTServer.ClientID(2)
        var bench = try DeviceBench(
            Self.value,
            timeline: [TimelineEntry(at: .seconds(3), since: .connection, every: .seconds(10), Self.send(3))]
        )
        try bench.subscribe(0xFF01)
        bench.run(for: .seconds(1))
        bench.connect(second)
        #expect(bench.run(for: .seconds(4)).map(\.time) == [3_000, 4_000])
        bench.disconnect(second)
        #expect(bench.run(for: .seconds(10)).map(\.time) == [13_000])
        bench.disconnect()
        #expect(bench.run(for: .seconds(100)).isEmpty)
    }

    @Test func `a subscription has its own times, which end with the last one`() throws {
        var bench = try DeviceBench(
            Self.value,
            Self.other,
            timeline: [
                TimelineEntry(at: .seconds(1), since: .subscription(.any(0xFF02)), every: .seconds(1), Self.send(9))
            ]
        )
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(5)).isEmpty)
        try bench.subscribe(0xFF02)
        #expect(bench.run(for: .milliseconds(2_500)).map(\.time) == [6_000, 7_000])
        try bench.subscribe(0xFF02, false)
        #expect(bench.run(for: .seconds(5)).isEmpty)
        try bench.subscribe(0xFF02)
        #expect(bench.run(for: .milliseconds(1_500)).map(\.time) == [13_500])
    }

    @Test func `a restart starts the timeline again, even a restart at its beginning`() throws {
        var bench = try DeviceBench(
            Self.value,
            timeline: [
                TimelineEntry(at: .seconds(10), [.restart]), TimelineEntry(at: .seconds(4), [.connectable(false)]),
            ]
        )
        let told = bench.run(for: .seconds(25))
        #expect(
            told.map(\.what) == [
                "connectable false", "hangs up 19", "connectable true", "connectable false", "hangs up 19",
                "connectable true", "connectable false",
            ]
        )
        #expect(told.map { $0.time / 1_000 } == [4, 10, 10, 14, 20, 20, 24])
        var restless = try DeviceBench(Self.value, timeline: [TimelineEntry(at: .zero, [.restart])])
        #expect(restless.run(for: .milliseconds(50)).count == 50)
    }

    @Test func `entries of the same moment keep their order`() {
        var agenda = RuleTimeline()
        for octet in 0..<5 as Range<UInt8> {
            agenda.add(.init(due: .zero + .seconds(octet == 3 ? 1 : 2), origin: .action, actions: Self.send(octet)))
        }
        var order: [[DeviceAction]] = []
        while let entry = agenda.takeFirst(dueAt: .zero + .seconds(2)) { order.append(entry.actions) }
        #expect(order == [3, 0, 1, 2, 4].map { Self.send($0) })
        #expect(agenda.next == nil)
    }
}
