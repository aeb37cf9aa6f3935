// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// Stores the memories of bonded centrals: while the device is served, so that they survive a killed process, and at
/// the end.
final class MemorySaver: Sendable {
    private let memories: any ClientMemories
    private let runner: DeviceRunner
    private let scope: TaskScope
    /// Called with a message for memories that cannot be stored.
    private let report: @Sendable (String) -> Void
    /// An element stands for any number of changes, so that a central that causes many changes queues one save at most.
    private let news = BoundedQueue<Void>(limit: 1, overflow: .dropOldest)
    /// The number of subscriptions without room that was reported last.
    private let reportedDrops = Mutex(0)

    /// Restores the stored memories before the device's first client, and stores changes. Returns `nil` if they cannot
    /// be read, because writing would then lose them.
    ///
    /// - Parameters:
    ///   - memories: The store; `nil` stores nothing.
    ///   - scope: The scope of the background writes.
    ///   - report: Called with a message if memories cannot be read or stored.
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
            report("cannot read the subscriptions of bonded centrals, so none are kept: \(error)")
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

    /// Reports how many subscriptions were not stored, once for each number.
    private func reportDrops() {
        let count = memories.droppedCount
        let isNew = reportedDrops.withLock { reported in
            defer { reported = count }
            return reported != count
        }
        guard isNew, count > 0 else { return }
        report(
            "\(count: count, "subscription") of bonded centrals will be lost at the end: the limit of a bond is "
                + "\(PersistedClients.subscriptionLimit)"
        )
    }
}

/// Stores the memories of bonded centrals from one run of a served device to the next.
package protocol ClientMemories: Sendable {
    /// The stored memories, by the identity addresses of the centrals. Throws if they cannot be read.
    func memories() throws -> [DeviceAddress: GATTServer.ClientState]

    /// Takes the memories to store. The next `save` stores them.
    func remember(_ memories: [DeviceAddress: GATTServer.ClientState])

    /// The number of subscriptions in the latest memories that were not stored, because there is no room for them.
    var droppedCount: Int { get }

    /// Stores the latest memories. Throws if they cannot be written.
    func save() async throws
}
