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

    /// Otherwise a command with a program of `--exec` could not be ended while its reader does not read.
    @Test func `hurried output ends although a program that was started meanwhile lives on`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let writer = DirectWriter(output: writing, watchesReader: false)
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("50"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawnp(&process, "sleep", nil, nil, &arguments, nil) == 0)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            for end in [reading, writing] { close(end) }
        }
        let start = ContinuousClock.now
        WorkThread.start {
            usleep(200_000)
            writer.hurry(.overdue)
        }
        // More than a pipe holds.
        let octets = [UInt8](repeating: 0x41, count: 1 << 20)
        #expect(throws: OutputFailure.interrupted) { try writer.sink(.output).write(octets.span) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
