// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization
import Testing

@testable import Terminal

@Suite("Writing in the calling thread", .timeLimit(.minutes(1)))
struct DirectWriterTests {
    private final class Calls: Sendable {
        private let words = Mutex<[String]>([])

        func add(_ word: String) { words.withLock { $0.append(word) } }
        var all: [String] { words.withLock { $0 } }
    }

    /// Otherwise a command in virtual time would let the clock stand still after its reader has gone, and never end.
    @Test func `the first result is never told after the reader's end`() async {
        for _ in 0..<300 {
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            let calls = Calls()
            let (ended, ending) = AsyncStream<Never>.makeStream()
            let writer = DirectWriter(output: writing) {
                calls.add("first")
            } onEnd: {
                calls.add("end")
                ending.finish()
            }
            WorkThread.start {
                var octet: UInt8 = 0
                _ = read(reading, &octet, 1)
                close(reading)
            }
            let octets: [UInt8] = [0x41]
            try? writer.sink(.output).write(octets.span)
            for await _ in ended {}
            #expect(calls.all.first == "first" && calls.all.last == "end" || calls.all == ["end"], "\(calls.all)")
            close(writing)
        }
    }
}
