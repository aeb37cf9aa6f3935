// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Who sleeps until when: a heap by deadline, then by the order of falling asleep.
///
/// Whoever is cancelled leaves a dead entry in the heap, which is dropped when it surfaces, or when most entries are dead:
/// timeouts that nearly always are cancelled cost no memory.
struct SleeperQueue {
    /// Names a sleeper for its cancellation, and orders those of one deadline.
    typealias Ticket = UInt64

    private struct Entry: Comparable {
        let deadline: Instant
        let ticket: Ticket

        static func < (left: Self, right: Self) -> Bool {
            (left.deadline, left.ticket) < (right.deadline, right.ticket)
        }
    }

    private var heap = Heap<Entry>()
    // Looked up by ticket only, never iterated: its order is random.
    private var waiting: [Ticket: UnsafeContinuation<Bool, Never>] = [:]
    private var lastTicket: Ticket = 0

    /// How many sleep.
    var count: Int { waiting.count }

    /// How many entries are kept, dead ones included.
    var entryCount: Int { heap.count }

    /// A new ticket, later than all before it.
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Puts a continuation to sleep. A deadline at the end of time is never reached.
    mutating func insert(_ continuation: UnsafeContinuation<Bool, Never>, ticket: Ticket, deadline: Instant) {
        waiting[ticket] = continuation
        guard deadline.nanoseconds < .max else { return }
        heap.insert(Entry(deadline: deadline, ticket: ticket))
    }

    /// Takes a sleeper out before its time; `nil` where it is not asleep, or no more.
    mutating func remove(_ ticket: Ticket) -> UnsafeContinuation<Bool, Never>? {
        guard let continuation = waiting.removeValue(forKey: ticket) else { return nil }
        if heap.count > 2 * waiting.count + 64 {
            heap.removeAll { waiting[$0.ticket] == nil }
        }
        return continuation
    }

    /// Takes the sleeper whose time comes next.
    mutating func popFirst() -> (deadline: Instant, sleeper: UnsafeContinuation<Bool, Never>)? {
        while let first = heap.popFirst() {
            if let sleeper = waiting.removeValue(forKey: first.ticket) { return (first.deadline, sleeper) }
        }
        return nil
    }
}
