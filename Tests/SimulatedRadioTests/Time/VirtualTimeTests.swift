// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Glibc
import SimulatedRadio
import Synchronization
import Testing

/// Records events of all tasks, in order.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// Records every thread that calls it.
final class ThreadCheck: Sendable {
    private let threads = Mutex<Set<UInt>>([])

    func note() { _ = threads.withLock { $0.insert(UInt(pthread_self())) } }
    var ids: Set<UInt> { threads.withLock { $0 } }
}

actor Counter {
    private(set) var value = 0
    private let check: ThreadCheck

    init(_ check: ThreadCheck) { self.check = check }

    func add(_ amount: Int) {
        check.note()
        value += amount
    }
}

@Suite("Virtual time")
struct VirtualTimeTests {
    @Test func `the clock jumps to the next sleeper and stands still otherwise`() throws {
        let time = VirtualTime()
        let log = Log()
        let wall = ContinuousClock.now
        let result = time.run { () async -> Int in
            await withDiscardingTaskGroup { group in
                for (name, seconds) in [("c", 30_000), ("a", 10_000), ("b", 20_000)] {
                    group.addTask {
                        try? await time.sleep(for: .seconds(seconds))
                        log.add("\(name) at \(time.now)")
                    }
                }
            }
            return 42
        }
        #expect(result == 42)
        #expect(log.all == ["a at 10000000000000 ns", "b at 20000000000000 ns", "c at 30000000000000 ns"])
        #expect(time.now == .zero + .seconds(30_000))
        #expect(time.wallClock.description == "2024-01-01T08:20:00.000000Z")
        // It takes a moment. The bound only detects real waiting, also on a busy machine.
        #expect(ContinuousClock.now - wall < .seconds(300))
    }

    @Test func `sleepers of one instant wake in order, each with everything that follows`() {
        let time = VirtualTime()
        let log = Log()
        time.run {
            await withDiscardingTaskGroup { group in
                for name in ["a", "b", "c"] {
                    group.addTask {
                        try? await time.sleep(until: Instant(nanoseconds: 1_000))
                        log.add("\(name)1")
                        await Task.yield()
                        log.add("\(name)2")
                    }
                }
            }
        }
        #expect(log.all == ["a1", "a2", "b1", "b2", "c1", "c2"])
    }

    @Test func `a deadline in the past yields to others and does not turn the clock back`() throws {
        let time = VirtualTime()
        try time.run {
            try await time.sleep(for: .seconds(5))
            try await time.sleep(until: .zero + .seconds(1))
        }
        #expect(time.now == .zero + .seconds(5))
    }

    @Test func `errors of the body are thrown with their type`() {
        let time = VirtualTime()
        #expect(throws: RadioError(.noAdapter, during: "test")) {
            try time.run { () async throws(RadioError) in throw RadioError(.noAdapter, during: "test") }
        }
    }

    @Test func `a cancelled sleeper wakes at once, and its entry does not move the clock`() {
        let time = VirtualTime()
        let log = Log()
        time.run {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await time.sleep(for: .seconds(1_000))
                        log.add("slept")
                    } catch {
                        log.add("cancelled at \(time.now)")
                    }
                }
                try? await time.sleep(for: .seconds(1))
                group.cancelAll()
            }
            try? await time.sleep(for: .seconds(1))
        }
        #expect(log.all == ["cancelled at 1000000000 ns"])
        #expect(time.now == .zero + .seconds(2))
    }

    @Test func `a cancelled task does not sleep`() {
        let time = VirtualTime()
        let isCancelled = time.run {
            await withTaskGroup(of: Bool.self) { group in
                group.cancelAll()
                group.addTask {
                    do {
                        try await time.sleep(for: .seconds(9))
                        return false
                    } catch {
                        return true
                    }
                }
                return await group.next() ?? false
            }
        }
        #expect(isCancelled)
        #expect(time.now == .zero)
    }

    @Test func `the end of time never comes`() {
        let time = VirtualTime()
        time.run {
            await withDiscardingTaskGroup { group in
                group.addTask { try? await time.sleep(until: Instant(nanoseconds: .max)) }
                try? await time.sleep(for: .seconds(3))
                group.cancelAll()
            }
        }
        #expect(time.now == .zero + .seconds(3))
    }

    @Test func `a wait for the end of the world ends when nothing is due, and the clock stands still`() {
        let time = VirtualTime()
        let log = Log()
        time.run {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await time.sleep(for: .seconds(3))
                    log.add("slept until \(time.now)")
                }
                // A sleeper that never wakes does not keep a world running.
                group.addTask { try? await time.sleep(until: Instant(nanoseconds: .max)) }
                for deadline in [100, 2] {
                    group.addTask {
                        let isAtRest = try? await time.untilNothingIsDue(or: .zero + .seconds(deadline))
                        log.add("\(deadline): \(isAtRest == true ? "at rest" : "late") at \(time.now)")
                    }
                }
                for _ in 0..<3 { await group.next() }
                group.cancelAll()
            }
        }
        #expect(
            log.all == [
                "2: late at 2000000000 ns", "slept until 3000000000 ns", "100: at rest at 3000000000 ns",
            ]
        )
    }

    @Test func `several ends of the world are reported one by one, and a cancelled wait gets none`() {
        let time = VirtualTime()
        let log = Log()
        time.run {
            await withTaskGroup(of: Void.self) { group in
                for deadline in [Int64.max, 50, 40] {
                    group.addTask {
                        guard (try? await time.untilNothingIsDue(or: Instant(nanoseconds: deadline))) == true else {
                            return log.add("\(deadline) cancelled")
                        }
                        log.add("\(deadline) at rest")
                    }
                }
                await group.next()
                await group.next()
                group.cancelAll()
            }
        }
        #expect(log.all == ["40 at rest", "50 at rest", "\(Int64.max) cancelled"])
        #expect(time.now == .zero)
    }

    @Test func `another thread can cancel a program in which nothing is left to run, and it waits without spinning`() {
        let stalls = Mutex(0)
        let time = VirtualTime(onStall: { _ in stalls.withLock { $0 += 1 } })
        let cpu = threadCPU()
        let wasCancelled = time.run(onStart: { cancel in
            onThreadOfItsOwn {
                // Only when the program has nothing left to run, and a while later. If no stall is reported, it is
                // cancelled all the same, and the number of stalls is wrong.
                for _ in 0..<60_000 where stalls.withLock({ $0 }) == 0 { usleep(1_000) }
                usleep(200_000)
                cancel()
            }
        }) { () async -> Bool in
            let (stream, _) = AsyncStream<Int>.makeStream()
            for await _ in stream {}
            return Task.isCancelled
        }
        #expect(wasCancelled)
        #expect(stalls.withLock { $0 } == 1)
        #expect(threadCPU() - cpu < .milliseconds(50))
    }

    @Test func `a program can run after another on the same clock`() throws {
        let time = VirtualTime()
        try time.run { try await time.sleep(for: .seconds(1)) }
        try time.run { try await time.sleep(for: .seconds(1)) }
        #expect(time.now == .zero + .seconds(2))
    }

    @Test func `actors, groups, streams, scopes, deadlines and packet queues run on the one thread`() async throws {
        let time = VirtualTime()
        let check = ThreadCheck()
        let counter = Counter(check)
        let total = try time.run { () async throws -> Int in
            check.note()
            try await withTaskScope { scope in
                let queue = PacketQueue(limit: 4, overflow: .pauseProducer)
                let (stream, continuation) = AsyncStream<Int>.makeStream()
                scope.spawn {
                    check.note()
                    for await number in stream {
                        check.note()
                        await counter.add(number)
                        check.note()
                        queue.push([UInt8(truncatingIfNeeded: number)])
                    }
                }
                for number in 1...100 {
                    continuation.yield(number)
                    _ = try await queue.next()
                    check.note()
                }
                do {
                    try await withDeadline(time.now + .seconds(5), time, operation: "nothing") {
                        check.note()
                        defer { check.note() }
                        _ = try await queue.next()
                    }
                    Issue.record("the deadline did not come")
                } catch let error as DeadlineExceeded {
                    #expect(error.operation == "nothing")
                }
                #expect(time.now == .zero + .seconds(5))
                await withTaskGroup(of: Void.self) { group in
                    for number in 1...100 {
                        group.addTask {
                            check.note()
                            await counter.add(number)
                            await Task.yield()
                            await counter.add(number)
                            check.note()
                        }
                    }
                }
            }
            check.note()
            return await counter.value
        }
        #expect(total == 3 * 5_050)
        #expect(check.ids.count == 1)
    }

    @Test func `the same program gives the same order in 20 runs, under load`() async {
        // Tasks that compute on all cores, which must not influence the order.
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<20 { group.addTask { Self.transcript() } }
            let first = await group.next() ?? []
            #expect(first.count == 10 * 50)
            for await other in group { #expect(other == first) }
        }
    }

    private static func transcript() -> [String] {
        let time = VirtualTime()
        let log = Log()
        let counter = Counter(ThreadCheck())
        time.run {
            await withDiscardingTaskGroup { group in
                for task in 0..<10 {
                    group.addTask {
                        for step in 0..<50 {
                            try? await time.sleep(for: .milliseconds(1 + (task * 7 + step * 3) % 5))
                            await counter.add(1)
                            log.add("\(task).\(step) \(await counter.value) \(time.now)")
                        }
                    }
                }
            }
        }
        return log.all
    }

    @Test func `1,000 simulated seconds and 100,000 jobs take a moment`() {
        let time = VirtualTime()
        let wall = ContinuousClock.now
        time.run {
            await withDiscardingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        for _ in 0..<1_000 { try? await time.sleep(for: .seconds(1)) }
                    }
                }
            }
        }
        let elapsed = ContinuousClock.now - wall
        #expect(time.now == .zero + .seconds(1_000))
        // A tenth of a second in a debug build. The bound only detects real waiting, also on a busy machine.
        #expect(elapsed < .seconds(300), "took \(elapsed)")
    }
}

/// Runs the work on a new thread, as the signal thread of a command would. Needed because the test blocks a thread of
/// the pool.
private func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(work))
    let status = pthread_create(
        &thread,
        nil,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work() }
            return nil
        },
        box.toOpaque()
    )
    #expect(status == 0)
    pthread_detach(thread)
}

/// The processor time that the calling thread has used.
private func threadCPU() -> Duration {
    var value = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &value)
    return .seconds(value.tv_sec) + .nanoseconds(value.tv_nsec)
}
