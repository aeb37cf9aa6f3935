// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// Stores the subscriptions of centrals with their bonds. A central without a bond has no stored subscriptions, and a
/// bond that is removed or replaced takes its subscriptions along.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
package final class PersistedClients: ClientMemories {
    /// The maximum number of subscriptions of one bond that are kept, so that no central fills the store.
    package static let subscriptionLimit = 1_024

    private struct Latest {
        var memories: [DeviceAddress: GATTServer.ClientState] = [:]
        var droppedCount = 0
    }

    private let store: any BondStore
    private let adapter: BluetoothAddress
    private let latest = Mutex(Latest())

    package init(_ store: any BondStore, of adapter: BluetoothAddress) {
        self.store = store
        self.adapter = adapter
    }

    package func memories() throws -> [DeviceAddress: GATTServer.ClientState] {
        let kept = try store.bonds(of: adapter).compactMap { bond in bond.memory.map { (bond.device, $0) } }
        return Dictionary(kept) { _, last in last }
    }

    package func remember(_ memories: [DeviceAddress: GATTServer.ClientState]) {
        var new = Latest()
        new.memories = memories.mapValues { memory in
            var memory = memory
            new.droppedCount += max(0, memory.subscriptions.count - Self.subscriptionLimit)
            memory.subscriptions = Array(memory.subscriptions.prefix(Self.subscriptionLimit))
            return memory
        }
        latest.withLock { [new] in $0 = new }
    }

    package var droppedCount: Int { latest.withLock { $0.droppedCount } }

    package func save() async throws {
        // Most requests do not change the stored state.
        let before = try store.bonds()
        guard updated(before) != before else { return }
        try await store.update { [self] in updated($0) }
    }

    /// The bonds with the latest memories, which may be newer than the call of `save`.
    private func updated(_ bonds: [Bond]) -> [Bond] {
        let latest = latest.withLock { $0.memories }
        return bonds.map { bond in
            guard bond.adapter == adapter, let memory = latest[bond.device] else { return bond }
            var bond = bond
            bond.memory = memory
            return bond
        }
    }
}
