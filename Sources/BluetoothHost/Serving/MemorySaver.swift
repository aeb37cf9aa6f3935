// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// Keeps what a served device remembers of bonded centrals: while it is served, so that nothing is lost if the process is
/// killed, and at the end.
final class MemorySaver: Sendable {
    /// Where memories are kept.
    private let memories: any ClientMemories
    /// The device that has the memories.
    private let runner: DeviceRunner
    /// The scope of the last save.
    private let scope: TaskScope
    /// Is told of what cannot be kept.
    private let report: @Sendable (String) -> Void
    /// An element stands for any number of changes, so that a central that causes many changes queues one save at most.
    private let news = BoundedQueue<Void>(limit: 1, overflow: .dropOldest)
    /// The number of subscriptions without room that was reported last.
    private let reportedDrops = Mutex(0)

    /// Gives a device what was kept, before its first client, and keeps what changes. Returns `nil` if nothing can be
    /// read, because writing would then lose it.
    ///
    /// - Parameters:
    ///   - memories: Where it is kept; `nil` keeps nothing.
    ///   - runner: The device.
    ///   - scope: The scope of what is written meanwhile.
    ///   - report: Is told if something cannot be read or kept.
    static func begin(
        _ memories: (any ClientMemories)?,
        of runner: DeviceRunner,
        scope: TaskScope,
        report: @escaping @Sendable (String) -> Void
    ) async -> MemorySaver? {
        guard let memories else { return nil }
        let saver = MemorySaver(memories: memories, runner: runner, scope: scope, report: report)
        do {
            await runner.recall(try memories.memories()) { [news = saver.news] in
                memories.remember($0)
                news.push(())
            }
        } catch {
            report("the subscriptions of bonded centrals are not remembered: \(error)")
            return nil
        }
        scope.spawn { await saver.run() }
        return saver
    }

    /// Prepares a saver. `begin` starts it.
    private init(
        memories: any ClientMemories,
        runner: DeviceRunner,
        scope: TaskScope,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.memories = memories
        self.runner = runner
        self.scope = scope
        self.report = report
    }

    /// Saves after each change, until the end or the first failure: a store that fails once is not asked again
    /// and again.
    private func run() async {
        while (try? await self.news.next()) != nil {
            guard await save() else { return }
        }
    }

    /// Keeps what the device remembers at its end.
    func end() async {
        news.finish(RadioError(.closedLocally, during: "serve"))
        memories.remember(await runner.memories)
        _ = try? await scope.shielded { _ = await self.save() }
    }

    /// Returns `false` if it cannot be kept.
    private func save() async -> Bool {
        do {
            try await memories.save()
            reportDrops()
            return true
        } catch is CancellationError {
            return false
        } catch {
            report("the subscriptions of bonded centrals cannot be kept: \(error)")
            return false
        }
    }

    /// Tells how many subscriptions are not kept, once for each number.
    private func reportDrops() {
        let count = memories.droppedCount
        let isNew = reportedDrops.withLock { reported in
            defer { reported = count }
            return reported != count
        }
        guard isNew, count > 0 else { return }
        report(
            "\(count: count, "subscription") of bonded centrals will not outlast this run: a bond keeps "
                + "\(BondMemories.subscriptionLimit) of them"
        )
    }
}
