// SPDX-License-Identifier: MIT

import Synchronization

/// A characteristic whose values wait in queues. The queues of a flood refer to it, because a copy of its selector
/// takes more memory than most values.
final class ObservedCharacteristic: Sendable {
    let characteristic: Characteristic

    init(_ characteristic: Characteristic) { self.characteristic = characteristic }
}

/// The events that wait for one observer. Values are numbered as they arrive.
///
/// If there is no room the oldest values are dropped, which leaves a gap in the numbers; events of the link and of the
/// database stay. A link with flow control holds the device back first, and values are dropped only if more than the
/// reserve stands before an answer that is awaited.
final class ObservationQueue: Sendable {
    /// How many times its limit an observer takes while the device cannot be held back.
    static let reserve = 16

    /// A waiting event. Tens of thousands may wait, so that values, which are all but a few of them, are small.
    private enum Entry: Sendable {
        case value(ValueEvent, of: ObservedCharacteristic, number: Int)
        /// An event of the link or of the database. There are few, and they are large.
        indirect case other(ObservationEvent)

        /// Whether it may be dropped.
        var isValue: Bool {
            if case .value = self { true } else { false }
        }

        var event: ObservationEvent {
            switch self {
            case .value(let value, let observed, let number):
                ObservationEvent(
                    kind: .value(value, of: observed.characteristic),
                    instant: value.instant,
                    wall: value.wall,
                    number: number
                )
            case .other(let event): event
            }
        }
    }

    /// The events, with room for a multiple of the limit.
    private let entries: BoundedQueue<Entry>
    /// The number of the last value.
    private let count = Mutex(0)

    init(limit: Int) {
        entries = BoundedQueue(limit: limit, overflow: .pauseThenDrop(reserve: Self.reserve), droppable: \.isValue)
    }

    /// The room for more, for which a link with flow control waits.
    var room: any BackpressureSource { entries }

    /// The number of values that were dropped because the reader was slow.
    var droppedCount: Int { entries.droppedCount }

    /// The next event. Throws the reason of the end, or `cancelled` if the task was cancelled.
    func next() async throws(RadioError) -> ObservationEvent { try await entries.next().event }

    /// Adds a value. Returns `false` if there is no room for more.
    func push(_ value: ValueEvent, of characteristic: ObservedCharacteristic, hasFlowControl: Bool) -> Bool {
        // Pushed under the lock, so that the values are queued in the order of their numbers.
        count.withLock { count in
            count += 1
            let entry = Entry.value(value, of: characteristic, number: count)
            // The reserve is only for a producer that can be held back.
            return entries.push(entry, overflow: hasFlowControl ? nil : .dropOldest)
        }
    }

    /// Counts values that were dropped before they reached the queue.
    func countMissed(_ number: Int) {
        count.withLock { $0 += number }
        entries.countDropped(number)
    }

    func push(_ event: ObservationEvent) { entries.push(.other(event)) }

    /// Ends the queue; the events in it can still be read.
    func finish(_ error: RadioError) { entries.finish(error) }
}
