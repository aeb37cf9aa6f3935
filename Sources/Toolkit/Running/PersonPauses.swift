// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization

/// The times in which a person is asked, and which therefore do not count for the time limits of operations.
///
/// Each question has a time limit of its own, so that every pause ends.
package final class PersonPauses: Sendable {
    private struct State {
        /// The sum of the pauses that are over.
        var past = Duration.zero
        /// The number of pauses at present, because several links may be waiting for the person.
        var count = 0
        /// When the first of them began.
        var start: Instant?
    }

    /// The shortest time after which a pause is looked at again. The rest of a time limit can be shorter, and a loop
    /// that slept only for that would use the processor as long as the person thinks.
    private static let shortestSleep = Duration.milliseconds(10)

    private let state = Mutex(State())

    /// Runs `body`, which asks a person.
    package func during<Value>(_ time: any TimeSource, _ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { state in
            state.count += 1
            state.start = state.start ?? time.now
        }
        defer {
            state.withLock { state in
                state.count -= 1
                // Questions that overlap count once.
                guard state.count == 0, let start = state.start.take() else { return }
                state.past += time.now - start
            }
        }
        return try await body()
    }

    package func total(until now: Instant) -> Duration {
        state.withLock { state in state.past + (state.start.map { now - $0 } ?? .zero) }
    }

    private var isPaused: Bool { state.withLock { $0.count > 0 } }

    /// Returns when that time has passed without the pauses, or when the task is cancelled.
    package func sleep(for limit: Duration, _ time: any TimeSource) async {
        let start = time.now
        let earlier = total(until: start)
        var end = start + limit
        // A pause is noticed at the end of the time so far, which it makes longer.
        while (try? await time.sleep(until: end)) != nil {
            let now = time.now
            let next = start + limit + (total(until: now) - earlier)
            guard next > now else { return }
            end = isPaused ? max(next, now + Self.shortestSleep) : next
        }
    }
}
