// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// The events that wait for one observer, in which the values are numbered as they come.
///
/// Values that find no room are dropped, the oldest first, and leave a gap in the numbers; news of the link and of the
/// database stay. Where the link has flow control the peer is held back first, and values are dropped only where more than
/// the reserve stands before an answer that is awaited.
final class ObservationQueue: Sendable {
    /// How many times its limit an observer takes of a peer that cannot be held back for the moment.
    static let reserve = 16

    let events: BoundedQueue<ObservationEvent>
    private let count = Mutex(0)

    init(limit: Int) {
        events = BoundedQueue(limit: limit, overflow: .pauseThenDrop(reserve: Self.reserve), droppable: \.isValue)
    }

    /// A value came. `false`: there is no room for more.
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

    /// So many values came that were dropped elsewhere.
    func missed(_ number: Int) {
        count.withLock { $0 += number }
        events.countDropped(number)
    }

    /// Something else happened.
    func tell(_ event: ObservationEvent) { events.push(event) }

    func finish(_ error: RadioError) { events.finish(error) }
}

extension ObservationEvent {
    fileprivate var isValue: Bool {
        if case .value = kind { true } else { false }
    }
}
