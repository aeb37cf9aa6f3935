// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import SimulatedRadio

@Suite("Connection events")
struct ConnectionEventsTests {
    private static let link = SimulatedDevice.Link(interval: .milliseconds(30), dataLength: 27, packetsPerEvent: 4)

    private static func milliseconds(_ value: Int64) -> Instant { .zero + .milliseconds(value) }

    @Test func `a PDU is sent at the next event`() {
        var events = ConnectionEvents(anchor: Self.milliseconds(100), link: Self.link)
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(50)) == Self.milliseconds(100))
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(100)) == Self.milliseconds(130))
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(129)) == Self.milliseconds(130))
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(1_000)) == Self.milliseconds(1_030))
    }

    @Test func `an event takes a limited number of packets, the next one the rest`() {
        var events = ConnectionEvents(anchor: .zero, link: Self.link)
        let arrivals = (0..<9).map { _ in events.arrival(ofPDU: 23, now: Self.milliseconds(1)) }
        #expect(arrivals == [30, 30, 30, 30, 60, 60, 60, 60, 90].map(Self.milliseconds))
    }

    @Test func `a PDU of several packets is split only if necessary, and order is kept`() {
        var events = ConnectionEvents(anchor: .zero, link: Self.link)
        // 77 octets and the L2CAP header take three packets.
        #expect(events.arrival(ofPDU: 77, now: .zero) == Self.milliseconds(30))
        #expect(events.arrival(ofPDU: 77, now: .zero) == Self.milliseconds(60))
        // 508 octets and the L2CAP header take nineteen packets, which are five events.
        #expect(events.arrival(ofPDU: 508, now: .zero) == Self.milliseconds(210))
        #expect(events.arrival(ofPDU: 3, now: .zero) == Self.milliseconds(210))
        #expect(events.arrival(ofPDU: 3, now: .zero) == Self.milliseconds(240))
    }

    @Test func `another interval applies from the next event`() {
        var events = ConnectionEvents(anchor: .zero, link: Self.link)
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(10)) == Self.milliseconds(30))
        events.change(interval: .milliseconds(100), now: Self.milliseconds(40))
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(50)) == Self.milliseconds(60))
        #expect(events.arrival(ofPDU: 3, now: Self.milliseconds(60)) == Self.milliseconds(160))
    }
}
