// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import BlectlKit
@testable import BluetoothHost

@Suite("The timing of a run")
struct RunTimingTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)

    private func packet(_ bytes: [UInt8], _ direction: TappedPacket.Direction, at milliseconds: Int64) -> TappedPacket {
        TappedPacket(
            channel: .att(Self.device),
            adapter: ManagementIndex(0),
            link: 1,
            direction: direction,
            bytes: bytes,
            instant: Instant(nanoseconds: milliseconds * 1_000_000),
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }

    @Test func `requests count when they are sent, and their time until the answer, whatever comes in between`() {
        let timing = RunTiming()
        // Read By Group Type, a notification, and the response.
        timing.tap(packet([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], .sent, at: 0))
        timing.tap(packet([0x1B, 0x03, 0x00, 0x01], .received, at: 10))
        timing.tap(packet([0x01, 0x10, 0x01, 0x00, 0x0A], .received, at: 30))
        // Read By Type for characteristics, and for a value.
        timing.tap(packet([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], .sent, at: 40))
        timing.tap(packet([0x01, 0x08, 0x01, 0x00, 0x0A], .received, at: 45))
        timing.tap(packet([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], .sent, at: 50))
        timing.tap(packet([0x01, 0x08, 0x01, 0x00, 0x0A], .received, at: 57))
        // A command is no request, and a request of the device is none of ours.
        timing.tap(packet([0x52, 0x03, 0x00, 0x01], .sent, at: 60))
        timing.tap(packet([0x0A, 0x03, 0x00], .received, at: 61))
        timing.tap(packet([0x0B, 0x01], .sent, at: 62))
        // The last one is not answered.
        timing.tap(packet([0x0A, 0x03, 0x00], .sent, at: 70))
        let now = timing.snapshot
        #expect(now.discovery == RunTiming.Requests(count: 2, duration: .milliseconds(35)))
        #expect(now.requests == RunTiming.Requests(count: 2, duration: .milliseconds(7)))
    }

    @Test func `the MTU is the lesser of both sides, and 23 at least`() {
        for (ours, theirs, agreed) in [(517, 247, 247), (100, 517, 100), (517, 5, 23)] as [(UInt16, UInt16, UInt16)] {
            let timing = RunTiming()
            timing.tap(packet([0x02, UInt8(ours & 0xFF), UInt8(ours >> 8)], .sent, at: 0))
            #expect(timing.snapshot.mtu == nil)
            timing.tap(packet([0x03, UInt8(theirs & 0xFF), UInt8(theirs >> 8)], .received, at: 20))
            #expect(timing.snapshot.mtu == agreed)
            #expect(timing.snapshot.discovery.count == 1)
        }
        let refused = RunTiming()
        refused.tap(packet([0x02, 0x05, 0x02], .sent, at: 0))
        refused.tap(packet([0x01, 0x02, 0x00, 0x00, 0x06], .received, at: 20))
        refused.tap(packet([0x03, 0x05, 0x02], .received, at: 30))
        #expect(refused.snapshot.mtu == nil)
    }

    @Test func `octets that are no packet change nothing`() {
        let timing = RunTiming()
        for bytes in [[], [0x08], [0x02, 0x01], [0xFF, 0x00], [0x10, 0x00, 0x00]] as [[UInt8]] {
            timing.tap(packet(bytes, .sent, at: 0))
            timing.tap(packet(bytes, .received, at: 1))
        }
        let now = timing.snapshot
        #expect(now.discovery.count + now.requests.count == 0 && now.mtu == nil)
    }

    @Test(arguments: [
        (#"{"time":"x","type":"y"}"#, #"{"time":"x","timing":1,"type":"y"}"#),
        (#"{"type":"y"}"#, #"{"timing":1,"type":"y"}"#),
        (#"{"time":"x"}"#, #"{"time":"x","timing":1}"#),
        (#"{}"#, #"{"timing":1}"#),
        // Keys of inner objects, and texts that look like keys, are no places.
        (#"{"a":{"type":1},"b":["z"],"type":"y"}"#, #"{"a":{"type":1},"b":["z"],"timing":1,"type":"y"}"#),
        (#"{"a":"\",\"u\":","type":2}"#, #"{"a":"\",\"u\":","timing":1,"type":2}"#),
        (#"{"a":"zz","b":"x\\","type":2}"#, #"{"a":"zz","b":"x\\","timing":1,"type":2}"#),
    ])
    func `a member stands where its key is in order`(_ record: String, _ expected: String) {
        for end in ["", "\n"] {
            let whole = RecordMember.inserting([UInt8(ascii: "1")], as: "timing", into: Array((record + end).utf8))
            #expect(String(decoding: whole, as: UTF8.self) == expected + end)
        }
    }
}
