// SPDX-License-Identifier: MIT

import Synchronization

/// The events that wait for one observer. Values are numbered as they arrive.
///
/// If there is no room the oldest values are dropped, which leaves a gap in the numbers; events of the link and of the
/// database stay. A link with flow control holds the device back first, and values are dropped only if more than the reserve
/// stands before an answer that is awaited.
final class ObservationQueue: Sendable {
    /// How many times its limit an observer takes while the device cannot be held back.
    static let reserve = 16

    let events: BoundedQueue<ObservationEvent>
    private let count = Mutex(0)

    init(limit: Int) {
        events = BoundedQueue(limit: limit, overflow: .pauseThenDrop(reserve: Self.reserve), droppable: \.isValue)
    }

    /// Adds a value. Returns `false` if there is no room for more.
    func push(_ value: ValueEvent, of characteristic: Characteristic, hasFlowControl: Bool) -> Bool {
        count.withLock { count in
            count += 1
            let event = ObservationEvent(
                kind: .value(value, of: characteristic),
                instant: value.instant,
                wall: value.wall,
                number: count
            )
            return events.push(event, overflow: hasFlowControl ? nil : .dropOldest)
        }
    }

    /// Counts values that were dropped before they reached the queue.
    func countMissed(_ number: Int) {
        count.withLock { $0 += number }
        events.countDropped(number)
    }

    /// Adds an event other than a value.
    func push(_ event: ObservationEvent) { events.push(event) }

    func finish(_ error: RadioError) { events.finish(error) }
}

extension ObservationEvent {
    fileprivate var isValue: Bool {
        if case .value = kind { true } else { false }
    }
}
