// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Holds back values until observers were told that the link stands again, or that the database is another one.
///
/// Values come as soon as they are switched on, some before the device has answered to that, while the link counts as made
/// again only when everything is switched on. A value in front of that news would be taken for one from before the gap.
final class ValueGate: Sendable {
    private typealias Held = (event: ObservationEvent, queue: BoundedQueue<ObservationEvent>)

    private struct State {
        var isOpen = false
        var held: [Held] = []
    }

    /// How many values are held back at most; of more, the first are dropped, and counted by those who miss them.
    static let limit = Observation.defaultLimit

    private let state = Mutex(State())

    /// Hands a value to an observer, now or when the gate opens.
    func pass(_ event: ObservationEvent, to queue: BoundedQueue<ObservationEvent>) {
        state.withLock { state in
            guard !state.isOpen else {
                queue.push(event)
                return
            }
            // Half at a time: one by one, a flood would move all of them for each.
            if state.held.count >= Self.limit {
                for (_, queue) in state.held.prefix(Self.limit / 2) { queue.countDropped() }
                state.held.removeFirst(Self.limit / 2)
            }
            state.held.append((event, queue))
        }
    }

    /// Lets through what was held back, in its order, and from now on everything.
    func open() {
        state.withLock { state in
            state.isOpen = true
            for (event, queue) in state.held { queue.push(event) }
            state.held = []
        }
    }
}
