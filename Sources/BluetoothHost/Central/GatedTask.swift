// SPDX-License-Identifier: MIT

/// A task of a device's observers that can be cancelled, and the gate that holds back their values until the task has
/// reported its event.
struct GatedTask: Sendable {
    private var task: ScopedTask?
    /// The closed gate; `nil` if values pass.
    private(set) var gate: ValueGate?

    /// Replaces the task. It is not cancelled, because a failed attempt orders the next one while it still runs.
    mutating func run(_ task: ScopedTask) { self.task = task }

    mutating func cancel() {
        task?.cancel()
        task = nil
    }

    /// Holds back the values of links and subscriptions that are made from now on.
    mutating func holdValues() { gate = ValueGate() }

    /// Lets all values pass, those that were held back first.
    mutating func releaseValues() {
        gate?.open()
        gate = nil
    }
}
