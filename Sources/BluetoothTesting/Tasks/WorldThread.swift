// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import CSwiftTasks
import Dispatch
import SimulatedRadio
import Synchronization

extension VirtualTime {
    /// Runs `body` and everything that it starts on a thread of its own, also unstructured and detached tasks, and
    /// returns its result. What is not over then goes on outside of virtual time.
    ///
    /// The calling task waits without a thread of Swift's pool, so that any number of worlds can run beside each other.
    func runOnThreadOfItsOwn<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let number = TaskWorlds.all.add(self)
        // A serial queue has a thread that is not one of the pool's, and may block.
        DispatchQueue(label: "virtual time").async { [self] in
            let before = swift_tasks_set_world(number)
            runUntilClosed()
            _ = swift_tasks_set_world(before)
        }
        let root = Task<Result<Value, Failure>, Never>(executorPreference: self) {
            let result = await Result(catching: body)
            // Before the caller is resumed, which does not belong to the world.
            TaskWorlds.all.remove(number)
            self.close()
            return result
        }
        return try await withTaskCancellationHandler {
            await root.value
        } onCancel: {
            root.cancel()
        }.get()
    }
}

/// Suspends for a duration of real time, or until the task is cancelled, whatever the clock of its executor is.
func pauseInRealTime(_ duration: Duration) async {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(duration.clampedNanoseconds))) {
        continuation.finish()
    }
    for await _ in end {}
}

/// Lets a few worlds run at a time, because each has a thread, and all tests of a program begin at once.
final class WorldSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// More than cores, because a world may wait for real time.
    static let all = WorldSlots(count: 8)

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    /// Runs `body` when it is its turn. Those who wait have their turns in the order in which they came.
    func withSlot<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.free += 1
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }
        return try await body()
    }
}
