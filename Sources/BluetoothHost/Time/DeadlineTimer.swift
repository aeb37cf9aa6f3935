// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// Wakes an actor at the deadlines of its state machine with at most one sleeping task.
///
/// The owner calls `arm` with the machine's next deadline after each event. A deadline that moves later costs nothing: the
/// sleeper wakes at the old moment, asks again and goes back to sleep.
public struct DeadlineTimer: Sendable {
    private var sleepingUntil: Instant?
    private var sleeper: ScopedTask?

    /// Nobody sleeps yet.
    public init() {}

    /// Makes sure that `fire` is called at the deadline; `fire` has to call `fired` and `arm` again.
    public mutating func arm(
        _ deadline: Instant?,
        in scope: TaskScope,
        _ time: any TimeSource,
        fire: @escaping @Sendable () async -> Void
    ) {
        guard let deadline else { return }
        if let sleepingUntil, sleepingUntil <= deadline { return }
        sleeper?.cancel()
        sleepingUntil = deadline
        sleeper = scope.spawnCancellable {
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await fire()
        }
    }

    /// The sleeper woke up.
    public mutating func fired() {
        sleepingUntil = nil
        sleeper = nil
    }

    /// Nothing will be waited for any more.
    public mutating func stop() {
        sleeper?.cancel()
        fired()
    }
}
