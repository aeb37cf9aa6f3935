// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// The number of results of a run so far, and the number of all events that show that it makes progress.
package final class Tally: Sendable {
    private let numbers: Mutex<(things: Int, events: Int)>

    package init(_ count: Int = 0) { numbers = Mutex((count, 0)) }

    /// The number of things that count for `--count`.
    package var count: Int { numbers.withLock { $0.things } }

    /// The number of events, counted for `--count` or not: while it grows, a run continues.
    package var eventCount: Int { numbers.withLock { $0.events } }

    package func add(_ number: Int = 1) {
        numbers.withLock { numbers in
            numbers.things += number
            numbers.events += 1
        }
    }

    package func recordEvent() { numbers.withLock { $0.events += 1 } }
}
