// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Terminal

@Suite("The queue of unwritten data")
struct WriteQueueTests {
    private func pieces(_ queue: inout WriteQueue, _ lane: Int) -> [String] {
        queue.take(lane, spare: []).map { "\($0.stream) \(String(decoding: $0.bytes, as: UTF8.self))" }
    }

    @Test func `streams to one place keep the order of their writes`() {
        var queue = WriteQueue(sharesLane: true)
        for (text, stream) in [("a", StandardStream.output), ("b", .output), ("c", .messages), ("d", .output)] {
            queue.append(Array(text.utf8), to: stream)
        }
        #expect(queue.laneCount == 1)
        #expect(pieces(&queue, 0) == ["output ab", "messages c", "output d"])
        #expect(!queue.hasWork(0))
    }

    @Test func `streams to two places have a lane each`() {
        var queue = WriteQueue(sharesLane: false)
        queue.append([0x61], to: .messages)
        queue.append([0x62], to: .output)
        #expect(queue.laneCount == 2)
        #expect(pieces(&queue, 0) == ["output b"])
        #expect(pieces(&queue, 1) == ["messages a"])
    }

    @Test func `taken data count until they are written, and there is room again at half of the limit`() {
        var queue = WriteQueue(sharesLane: true)
        queue.append([UInt8](repeating: 0, count: WriteQueue.limit - 1), to: .output)
        #expect(!queue.isFull(.output))
        queue.append([0], to: .output)
        #expect(queue.isFull(.output) && !queue.isFull(.messages))
        _ = queue.take(0, spare: [])
        #expect(queue.isFull(.output) && !queue.isEmpty(.output))
        queue.written(1, of: .output)
        #expect(!queue.isFull(.output) && !queue.hasRoom(.output))
        queue.written(WriteQueue.limit / 2 - 1, of: .output)
        #expect(queue.hasRoom(.output))
        queue.written(WriteQueue.limit / 2, of: .output)
        #expect(queue.isEmpty(.output))
    }

    @Test func `a failed stream forgets its queue, keeps the first reason, and takes nothing more`() {
        var queue = WriteQueue(sharesLane: true)
        queue.append([1, 2, 3], to: .output)
        queue.append([4], to: .messages)
        queue.failed(.output, .brokenPipe)
        queue.failed(.output, .interrupted)
        queue.append([5], to: .output)
        #expect(queue.failure(of: .output) == .brokenPipe)
        #expect(queue.isEmpty(.output) && queue.failure(of: .messages) == nil)
        #expect(queue.unwrittenCount(of: .output) == 0, "nobody misses what a reader that has gone was to get")
        #expect(queue.take(0, spare: []).map(\.bytes) == [[4]])
    }

    @Test func `data that a reader did not take in time are counted`() {
        var queue = WriteQueue(sharesLane: false)
        queue.append([UInt8](repeating: 0, count: 100), to: .output)
        _ = queue.take(0, spare: [])
        queue.written(30, of: .output)
        queue.append([1, 2], to: .output)
        queue.failed(.output, .interrupted)
        #expect(queue.unwrittenCount(of: .output) == 72)
        #expect(queue.unwrittenCount(of: .messages) == 0)
    }

    @Test func `a wait in a hurry has an end`() {
        let start = ContinuousClock.now
        let earlier = start - .seconds(5)
        // A reader that has stopped long ago, and one that has taken something just now.
        #expect(DrainPolicy.stalled.end(since: start, blocked: earlier) == start + .milliseconds(100))
        #expect(DrainPolicy.stalled.end(since: start, blocked: start) == start + .seconds(1))
        #expect(DrainPolicy.overdue.end(since: start, blocked: earlier) == start + .milliseconds(100))
        #expect(DrainPolicy.overdue.end(since: start, blocked: start + .seconds(1)) == start + .milliseconds(100))
    }
}

extension WriteQueue {
    fileprivate mutating func append(_ bytes: [UInt8], to stream: StandardStream) { append(bytes.span, to: stream) }
}
