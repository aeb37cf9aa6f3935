// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// Keeps the subscriptions of centrals with the bonds that they belong to. Nothing is kept of a central without a bond, and
/// a bond that is removed or replaced takes its subscriptions along.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
package final class BondMemories: ClientMemories {
    private let store: any BondStore
    private let adapter: BluetoothAddress
    private let latest = Mutex<[DeviceAddress: GATTServer.ClientMemory]>([:])

    /// The memories in the bonds of an adapter.
    package init(_ store: any BondStore, of adapter: BluetoothAddress) {
        self.store = store
        self.adapter = adapter
    }

    package func memories() throws -> [DeviceAddress: GATTServer.ClientMemory] {
        let kept = try store.bonds(of: adapter).compactMap { bond in bond.memory.map { (bond.device, $0) } }
        return Dictionary(kept) { _, last in last }
    }

    package func remember(_ memories: [DeviceAddress: GATTServer.ClientMemory]) {
        latest.withLock { $0 = memories }
    }

    package func save() async throws {
        // Most requests change nothing that is kept.
        let before = try store.bonds()
        guard updated(before) != before else { return }
        try await store.update { [self] in updated($0) }
    }

    /// The bonds with what was remembered last, which may be newer than at the call of `save`.
    private func updated(_ bonds: [Bond]) -> [Bond] {
        let latest = latest.withLock { $0 }
        return bonds.map { bond in
            guard bond.adapter == adapter, let memory = latest[bond.device] else { return bond }
            var bond = bond
            bond.memory = memory
            return bond
        }
    }
}
