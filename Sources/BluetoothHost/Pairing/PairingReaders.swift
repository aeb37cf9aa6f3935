// SPDX-License-Identifier: MIT

import Bluetooth

/// The tasks that pass to a pairing what is reported about it: by the kernel, and by those that see its link.
struct PairingReaders: Sendable {
    /// The events of all adapters.
    let changes: BoundedQueue<AdapterChange>
    private let manager: AdapterManager
    private let scope: TaskScope
    private var tasks: [ScopedTask] = []

    /// Begins to pass the kernel's events about an adapter, until `stop`.
    init(
        _ manager: AdapterManager,
        on adapter: ManagementIndex,
        scope: TaskScope,
        pass: @escaping @Sendable (ManagementEvent) -> Void
    ) async {
        let changes = await manager.changes()
        self.changes = changes
        self.manager = manager
        self.scope = scope
        add {
            while let change = try? await changes.next() {
                if change.adapter == adapter { pass(change.event) }
            }
        }
    }

    /// Begins to pass PDUs that an observer has seen.
    mutating func read(
        _ observations: BoundedQueue<SecurityObserver.Observation>,
        pass: @escaping @Sendable (SecurityObserver.Observation) -> Void
    ) {
        add {
            while let seen = try? await observations.next() { pass(seen) }
        }
    }

    /// Starts another task, which `stop` cancels.
    mutating func add(_ task: @escaping @Sendable () async -> Void) {
        tasks.append(scope.spawnCancellable(task))
    }

    /// Ends all tasks, and the events.
    func stop() async {
        for task in tasks { task.cancel() }
        await manager.stop(changes)
    }
}
