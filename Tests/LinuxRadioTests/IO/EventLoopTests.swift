// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc
import Synchronization
import Testing

@testable import LinuxRadio

@Suite("The event loop", .timeLimit(.minutes(15)))
struct EventLoopTests {
    /// Runs `body` on a loop that has a thread of its own, because it blocks that.
    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async -> Value
    ) async throws -> Value {
        let loop = try EventLoop()
        return await withCheckedContinuation { continuation in
            Self.thread { continuation.resume(returning: loop.run { await body(loop) }) }
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }
        #expect(pthread_create(&thread, nil, start, work.toOpaque()) == 0)
        pthread_detach(thread)
    }

    @Test func `tasks, actors and sleepers run on the thread of the loop, the earliest deadline first`() async throws {
        actor Log {
            var lines: [String] = []
            var threads: Set<UInt> = []

            func add(_ line: String) {
                lines.append(line)
                threads.insert(UInt(pthread_self()))
            }
        }
        let (lines, threads, own) = try await onLoop { loop in
            let log = Log()
            let own = UInt(pthread_self())
            // The deadlines have this order however late each task begins.
            let start = loop.now + .milliseconds(100)
            await withTaskGroup(of: Void.self) { group in
                for wait in [30, 10, 20] {
                    group.addTask {
                        try? await loop.sleep(until: start + .milliseconds(wait))
                        await log.add("\(wait)")
                    }
                }
                group.addTask { await log.add("at once") }
            }
            return (await log.lines, await log.threads, own)
        }
        #expect(lines == ["at once", "10", "20", "30"])
        #expect(threads == [own])
    }

    @Test func `a sleep ends when its task is cancelled, and not before its deadline`() async throws {
        let (isCancelled, slept) = try await onLoop { loop in
            let isCancelled = await withTaskGroup(of: Bool.self) { group in
                group.addTask { (try? await loop.sleep(for: .seconds(3_600))) == nil }
                group.cancelAll()
                return await group.next() ?? false
            }
            let start = loop.now
            try? await loop.sleep(for: .milliseconds(15))
            return (isCancelled, loop.now - start)
        }
        #expect(isCancelled)
        #expect(slept >= .milliseconds(15))
    }

    @Test func `another thread that resumes a task wakes the loop`() async throws {
        let numbers = try await onLoop { _ in
            var numbers: [Int] = []
            for number in 0..<200 {
                numbers.append(
                    await withCheckedContinuation { continuation in
                        Self.thread { continuation.resume(returning: number) }
                    }
                )
            }
            return numbers
        }
        #expect(numbers == Array(0..<200))
    }

    @Test func `descriptors are polled even if there are always more jobs`() async throws {
        let received = try await onLoop { loop in
            await TemporarySocket.use { path in
                await withTaskGroup(of: [UInt8]?.self) { group in
                    let isDone = Mutex(false)
                    do {
                        let socket = PacketSocket(path: path, maximumLength: 64, on: loop)
                        let listener = try socket.listen()
                        defer { listener.close() }
                        group.addTask {
                            while !isDone.withLock({ $0 }) { await Task.yield() }
                            return nil
                        }
                        let client = try socket.connect()
                        try client.send([1, 2, 3])
                        let server = try await listener.accept()
                        let packet = try await server.receive()
                        isDone.withLock { $0 = true }
                        client.close()
                        server.close()
                        return packet
                    } catch {
                        isDone.withLock { $0 = true }
                        Issue.record(error)
                        return []
                    }
                }
            }
        }
        #expect(received == [1, 2, 3])
    }

    @Test func `a connection that is used before the loop runs continues in the loop`() async throws {
        let answers = try await onLoop { loop in
            await TemporarySocket.use { path -> [[UInt8]] in
                do {
                    let listener = try PacketSocket(path: path, maximumLength: 64).listen()
                    defer { listener.close() }
                    let asked = try PacketSocket(path: path, maximumLength: 64).ask([1])
                    // Nobody has answered.
                    #expect(throws: RadioError.self) { try asked.receive(timeout: .milliseconds(1)) }
                    let server = try await listener.accept()
                    let question = try await server.receive()
                    try server.send([2])
                    let answer = try asked.receive(timeout: .seconds(10))
                    let channel = try asked.channel(on: loop)
                    #expect(throws: RadioError.self) { try asked.channel(on: loop) }
                    #expect(throws: RadioError.self) { try asked.receive(timeout: .zero) }
                    try channel.send([3])
                    let later = try await server.receive()
                    server.close()
                    await #expect(throws: RadioError.self) { try await channel.receive() }
                    return [question, answer, later]
                } catch {
                    Issue.record(error)
                    return []
                }
            }
        }
        #expect(answers == [[1], [2], [3]])
    }

    @Test func `the end of a reader is reported once, and a file has no end`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(writing) }
        let count = try await onLoop { loop in
            let (news, continuation) = AsyncStream<Void>.makeStream()
            #expect(loop.watchEnd(of: writing) { continuation.yield() })
            let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
            #expect(!loop.watchEnd(of: file) {})
            close(file)
            close(reading)
            var count = 0
            for await _ in news {
                count += 1
                // It would be reported again at once.
                try? await loop.sleep(for: .milliseconds(20))
                continuation.finish()
            }
            return count
        }
        #expect(count == 1)
    }
}

/// A path for a socket, in a folder of its own.
private enum TemporarySocket {
    static func use<Value>(_ body: (String) async -> Value) async -> Value {
        var template = Array("/tmp/blectl-loop-XXXXXX".utf8CString)
        let folder = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp"
        }
        let value = await body("\(folder)/s")
        unlink("\(folder)/s")
        rmdir(folder)
        return value
    }
}
