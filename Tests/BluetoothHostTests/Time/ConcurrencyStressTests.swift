// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization
import Testing

@testable import BluetoothHost

/// Tests with many threads, which virtual time cannot cover. Every waiter is resumed, and none twice, because a checked
/// continuation would trap.
@Suite("On many threads", .timeLimit(.minutes(15)))
struct ConcurrencyStressTests {
    /// Runs many tasks at once, and cancels every third at some time. Returns the number of tasks that returned a
    /// value.
    private func crowd(
        of count: Int,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    await withTaskGroup(of: Bool.self) { pair in
                        pair.addTask { (try? await body(number)) != nil }
                        if number % 3 == 0 {
                            for _ in 0..<(number % 7) { await Task.yield() }
                            pair.cancelAll()
                        }
                        return await pair.next() ?? false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test("no two tasks hold a lock at the same time, and each gets it or leaves")
    func lock() async {
        let lock = AsyncLock()
        let inside = Mutex((now: 0, most: 0, entries: 0))
        let finished = await crowd(of: 900) { _ in
            try await lock.withLock {
                inside.withLock {
                    $0.now += 1
                    $0.entries += 1
                    $0.most = max($0.most, $0.now)
                }
                await Task.yield()
                inside.withLock { $0.now -= 1 }
            }
        }
        let (now, most, entries) = inside.withLock { $0 }
        #expect(now == 0)
        #expect(most == 1)
        #expect(finished == entries)
        #expect(finished >= 600)
    }

    @Test("a shared operation informs everybody who still waits")
    func sharedOperation() async {
        let finished = await withTaskScope { scope in
            var finished = 0
            for _ in 0..<60 {
                let operation = SharedOperation(in: scope) {
                    await Task.yield()
                    return 1
                }
                finished += await crowd(of: 9) { _ in
                    let value = try await operation.value()
                    #expect(value == 1)
                }
            }
            return finished
        }
        #expect(finished >= 60 * 6)
    }

    @Test("a queue loses nothing between readers that are cancelled")
    func boundedQueue() async throws {
        let queue = BoundedQueue<Int>(limit: 64, overflow: .pauseProducer)
        let total = 1_500
        let received = await withTaskGroup(of: [Int].self) { group in
            group.addTask {
                for number in 0..<total {
                    queue.push(number)
                    if number % 16 == 0 { await Task.yield() }
                }
                queue.finish(RadioError(.closedLocally, during: "test"))
                return []
            }
            group.addTask {
                var all: [Int] = []
                var isOver = false
                while !isOver {
                    // One reader after another, each cancelled at some time.
                    let (part, isLast) = await withTaskGroup(of: ([Int], Bool).self) { reader in
                        reader.addTask {
                            var part: [Int] = []
                            while true {
                                do throws(RadioError) {
                                    part.append(try await queue.next())
                                } catch {
                                    return (part, error.cause == .closedLocally)
                                }
                            }
                        }
                        await Task.yield()
                        reader.cancelAll()
                        return await reader.next() ?? ([], true)
                    }
                    all += part
                    isOver = isLast
                }
                return all
            }
            return await group.reduce([]) { $0 + $1 }
        }
        #expect(received == Array(0..<total))
    }

    @Test("requests of many tasks, cancelled and not, each get their own answer or none")
    func connection() async {
        let finished = await withTaskScope { scope in
            let channel = EchoChannel()
            let connection = ATTConnection.start(channel, scope: scope, time: PatientTime())
            var finished = 0
            for _ in 0..<10 {
                // Not more than the limit of waiting ones.
                finished += await crowd(of: 60) { number in
                    let value = try await connection.perform(ReadValue(Handle(UInt16(number + 1)))).value
                    #expect(value == [UInt8(number + 1), 0])
                }
            }
            #expect(connection.end == nil)
            return finished
        }
        #expect(finished >= 10 * 40)
    }
}

/// Answers every Read Request with its handle.
private final class EchoChannel: ATTChannel {
    let peer = DeviceAddress.scripted
    let connectionHandle: UInt16? = nil
    let maximumMTU: UInt16 = 517
    private let received = PacketQueue(limit: 1_000, overflow: .pauseProducer)

    var droppedCount: Int { 0 }
    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }
    func send(_ packet: [UInt8]) throws(RadioError) { received.push([0x0B] + packet.dropFirst()) }
    func drained() async throws(RadioError) {}
    func close() { received.finish(RadioError(.closedLocally, during: "test")) }
}
