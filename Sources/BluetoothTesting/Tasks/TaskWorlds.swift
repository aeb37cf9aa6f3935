// SPDX-License-Identifier: MIT

import BluetoothHost
import CSwiftTasks
import SimulatedRadio
import Synchronization

/// The running worlds in virtual time, and the tasks that belong to them.
///
/// A task without an executor of its own, `Task { }` or `Task.detached { }`, goes to the global executor. Its jobs are
/// brought to the world of the thread that starts it, and later to the same world, whoever resumes it. There is one
/// object, because the hooks of the runtime are those of the process.
final class TaskWorlds: Sendable {
    /// A world, and the ids of the last tasks that were brought to it.
    private struct World {
        let time: VirtualTime
        var tasks: RecentSet<UInt64>
    }

    private struct State {
        var worlds: [UInt64: World] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The maximum number of tasks that are remembered for a world. An older one that another thread resumes goes on
    /// there, until the world resumes it.
    private static let limit = 16_384

    /// Sets the hooks when the first world begins.
    static let all: TaskWorlds = {
        let all = TaskWorlds()
        let main = unsafeBitCast(
            WorldMainExecutor.shared.asUnownedSerialExecutor(),
            to: swift_tasks_executor.self
        )
        swift_tasks_install(
            { world, task, job in TaskWorlds.all.take(job, ofTask: task, from: world) },
            main
        )
        return all
    }()

    private let state = Mutex(State())

    private init() {}

    /// Adds a world, and returns its number, which is never 0.
    func add(_ time: VirtualTime) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.worlds[state.lastNumber] = World(time: time, tasks: RecentSet(limit: Self.limit))
            return state.lastNumber
        }
    }

    func remove(_ world: UInt64) { state.withLock { _ = $0.worlds.removeValue(forKey: world) } }

    /// The world of a job: that of its task, or else that of the calling thread. `nil` if it has none.
    ///
    /// - Parameters:
    ///   - task: The id of the task; 0 for a job of an actor, which belongs to nobody.
    ///   - world: The number of the world of the calling thread; 0 for none.
    func world(ofTask task: UInt64, from world: UInt64) -> (number: UInt64, time: VirtualTime)? {
        state.withLock { state in
            if task != 0, let (number, owner) = state.worlds.first(where: { $0.value.tasks.contains(task) }) {
                return (number, owner.time)
            }
            guard let time = state.worlds[world]?.time else { return nil }
            if task != 0 { _ = state.worlds[world]?.tasks.insert(task) }
            return (world, time)
        }
    }

    /// Brings a job to its world. Returns whether it has one.
    private func take(_ job: UnsafeMutableRawPointer, ofTask task: UInt64, from world: UInt64) -> Bool {
        guard let time = self.world(ofTask: task, from: world)?.time else { return false }
        time.add(unsafeBitCast(job, to: UnownedJob.self))
        return true
    }
}
