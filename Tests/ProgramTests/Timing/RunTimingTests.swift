// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import Toolkit

@Suite("The timing of a run")
struct RunTimingTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)

    private static let other = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0002), .random)

    private func packet(
        _ bytes: [UInt8],
        _ direction: TappedPacket.Direction,
        at milliseconds: Int64,
        of device: DeviceAddress = device,
        link: Int = 1
    ) -> TappedPacket {
        TappedPacket(
            channel: .att(device),
            adapter: ManagementIndex(0),
            link: link,
            direction: direction,
            bytes: bytes,
            instant: Instant(nanoseconds: milliseconds * 1_000_000),
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }

    @Test func `requests count when they are sent, and last until the answer, whatever comes between`() {
        let links = TimedLinks()
        let timing = links.begin(.all)
        // Read By Group Type, a notification, and the response.
        links.tap(packet([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], .sent, at: 0))
        links.tap(packet([0x1B, 0x03, 0x00, 0x01], .received, at: 10))
        links.tap(packet([0x01, 0x10, 0x01, 0x00, 0x0A], .received, at: 30))
        // Read By Type for characteristics, and for a value.
        links.tap(packet([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], .sent, at: 40))
        links.tap(packet([0x01, 0x08, 0x01, 0x00, 0x0A], .received, at: 45))
        links.tap(packet([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], .sent, at: 50))
        links.tap(packet([0x01, 0x08, 0x01, 0x00, 0x0A], .received, at: 57))
        // Neither a command nor a request of the device counts as one of our requests.
        links.tap(packet([0x52, 0x03, 0x00, 0x01], .sent, at: 60))
        links.tap(packet([0x0A, 0x03, 0x00], .received, at: 61))
        links.tap(packet([0x0B, 0x01], .sent, at: 62))
        // The last one is not answered.
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 70))
        let now = timing.snapshot
        #expect(now.discovery == RunTiming.Requests(count: 2, duration: .milliseconds(35)))
        #expect(now.requests == RunTiming.Requests(count: 2, duration: .milliseconds(7)))
    }

    @Test func `the MTU is the lesser of both sides, and 23 at least`() {
        for (ours, theirs, agreed) in [(517, 247, 247), (100, 517, 100), (517, 5, 23)] as [(UInt16, UInt16, UInt16)] {
            let links = TimedLinks()
            let timing = links.begin(.all)
            links.tap(packet([0x02, UInt8(ours & 0xFF), UInt8(ours >> 8)], .sent, at: 0))
            #expect(timing.snapshot.link.mtu == nil)
            links.tap(packet([0x03, UInt8(theirs & 0xFF), UInt8(theirs >> 8)], .received, at: 20))
            #expect(timing.snapshot.link.mtu == agreed)
            #expect(timing.snapshot.discovery.count == 1)
        }
        let links = TimedLinks()
        let refused = links.begin(.all)
        links.tap(packet([0x02, 0x05, 0x02], .sent, at: 0))
        links.tap(packet([0x01, 0x02, 0x00, 0x00, 0x06], .received, at: 20))
        links.tap(packet([0x03, 0x05, 0x02], .received, at: 30))
        #expect(refused.snapshot.link.mtu == nil)
    }

    @Test func `a request belongs to the operation that sent it, even if the answer comes later`() {
        let links = TimedLinks()
        let first = links.begin(.all)
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 0))
        first.end()
        let second = links.begin(.all)
        links.tap(packet([0x0B, 0x01], .received, at: 20))
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 30))
        links.tap(packet([0x0B, 0x01], .received, at: 35))
        second.end()
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 40))
        #expect(first.snapshot.requests == RunTiming.Requests(count: 1, duration: .milliseconds(20)))
        #expect(second.snapshot.requests == RunTiming.Requests(count: 1, duration: .milliseconds(5)))
    }

    @Test func `a line counts on its own links, and a step on all`() {
        let links = TimedLinks()
        let (line, step) = (links.begin(.used), links.begin(.all))
        line.uses(Self.device)
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 0, of: Self.other, link: 2))
        links.tap(packet([0x0A, 0x03, 0x00], .sent, at: 10))
        #expect(line.snapshot.requests.count == 1 && step.snapshot.requests.count == 2)
    }

    private func link(_ change: TappedLink.Change, number: Int) -> TappedLink {
        TappedLink(
            number: number,
            adapter: ManagementIndex(0),
            device: Self.device,
            connectionHandle: 64,
            role: .central,
            change: change,
            instant: Instant(nanoseconds: 0),
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }

    @Test func `an operation reports the link before it, and no ended one`() {
        let links = TimedLinks()
        links.linkTap(link(.opened, number: 1))
        links.tap(packet([0x02, 0x05, 0x02], .sent, at: 0))
        links.tap(packet([0x03, 0xF7, 0x00], .received, at: 20))
        // One more channel to the same device is the same link.
        links.linkTap(link(.opened, number: 2))
        links.linkTap(link(.ended(nil), number: 2))
        let during = links.begin(.all, on: Self.device)
        #expect(during.snapshot.link.mtu == 247)
        links.linkTap(link(.ended(nil), number: 1))
        // What the link had is known until the operation has ended.
        #expect(during.snapshot.link.mtu == 247)
        let after = links.begin(.all, on: Self.device)
        #expect(after.snapshot.link.mtu == nil)
        links.linkTap(link(.opened, number: 3))
        #expect(after.snapshot.link.mtu == 23)
    }

    @Test func `octets that are not a packet change nothing`() {
        let links = TimedLinks()
        let timing = links.begin(.all)
        for bytes in [[], [0x08], [0x02, 0x01], [0xFF, 0x00], [0x10, 0x00, 0x00]] as [[UInt8]] {
            links.tap(packet(bytes, .sent, at: 0))
            links.tap(packet(bytes, .received, at: 1))
        }
        let now = timing.snapshot
        #expect(now.discovery.count + now.requests.count == 0 && now.link.mtu == nil)
    }
}
