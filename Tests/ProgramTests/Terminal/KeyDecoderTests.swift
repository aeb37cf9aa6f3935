// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Terminal

@Suite("KeyDecoder")
struct KeyDecoderTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let octets: String
        let keys: [TerminalKey]
        var testDescription: String { TerminalText.escaped(octets) }

        init(_ octets: String, _ keys: TerminalKey...) { (self.octets, self.keys) = (octets, keys) }
    }

    static let vectors = [
        Vector("q", .character("q")),
        Vector("/é心😀", .character("/"), .character("é"), .character("心"), .character("😀")),
        Vector("\n", .enter), Vector("\r", .enter), Vector("\u{7F}\u{8}", .backspace, .backspace),
        Vector("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", .up, .down, .right, .left), Vector("\u{1B}OA\u{1B}OM", .up, .enter),
        Vector("\u{1B}[5~\u{1B}[6~", .pageUp, .pageDown), Vector("\u{1B}[1;5A", .up),
        Vector("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~", .home, .end, .home, .end, .home),
        // Unknown sequences are no keys, and do not disturb what follows.
        Vector("\u{1B}[15~\u{1B}[200~x", .character("x")), Vector("\u{1B}[[Ax", .character("x")),
        Vector("\u{1B}[<0;1;2Mx", .enter, .character("x")), Vector("\u{1B}[\u{1B}[A", .up),
        Vector("\u{1B}q", .escape, .character("q")), Vector("\u{1B}\u{1B}[A", .escape, .up),
        Vector("\u{C}", .control("l")),
    ]

    @Test("octets become keys, however the reads split them", arguments: Self.vectors)
    func keys(vector: Vector) {
        let octets = Array(vector.octets.utf8)
        for size in 1...max(1, octets.count) {
            var decoder = KeyDecoder()
            var keys: [TerminalKey] = []
            var rest = octets[...]
            while !rest.isEmpty {
                keys += decoder.received(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(keys == vector.keys, "in pieces of \(size)")
        }
    }

    @Test("an escape octet alone is a key when nothing follows")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.received([0x1B]).isEmpty)
        #expect(decoder.isPending)
        #expect(decoder.paused() == [.escape])
        #expect(decoder.received(Array("[A".utf8)) == [.character("["), .character("A")])
        #expect(decoder.paused().isEmpty)
    }

    @Test("octets that are not text are not keys, and endless sequences are bounded")
    func hostile() {
        var decoder = KeyDecoder()
        #expect(
            decoder.received([0xFF, 0xC3, 0x28, 0xE2, 0x82, UInt8(ascii: "a"), 0x80]) == [
                .character("("), .character("a"),
            ]
        )
        #expect(decoder.received(Array("\u{1B}[".utf8)).isEmpty)
        for _ in 0..<10_000 { #expect(decoder.received(Array("123;".utf8)).isEmpty) }
        #expect(MemoryLayout.size(ofValue: decoder) < 64)
        #expect(decoder.received(Array("~q".utf8)) == [.character("q")])
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 { _ = decoder.received([UInt8.random(in: 0...255, using: &generator)]) }
    }
}
