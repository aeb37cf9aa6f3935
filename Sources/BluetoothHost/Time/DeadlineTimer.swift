// SPDX-License-Identifier: MIT

public import Bluetooth

/// Wakes an actor at the deadlines of its state machine with at most one sleeping task.
///
/// The owner calls `arm` with the machine's next deadline after each event. A deadline that moves to a later time costs
/// nothing: the task wakes at the old moment, queries the machine again and continues to sleep.
public struct DeadlineTimer: Sendable {
    private var sleepingUntil: Instant?
    private var sleeper: ScopedTask?

    /// A timer without a sleeping task.
    public init() {}

    /// Ensures that `fire` is called at the deadline. `fire` must call `fired`, and `arm` for the next deadline.
    public mutating func arm(
        _ deadline: Instant?,
        in scope: TaskScope,
        _ time: any TimeSource,
        fire: @escaping @Sendable () async -> Void
    ) {
        // A task that sleeps already is left alone: the machine has nothing for it when it wakes.
        guard let deadline else { return }
        if let sleepingUntil, sleepingUntil <= deadline { return }
        sleeper?.cancel()
        sleepingUntil = deadline
        sleeper = scope.spawnCancellable {
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await fire()
        }
    }

    /// The sleeping task has woken.
    public mutating func fired() {
        sleepingUntil = nil
        sleeper = nil
    }

    /// Cancels the sleeping task; `arm` starts a new one.
    public mutating func stop() {
        sleeper?.cancel()
        fired()
    }
}
