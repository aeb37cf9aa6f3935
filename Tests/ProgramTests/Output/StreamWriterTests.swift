// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization
import Testing

@testable import Terminal

@Suite("The writer of the standard streams")
struct StreamWriterTests {
    /// Runs `body` with a writer, and ends its thread.
    private func withWriter(
        _ output: TestStream,
        _ messages: TestStream,
        watchesReader: Bool = true,
        _ body: (StreamWriter, _ output: any ByteSink, _ messages: any ByteSink) async throws -> Void
    ) async rethrows {
        let writer = StreamWriter(output: output.writing, messages: messages.writing, watchesReader: watchesReader)
        defer { writer.stop() }
        try await body(writer, writer.sink(.output), writer.sink(.messages))
        // The descriptors stay open as long as the writer may use them.
        withExtendedLifetime((output, messages)) {}
    }

    private static func block(_ octet: UInt8, _ count: Int = 65_536) -> [UInt8] {
        [UInt8](repeating: octet, count: count)
    }

    /// Writes until nothing more should be added; how many octets that were.
    private static func fill(_ sink: any ByteSink, blocks: Int = 24) async throws -> Int {
        // More than the limit and the buffer of a pipe, a socket or a terminal.
        for number in 0..<blocks { try sink.write(block(UInt8(number))) }
        return blocks * 65_536
    }

    private static func filled(blocks: Int = 24) -> [UInt8] { (0..<blocks).flatMap { block(UInt8($0)) } }

    @Test func `a process that leaves its streams does not keep them open`() async throws {
        let (output, messages) = (try TestStream(.pipe), try TestStream(.pipe))
        try await withWriter(output, messages, watchesReader: false) { _, results, _ in
            try results.write(Array("ready\n".utf8))
            try await results.flush()
            #expect(await output.text(6) == "ready\n")
            // Longer than the writer gathers results, so that it rests.
            try await Task.sleep(for: .milliseconds(50))
            let null = open("/dev/null", O_RDWR | O_CLOEXEC)
            defer { close(null) }
            let writing = (3..<1_024 as Range<Int32>).filter {
                fcntl($0, F_GETFL) & O_ACCMODE == O_WRONLY && WritableDescriptor.leadToOnePlace($0, output.writing)
            }
            for descriptor in writing {
                dup2(null, descriptor)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            #expect(await output.hasEnd())
            // What is written afterwards is lost without a failure.
            try results.write(Array("more\n".utf8))
            try await results.flush()
        }
    }

    // MARK: - Order

    @Test(arguments: TestStream.Kind.allCases)
    func `results and messages that go to one place keep their order`(
        _ kind: TestStream.Kind
    ) async throws {
        let stream = try TestStream(kind)
        try await withWriter(stream, stream) { _, output, messages in
            var expected = ""
            for number in 0..<500 {
                let (text, sink) = number % 3 == 0 ? ("message \(number)\n", messages) : ("result \(number)\n", output)
                try sink.write(Array(text.utf8))
                expected += text
            }
            #expect(await stream.text(expected.utf8.count) == expected)
            try await output.flush()
            #expect(!output.isBehind && !messages.isBehind)
        }
    }

    @Test(arguments: TestStream.Kind.allCases)
    func `everything arrives in order, however slow the reader is, and waiting writers get room`(
        _ kind: TestStream.Kind
    ) async throws {
        let (stream, other) = (try TestStream(kind), try TestStream())
        try await withWriter(stream, other) { _, output, _ in
            let lines = (0..<20_000).map { "\($0) \(String(repeating: "x", count: 150))\n" }
            let expected = lines.joined()
            async let got = stream.text(expected.utf8.count)
            for line in lines {
                try output.write(Array(line.utf8))
                try await output.room()
            }
            try await output.flush()
            #expect(await got == expected)
        }
    }

    @Test(arguments: TestStream.Kind.allCases, [true, false])
    func `what a loop settles arrives in order, and what a slow reader leaves, the thread writes`(
        _ kind: TestStream.Kind,
        startsThread: Bool
    ) async throws {
        let (stream, other) = (try TestStream(kind), try TestStream())
        // The thread is not woken for what is written: only `settle` writes it, or hands it over.
        let writer = StreamWriter(output: stream.writing, messages: other.writing, startsThread: startsThread) { true }
        defer { writer.stop() }
        let output = writer.sink(.output)
        let lines = (0..<20_000).map { "\($0) \(String(repeating: "x", count: 150))\n" }
        let expected = lines.joined()
        async let got = stream.text(expected.utf8.count)
        for (number, line) in lines.enumerated() {
            try output.write(Array(line.utf8))
            if number % 100 == 0 { writer.settle() }
            if output.isBehind, number % 5_000 == 0 { try await output.room() }
        }
        writer.settle()
        #expect(await got == expected)
        withExtendedLifetime((stream, other)) {}
    }

    @Test func `a loop tells a writer without a thread that the reader is gone`() async throws {
        let (stream, other) = (try TestStream(.pipe), try TestStream())
        let writer = StreamWriter(output: stream.writing, messages: other.writing, startsThread: false) { true }
        defer { writer.stop() }
        let output = writer.sink(.output)
        try output.write(Array("first\n".utf8))
        var watched: Int32?
        writer.watchReader { descriptor, onEnd in
            watched = descriptor
            onEnd()
        }
        #expect(watched.map { WritableDescriptor.leadToOnePlace($0, stream.writing) } == true)
        await output.end()
        #expect(throws: OutputFailure.brokenPipe) { try output.write(Array("second\n".utf8)) }
        withExtendedLifetime((stream, other)) {}
    }

    @Test func `a stopped reader of results delays no message`() async throws {
        let (results, messages) = (try TestStream(), try TestStream())
        try await withWriter(results, messages) { _, output, sink in
            _ = try await Self.fill(output)
            try sink.write(Array("hello\n".utf8))
            try await sink.flush()
            #expect(await messages.text(6) == "hello\n")
            #expect(output.isBehind)
        }
    }

    // MARK: - Room

    @Test func `a writer that has filled the queue waits until there is room`() async throws {
        let stream = try TestStream()
        try await withWriter(stream, try TestStream()) { _, output, _ in
            let total = try await Self.fill(output, blocks: 40)
            let hasRoom = Mutex(false)
            async let waits: Void = {
                try await output.room()
                hasRoom.withLock { $0 = true }
            }()
            // So much is read that with all a pipe takes the limit is still reached.
            let few = total - WriteQueue.limit - 2 * 65_536
            var got = await stream.read(few)
            #expect(!hasRoom.withLock { $0 }, "there is no room yet")
            got += await stream.read(total - few)
            try await waits
            #expect(got == Self.filled(blocks: 40))
        }
    }

    @Test func `a cancelled task waits neither for room nor for the end of writing`() async throws {
        let stream = try TestStream()
        try await withWriter(stream, try TestStream()) { _, output, _ in
            _ = try await Self.fill(output)
            for number in 0..<200 {
                let task = Task {
                    if number.isMultiple(of: 2) { try await output.room() } else { try await output.flush() }
                }
                // Before it waits, and while it does.
                for _ in 0..<number % 20 { await Task.yield() }
                task.cancel()
                await #expect(throws: OutputFailure.interrupted) { try await task.value }
            }
            #expect(output.failure == nil)
        }
    }

    @Test func `messages without a reader are dropped, and their number is reported in their place`() async throws {
        let stream = try TestStream()
        try await withWriter(try TestStream(), stream) { _, _, messages in
            let line = Array((String(repeating: "m", count: 65_535) + "\n").utf8)
            for _ in 0..<60 { try messages.write(line) }
            // The reader got whole lines, and no writer had to wait for the rest.
            var lines = 0
            while true {
                // Asked first: the writer counts octets a moment after the pipe has them.
                let isBehind = messages.isBehind
                if stream.pendingCount > 0 {
                    #expect(await stream.read(line.count) == line)
                    lines += 1
                } else if isBehind {
                    try await Task.sleep(for: .milliseconds(1))
                } else {
                    break
                }
            }
            #expect(lines >= WriteQueue.limit / line.count && lines < 60)
            try messages.write(Array("again\n".utf8))
            let expected = "blectl: \(60 - lines) messages dropped\nagain\n"
            #expect(await stream.text(expected.utf8.count) == expected)
        }
    }

    // MARK: - The end of the reader

    @Test(arguments: TestStream.Kind.allCases)
    func `a reader that leaves while nothing is written is noticed`(_ kind: TestStream.Kind) async throws {
        let stream = try TestStream(kind)
        try await withWriter(stream, try TestStream()) { _, output, messages in
            try output.write(Array("first\n".utf8))
            #expect(await stream.text(6) == "first\n")
            async let end: Void = output.end()
            stream.closeReader()
            await end
            #expect(output.failure == .brokenPipe)
            #expect(throws: OutputFailure.brokenPipe) { try output.write([1]) }
            await #expect(throws: OutputFailure.brokenPipe) { try await output.room() }
            await #expect(throws: OutputFailure.brokenPipe) { try await output.flush() }
            await output.drain()
            try messages.write([1])
            #expect(messages.failure == nil)
        }
    }

    @Test func `a reader that leaves ends all waits`() async throws {
        let stream = try TestStream()
        try await withWriter(stream, try TestStream()) { _, output, _ in
            _ = try await Self.fill(output)
            let waiting = (0..<20).map { number in
                Task { () async -> OutputFailure? in
                    do {
                        if number % 2 == 0 { try await output.room() } else { try await output.flush() }
                        return nil
                    } catch {
                        return error as? OutputFailure
                    }
                }
            }
            async let drained: Void = output.drain()
            stream.closeReader()
            for task in waiting { #expect(await task.value == .brokenPipe) }
            await drained
        }
    }

    @Test func `a cancelled task does not wait for the end of the reader`() async throws {
        let (stream, other) = (try TestStream(), try TestStream())
        await withWriter(stream, other) { _, output, _ in
            let task = Task { await output.end() }
            task.cancel()
            await task.value
            #expect(output.failure == nil)
        }
    }

    // MARK: - Hurry

    @Test(arguments: [DrainPolicy.overdue, .stalled])
    func `in a hurry a stopped reader is given up, and its unread lines are counted`(_ policy: DrainPolicy) async throws
    {
        let stream = try TestStream()
        try await withWriter(stream, try TestStream()) { writer, output, messages in
            let total = try await Self.fill(output)
            writer.hurry(policy)
            await output.drain()
            #expect(output.failure == .interrupted)
            #expect(output.unwrittenCount > 0 && output.unwrittenCount + stream.pendingCount == total)
            #expect(throws: OutputFailure.interrupted) { try output.write([1]) }
            // Messages have a reader, or a tenth of a second.
            try messages.write(Array("told\n".utf8))
            await messages.drain()
            #expect(messages.failure == nil)
        }
    }

    // MARK: - Failures

    @Test func `a failure of one stream is reported by it alone`() async throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let stream = try TestStream()
        let writer = StreamWriter(output: full, messages: stream.writing)
        defer { writer.stop() }
        let (output, messages) = (writer.sink(.output), writer.sink(.messages))
        try output.write([1])
        let failure = OutputFailure.failed("No space left on device")
        await #expect(throws: failure) { try await output.flush() }
        await output.end()
        #expect(output.failure == failure)
        try messages.write(Array("told\n".utf8))
        #expect(await stream.text(5) == "told\n")
    }
}
