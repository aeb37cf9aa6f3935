// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Synchronization
import Testing

@testable import LinuxRadio

@Suite("The event loop of a program", .timeLimit(.minutes(1)))
struct EventLoopTests {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop()
        try loop.start()
    }

    /// Runs `body` on the loop.
    private func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await Task(executorPreference: loop.executor, operation: body).value
    }

    @Test("Tasks and their children run on its thread, also after they have slept or received")
    func thread() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: IOThread(sharing: loop))
        try right.send([0x07])
        let places = try await run { [loop] in
            var places = [loop.isCurrent]
            places.append(
                await withTaskGroup(of: Bool.self) { group in
                    group.addTask { loop.isCurrent }
                    return await group.next() ?? false
                }
            )
            try await loop.sleep(until: loop.now + .milliseconds(2))
            places.append(loop.isCurrent)
            #expect(try await channel.receive(1) == [[0x07]])
            places.append(loop.isCurrent)
            return places
        }
        #expect(places == [true, true, true, true])
        #expect(!loop.isCurrent)
        right.close()
    }

    @Test("The end of a pipe's reader is told once, and nothing of a device without another end")
    func ends() async throws {
        var pair: [Int32] = [-1, -1]
        #expect(pipe(&pair) == 0)
        let null = Glibc.open("/dev/null", O_WRONLY)
        let (told, continuation) = AsyncStream.makeStream(of: Int32.self)
        for descriptor in [null, pair[1]] { loop.watchEnd(of: descriptor) { continuation.yield(descriptor) } }
        close(pair[0])
        // The loop has waited in between.
        try await run { [loop] in try await loop.sleep(until: loop.now + .milliseconds(2)) }
        continuation.finish()
        #expect(await told.reduce(into: []) { $0.append($1) } == [pair[1]])
        close(pair[1])
        close(null)
    }

    @Test("Sleepers wake in the order of their deadlines, and not before them")
    func sleepers() async throws {
        let (woken, continuation) = AsyncStream.makeStream(of: Int.self)
        let start = loop.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for delay in [60, 20, 40] {
                // On the loop, because other threads may run what wakes in any order.
                group.addTask(executorPreference: loop.executor) { [loop] in
                    try await loop.sleep(until: start + .milliseconds(delay))
                    #expect(loop.now >= start + .milliseconds(delay))
                    continuation.yield(delay)
                }
            }
            try await group.waitForAll()
        }
        continuation.finish()
        var order: [Int] = []
        for await delay in woken { order.append(delay) }
        #expect(order == [20, 40, 60])
    }

    @Test(
        "A loop that waits for a later deadline learns of an earlier one from another thread",
        .timeLimit(.minutes(1))
    )
    func earlier() async throws {
        let later = Task(executorPreference: loop.executor) { [loop] in
            try await loop.sleep(until: loop.now + .seconds(3_600))
        }
        // More than once: at the first, the loop may not wait yet.
        for _ in 0..<20 {
            let deadline = loop.now + .milliseconds(2)
            try await loop.sleep(until: deadline)
            #expect(loop.now >= deadline)
        }
        later.cancel()
        await #expect(throws: CancellationError.self) { try await later.value }
    }

    @Test("A cancelled sleeper ends at once, also one that was cancelled before it slept")
    func cancellation() async throws {
        let sleeper = Task { [loop] in try await loop.sleep(until: loop.now + .seconds(3_600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let late = Task(executorPreference: loop.executor) { [loop] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await loop.sleep(until: loop.now + .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("Jobs without end leave descriptors and sleepers their turn")
    func fairness() async throws {
        let (left, right) = try socketPair()
        let isThere = Mutex(false)
        let spinner = Task(executorPreference: loop.executor) {
            while !isThere.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
        }
        let channel = try SocketChannel(left, on: IOThread(sharing: loop))
        try right.send([0x01])
        let received = try await run { [loop] in
            try await loop.sleep(until: loop.now + .milliseconds(2))
            return try await channel.receive(1)
        }
        isThere.withLock { $0 = true }
        await spinner.value
        #expect(received == [[0x01]])
        right.close()
    }

    @Test("A system that ends closes its own channels, and the loop goes on")
    func systems() async throws {
        let (first, firstPeer) = try socketPair()
        let (second, secondPeer) = try socketPair()
        let (ending, other) = (IOThread(sharing: loop), IOThread(sharing: loop))
        let closed = try SocketChannel(first, on: ending)
        let open = try SocketChannel(second, on: other)
        ending.stop()
        #expect(await closed.receiveAll().packets.isEmpty)
        let (late, latePeer) = try socketPair()
        #expect(throws: RadioError.self) { _ = try SocketChannel(late, on: ending) }
        try secondPeer.send([0x02])
        #expect(try await open.receive(1) == [[0x02]])
        let isOnLoop = try await run { [loop] in loop.isCurrent }
        #expect(isOnLoop)
        for peer in [firstPeer, secondPeer, latePeer] { peer.close() }
    }

    @Test("When epoll fails, the channels end with the reason, and tasks and sleepers go on")
    func failure() async throws {
        // As in the tests of the I/O thread: the next epoll_wait(2) is on a descriptor that is none of epoll's.
        let number = try systemCall { blectl_epoll_create() }
        let loop = try EventLoop(epoll: OwnedFileDescriptor(owning: number))
        try loop.start()
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: IOThread(sharing: loop))
        let replacement = try OwnedFileDescriptor { blectl_eventfd() }
        try systemCall { dup2(replacement.rawValue, number) }
        try right.send([0x01])
        _ = await channel.receiveAll()
        let isOnLoop = try await Task(executorPreference: loop.executor) {
            try await loop.sleep(until: loop.now + .milliseconds(2))
            return loop.isCurrent
        }.value
        #expect(isOnLoop)
        right.close()
    }

    @Test("It is told before it waits, after the jobs that were ready")
    func settling() async throws {
        let told = Mutex(0)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let loop = try EventLoop()
        try loop.start {
            continuation.yield(told.withLock { $0 })
        }
        let task = Task(executorPreference: loop.executor) { told.withLock { $0 = 1 } }
        await task.value
        #expect(await stream.first { $0 == 1 } == 1)
    }
}
