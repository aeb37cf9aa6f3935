// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization

/// Notices when the whole machine stands still, as a virtual machine does that its host pauses.
///
/// Afterwards every time limit has passed for programs that had no moment to do their work, so that what a test then
/// sees says nothing about them. A busy machine is no machine that stands still: a thread that hardly computes gets its
/// turn.
package final class Standstill: Sendable {
    private struct State {
        /// When the thread was last awake.
        var awake = ContinuousClock.now
        /// The end of the last standstill.
        var last: ContinuousClock.Instant?
    }

    /// The watch of this process, from the first use on.
    private static let watch = Standstill()

    /// The time that the thread sleeps, and the shortest time between two of its turns that is a standstill.
    private static let sleep = Duration.milliseconds(50)
    private static let shortest = Duration.seconds(1)

    private let state = Mutex(State())

    private init() {
        // On its own thread, because other tests occupy those of the pool.
        Thread.detachNewThread { [self] in
            while true {
                usleep(UInt32(Self.sleep / .microseconds(1)))
                turn()
            }
        }
    }

    /// The present moment. What `hasBeen` is asked about has to begin with it.
    package static func now() -> ContinuousClock.Instant {
        // The end of one that is over now does not count, although the thread may not have had its turn yet.
        watch.turn()
        return .now
    }

    /// Whether the machine has stood still since a moment.
    package static func hasBeen(since start: ContinuousClock.Instant) -> Bool {
        // The thread may not have had its turn yet.
        watch.turn()
        return watch.state.withLock { state in state.last.map { $0 > start } ?? false }
    }

    private func turn() {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.awake > Self.shortest { state.last = now }
            state.awake = now
        }
    }
}
