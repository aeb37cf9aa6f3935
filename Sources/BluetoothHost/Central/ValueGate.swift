// SPDX-License-Identifier: MIT

import Synchronization

/// Holds back values until observers have the event of the restored link or of the changed database.
///
/// Values arrive as soon as they are switched on, some even before the device has confirmed the switch, but the link
/// counts as restored only when all values are switched on. An observer would take a value before that event for one
/// from before the gap.
final class ValueGate: Sendable {
    private struct Held: Sendable {
        let value: ValueEvent
        let characteristic: ObservedCharacteristic
        let queue: ObservationQueue
        let hasFlowControl: Bool
    }

    private struct State {
        var isOpen = false
        var held: [Held] = []
        /// The values before those that were dropped, counted by queue.
        var missed: [(queue: ObservationQueue, count: Int)] = []

        mutating func countMissed(by queue: ObservationQueue) {
            if let index = missed.firstIndex(where: { $0.queue === queue }) {
                missed[index].count += 1
            } else {
                missed.append((queue, 1))
            }
        }
    }

    /// The number of values of a link without flow control that are held back. Of more the first are dropped, and
    /// counted by the queues that miss them.
    static let limit = Observation.defaultLimit

    private let state = Mutex(State())

    /// Hands a value to an observer, now or when the gate opens. Returns `false` if there is no room for more.
    func pass(
        _ value: ValueEvent,
        of characteristic: ObservedCharacteristic,
        to queue: ObservationQueue,
        hasFlowControl: Bool
    ) -> Bool {
        state.withLock { state in
            guard !state.isOpen else { return queue.push(value, of: characteristic, hasFlowControl: hasFlowControl) }
            let limit = hasFlowControl ? Self.limit * ObservationQueue.reserve : Self.limit
            // Half at a time: otherwise each value of a flood would move all others.
            if state.held.count >= limit {
                for held in state.held.prefix(limit / 2) { state.countMissed(by: held.queue) }
                state.held.removeFirst(limit / 2)
            }
            state.held.append(
                Held(value: value, characteristic: characteristic, queue: queue, hasFlowControl: hasFlowControl)
            )
            return true
        }
    }

    /// Passes on the held values, in their order, and all later ones at once.
    func open() {
        state.withLock { state in
            // All of this happens under the lock, so that no value that arrives now overtakes a held one.
            state.isOpen = true
            // The oldest values were dropped, so the gap in the numbers comes before the held ones.
            for (queue, count) in state.missed { queue.countMissed(count) }
            for held in state.held {
                _ = held.queue.push(held.value, of: held.characteristic, hasFlowControl: held.hasFlowControl)
            }
            state.held = []
            state.missed = []
        }
    }
}
