// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Pieces of packets on USB")
struct USBPiecesTests {
    private static let event: [UInt8] = [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    /// An event as long as three pieces of an endpoint.
    private static let long: [UInt8] = [0x3E, 46] + (0..<46)
    private static let data: [UInt8] = [0x40, 0x20, 0x7C, 0x00] + [UInt8](repeating: 7, count: 124)

    @Test(arguments: [1, 2, 3, 16, 64, 1_000])
    func `packets are whole again, however they were cut`(length: Int) {
        for (kind, indicator, packet) in [(USBPieces.Kind.event, UInt8(4), Self.long), (.data, 2, Self.data)] {
            var pieces = USBPieces(kind)
            var packets: [[UInt8]] = []
            for _ in 0..<3 {
                for start in stride(from: 0, to: packet.count, by: length) {
                    packets += pieces.append(packet[start..<min(start + length, packet.count)])
                    packets += pieces.append([])
                }
            }
            #expect(packets == [[UInt8]](repeating: [indicator] + packet, count: 3))
        }
    }

    @Test func `a piece may hold several packets, and the beginning of another`() {
        var pieces = USBPieces(.event)
        #expect(pieces.append(Self.event + Self.event + Self.event.prefix(1)) == [[4] + Self.event, [4] + Self.event])
        #expect(pieces.append(Self.event.dropFirst()) == [[4] + Self.event])
    }

    @Test func `packets without parameters and with the most`() {
        var events = USBPieces(.event)
        #expect(events.append([0xFF, 0]) == [[4, 0xFF, 0]])
        let longest: [UInt8] = [0xFF, 255] + [UInt8](repeating: 1, count: 255)
        #expect(events.append(longest) == [[4] + longest])
        var data = USBPieces(.data)
        #expect(data.append([1, 0, 0, 0]) == [[2, 1, 0, 0, 0]])
        let most: [UInt8] = [1, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 65_535)
        #expect(data.append(most) == [[2] + most])
    }

    @Test func `a packet whose end is lost does not take the next one with it`() {
        var pieces = USBPieces(.event)
        #expect(pieces.append([0x3E, 200, 1, 2]).isEmpty)
        pieces.forget()
        #expect(pieces.append(Self.event) == [[4] + Self.event])
    }

    @Test func `any octets make packets of the lengths that they say`() {
        var random = SystemRandomNumberGenerator()
        for kind in [USBPieces.Kind.event, .data] {
            var pieces = USBPieces(kind)
            var (count, sent) = (0, 0)
            for _ in 0..<2_000 {
                let piece = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255) }
                sent += piece.count
                for packet in pieces.append(piece) {
                    let length = kind == .event ? 3 + Int(packet[2]) : 5 + Int(packet[3]) + Int(packet[4]) << 8
                    #expect(packet.count == length && packet[0] == kind.rawValue)
                    count += packet.count - 1
                }
                #expect(sent - count < 65_540)
            }
        }
    }
}
