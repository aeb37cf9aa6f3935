// SPDX-License-Identifier: MIT

package import Bluetooth

/// What waits for a moment, with its deadlines: a heap by deadline, then by the order of insertion.
///
/// A cancelled sleeper leaves a dead entry in the heap. It is removed when it reaches the top, or when most entries are
/// dead, so that timeouts, which are nearly always cancelled, occupy no memory.
@usableFromInline
package struct SleeperQueue<Sleeper: Sendable> {
    /// Identifies a sleeper for cancellation, and orders those with the same deadline.
    @usableFromInline package typealias Ticket = UInt64

    @usableFromInline
    struct Entry: Comparable {
        @usableFromInline let deadline: Instant
        @usableFromInline let ticket: Ticket

        @inlinable
        init(deadline: Instant, ticket: Ticket) {
            self.deadline = deadline
            self.ticket = ticket
        }

        @inlinable
        static func < (left: Self, right: Self) -> Bool {
            (left.deadline, left.ticket) < (right.deadline, right.ticket)
        }
    }

    @usableFromInline var heap = Heap<Entry>()
    // Accessed by ticket and never iterated, because the order of a dictionary is random.
    @usableFromInline var waiting: [Ticket: Sleeper] = [:]
    @usableFromInline var lastTicket: Ticket = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { waiting.count }

    /// The number of entries, including dead ones.
    package var entryCount: Int { heap.count }

    @inlinable
    package mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Adds a sleeper. A deadline at the end of time is never reached.
    @inlinable
    package mutating func insert(_ sleeper: Sleeper, ticket: Ticket, deadline: Instant) {
        waiting[ticket] = sleeper
        guard deadline.nanoseconds < .max else { return }
        heap.insert(Entry(deadline: deadline, ticket: ticket))
    }

    /// Removes a sleeper before its deadline; `nil` if it is not waiting, or not any more.
    @inlinable
    package mutating func remove(_ ticket: Ticket) -> Sleeper? {
        guard let sleeper = waiting.removeValue(forKey: ticket) else { return nil }
        if heap.count > 2 * waiting.count + 64 {
            heap.removeAll { waiting[$0.ticket] == nil }
        }
        return sleeper
    }

    /// The earliest deadline; `nil` if no sleeper has one that is reached.
    @inlinable
    package mutating func firstDeadline() -> Instant? {
        while let first = heap.first {
            if waiting[first.ticket] != nil { return first.deadline }
            _ = heap.popFirst()
        }
        return nil
    }

    @inlinable
    package mutating func popFirst() -> (deadline: Instant, sleeper: Sleeper)? {
        while let first = heap.popFirst() {
            if let sleeper = waiting.removeValue(forKey: first.ticket) { return (first.deadline, sleeper) }
        }
        return nil
    }
}
