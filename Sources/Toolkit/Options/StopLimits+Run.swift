// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization

extension StopLimits {
    /// The simulated time after which a run without events ends: some simulated devices advertise for ever, so the
    /// world is never at rest while a scan runs.
    static let quietLimit = Duration.seconds(3_600)

    package func isReached(_ tally: Tally) -> Bool { count.map { tally.count >= $0 } ?? false }

    /// Runs `body`, which ends when the count is reached, and cancels it at any other ending.
    ///
    /// - Parameters:
    ///   - time: The clock of the run.
    ///   - start: The moment from which `--duration` counts.
    ///   - quietLimit: The simulated time without an event that ends a run without `--duration` and `--deadline`.
    ///   - tally: Counts the results of the run.
    ///   - body: The run. It may also return for another reason, for example if there is nothing to wait for.
    package func run(
        _ time: any TimeSource,
        since start: Instant,
        quietLimit: Duration = Self.quietLimit,
        _ tally: Tally,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> RunEnding {
        let ending = Mutex(RunEnding.complete)
        let isComplete = try await until {
            guard let reason = await end(time, start, quietLimit, tally) else { return }
            ending.withLock { $0 = reason }
        } _: {
            try await body()
            return true
        }
        // The last thing may have come at the very moment of the end.
        return isComplete == true || isReached(tally) ? .complete : ending.withLock { $0 }
    }

    /// Waits for an ending other than the count; `nil` if the task was cancelled.
    private func end(
        _ time: any TimeSource,
        _ start: Instant,
        _ quietLimit: Duration,
        _ tally: Tally
    ) async -> RunEnding? {
        await withTaskGroup(of: RunEnding?.self) { group in
            if let duration {
                group.addTask {
                    (try? await time.sleep(until: start + duration)).map { .timeIsUp(duration) }
                }
            }
            // `--duration` and `--deadline` end the run in any case, so that a silence need not end it before.
            let isBounded = duration == nil && !hasDeadline
            group.addTask { await Self.endOfWorld(time, isBounded ? quietLimit : nil, tally) }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Waits until the simulated world is at rest, or until nothing has come for a time; `nil` if the task was
    /// cancelled.
    private static func endOfWorld(
        _ time: any TimeSource,
        _ quietLimit: Duration?,
        _ tally: Tally
    ) async -> RunEnding? {
        while true {
            // Read before the wait, so that an event during the wait begins another one.
            let events = tally.eventCount
            let deadline = quietLimit.map { time.now + $0 } ?? Instant(nanoseconds: .max)
            guard let isAtRest = try? await time.untilNothingIsDue(or: deadline) else { return nil }
            if isAtRest { return .worldAtRest }
            if let quietLimit, tally.eventCount == events { return .nothingCame(quietLimit) }
        }
    }
}
