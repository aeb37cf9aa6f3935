// SPDX-License-Identifier: MIT

import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("BoundedQueue")
struct BoundedQueueTests {
    private let end = RadioError(.closedLocally, during: "test")

    @Test("returns pushed elements in order, and then the reason of the end")
    func order() async throws {
        let queue = BoundedQueue<Int>(limit: 10, overflow: .dropOldest)
        for number in 1...3 { queue.push(number) }
        queue.finish(end)
        queue.push(4)
        #expect(try await [queue.next(), queue.next(), queue.next()] == [1, 2, 3])
        await #expect(throws: end) { try await queue.next() }
        await #expect(throws: end) { try await queue.next() }
    }

    @Test("drops the oldest when full, and counts")
    func dropsOldest() async throws {
        let queue = BoundedQueue<Int>(limit: 3, overflow: .dropOldest)
        for number in 1...1_000 { #expect(queue.push(number)) }
        #expect(queue.droppedCount == 997)
        #expect(try await [queue.next(), queue.next(), queue.next()] == [998, 999, 1_000])
    }

    @Test("asks the producer to pause when full, loses nothing, and resumes it at half")
    func pauses() async throws {
        let queue = BoundedQueue<Int>(limit: 4, overflow: .pauseProducer)
        let calls = Mutex(0)
        queue.setOnSpace { calls.withLock { $0 += 1 } }
        #expect([1, 2, 3].allSatisfy { queue.push($0) })
        #expect(!queue.push(4))
        #expect(!queue.push(5))
        var received: [Int] = []
        for count in 1...5 {
            received.append(try await queue.next())
            #expect(calls.withLock { $0 } == (count < 3 ? 0 : 1))
        }
        #expect(received == [1, 2, 3, 4, 5])
        #expect(queue.droppedCount == 0)
    }

    @Test("asks the producer to pause, keeps a reserve, and drops beyond it, droppable elements first")
    func pausesThenDrops() async throws {
        let queue = BoundedQueue<Int>(limit: 2, overflow: .pauseThenDrop(reserve: 2)) { $0 < 100 }
        #expect(queue.push(100))
        #expect([1, 2, 3].allSatisfy { !queue.push($0) })
        #expect(queue.droppedCount == 0)
        #expect(!queue.push(contentsOf: [101, 4]))
        #expect(queue.droppedCount == 2)
        // The reserve is only for producers that can be paused.
        #expect(queue.push(5, overflow: .dropOldest))
        #expect(try await queue.next(atMost: 10) == [100, 101])
        #expect(queue.droppedCount == 5)
    }

    @Test("returns all waiting elements at once, or as many as are wanted")
    func batches() async throws {
        let queue = BoundedQueue<Int>(limit: 10, overflow: .dropOldest)
        queue.push(contentsOf: [1, 2, 3, 4])
        #expect(try await queue.next() == 1)
        #expect(try await queue.next(atMost: 2) == [2, 3])
        async let waiting = queue.next(atMost: 5)
        #expect(try await waiting == [4])
        async let several = queue.next(atMost: 5)
        queue.push(contentsOf: [5, 6])
        #expect(try await several.first == 5)
        queue.finish(end)
    }

    @Test("a waiting consumer gets the packet, the end, or the cancellation")
    func wakes() {
        let time = VirtualTime()
        let results: [String] = time.run {
            let queue = BoundedQueue<Int>(limit: 1, overflow: .dropOldest)
            var results: [String] = []
            async let first = queue.next()
            try? await time.sleep(for: .seconds(1))
            queue.push(7)
            results.append("\((try? await first) ?? -1)")

            let cancelled = await withTaskGroup(of: RadioError?.self) { group in
                group.addTask {
                    do throws(RadioError) {
                        _ = try await queue.next()
                        return nil
                    } catch { return error }
                }
                try? await time.sleep(for: .seconds(1))
                group.cancelAll()
                return await group.next() ?? nil
            }
            results.append("\(cancelled?.cause == .cancelled)")

            async let last = queue.next()
            try? await time.sleep(for: .seconds(1))
            queue.finish(RadioError(.adapterRemoved, during: "test"))
            do { _ = try await last } catch { results.append("\((error as? RadioError)?.cause == .adapterRemoved)") }
            return results
        }
        #expect(results == ["7", "true", "true"])
    }
}
