// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Packets that wait to be sent")
struct SendQueueTests {
    @Test("First in, first out, also while remaining packets move to the front")
    func order() {
        var queue = SendQueue()
        var next = 0
        for number in 0..<1_000 {
            queue.append(numbered(number))
            // Two packets are removed for every three that are appended.
            guard number % 3 != 0 else { continue }
            #expect(queue.first == numbered(next))
            queue.removeFirst()
            next += 1
        }
        #expect(queue.count == 1_000 - next)
        while let packet = queue.first {
            #expect(packet == numbered(next))
            queue.removeFirst()
            next += 1
        }
        #expect(next == 1_000)
        #expect(queue.isEmpty)
    }

    @Test("An empty queue gives nothing, and removed packets are gone")
    func empty() {
        var queue = SendQueue()
        queue.removeFirst()
        #expect(queue.first == nil)
        queue.append([0x01])
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.first == nil)
    }
}
