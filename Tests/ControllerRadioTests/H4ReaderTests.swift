// SPDX-License-Identifier: MIT

import Testing

@testable import ControllerRadio

@Suite("H4 reader")
struct H4ReaderTests {
    /// One packet of each kind, with and without content.
    private static let packets: [[UInt8]] = [
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
        [0x02, 0x40, 0x20, 0x03, 0x00, 0x01, 0x02, 0x03],
        [0x01, 0x03, 0x0C, 0x00],
        [0x03, 0x01, 0x00, 0x02, 0xAA, 0xBB],
        // The two highest bits of the length of isochronous data are reserved.
        [0x05, 0x01, 0x00, 0x01, 0xC0, 0xAA],
        [0x02, 0x40, 0x20, 0x00, 0x00],
        [0x04, 0x10, 0x00],
        [0x02, 0x40, 0x20, 0x2C, 0x01] + [UInt8](repeating: 0x55, count: 300),
    ]

    @Test func `a stream is cut by the lengths in it, in pieces of any size`() throws {
        let stream = Self.packets.flatMap { $0 }
        for size in 1...stream.count {
            var reader = H4Reader()
            var cut: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                cut += try reader.append(Array(stream[start..<min(stream.count, start + size)]))
            }
            #expect(cut == Self.packets, "pieces of \(size)")
        }
    }

    @Test(arguments: [0x00, 0x06, 0x07, 0xFF] as [UInt8])
    func `an octet that begins no packet ends the stream, also behind a packet`(indicator: UInt8) {
        var reader = H4Reader()
        #expect(throws: H4Reader.SynchronizationLost(indicator: indicator)) {
            try reader.append(Self.packets[0] + [indicator])
        }
    }
}
