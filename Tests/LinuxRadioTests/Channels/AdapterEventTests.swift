// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("The kernel's events about adapters")
struct AdapterEventTests {
    private let down: [UInt8] = [0x04, 0xFD, 0x06, 0x01, 0x00, 0x04, 0x00, 0x02, 0x00]

    @Test("Down and removal are ends, up and new are not")
    func kinds() throws {
        let ends = try (1...4).map { kind in
            var packet = down
            packet[5] = UInt8(kind)
            let event = try #require(AdapterEvent(packet))
            #expect(event.adapter == 2)
            return event.isEnd
        }
        #expect(ends == [false, true, false, true])
    }

    @Test("Other packets are not events")
    func others() {
        for count in 0..<down.count { #expect(AdapterEvent(Array(down.prefix(count))) == nil) }
        #expect(AdapterEvent([0x04, 0x0E] + down.dropFirst(2)) == nil)
        #expect(AdapterEvent([0x02] + down.dropFirst()) == nil)
        #expect(AdapterEvent(down.prefix(3) + [0x02] + down.dropFirst(4)) == nil)
    }
}
