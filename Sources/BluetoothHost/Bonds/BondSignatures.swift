// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// Makes and checks signatures with the keys of bonds. A number is used once: the store has it before the packet is
/// sent, and before a write is carried out.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.4.5
package struct BondSignatures: Sendable {
    /// The reason why a write cannot be signed.
    package enum Lack: Error, Hashable, Sendable {
        case bond
        /// The device got no key for signatures when it was paired.
        case key
        /// All numbers of the key were used.
        case numbers
    }

    private let store: any BondStore
    private let adapter: BluetoothAddress

    package init(_ store: any BondStore, of adapter: BluetoothAddress) {
        self.store = store
        self.adapter = adapter
    }

    /// The key for signatures to a device, and a number that is never given again. Throws `Lack`, or an error of the
    /// store.
    package func take(for device: DeviceAddress) async throws -> (key: SecurityKey, counter: UInt32) {
        let device = DeviceAddress(device.address, device.type.connectionType)
        // Avoids a write of the file if there is no key.
        var result = try Self.take(from: store.bonds(), of: adapter, for: device).map(\.taken)
        _ = try result.get()
        let taken = Mutex(result)
        let adapter = adapter
        try await store.update { bonds in
            // Another process may have used the number since, so it is taken again under the lock of the store.
            let outcome = Self.take(from: bonds, of: adapter, for: device)
            taken.withLock { $0 = outcome.map(\.taken) }
            return (try? outcome.get().bonds) ?? bonds
        }
        result = taken.withLock { $0 }
        let (key, counter) = try result.get()
        return (key, counter)
    }

    private typealias Taken = (key: SecurityKey, counter: UInt32)

    private static func take(
        from bonds: [Bond],
        of adapter: BluetoothAddress,
        for device: DeviceAddress
    ) -> Result<(taken: Taken, bonds: [Bond]), Lack> {
        guard let index = bonds.firstIndex(where: { $0.adapter == adapter && $0.owns(device) }) else {
            return .failure(.bond)
        }
        guard let place = bonds[index].signing.firstIndex(where: \.key.kind.isLocal) else { return .failure(.key) }
        let signing = bonds[index].signing[place]
        guard signing.counter < .max else { return .failure(.numbers) }
        var bonds = bonds
        bonds[index].signing[place].counter += 1
        return .success(((signing.key.value, signing.counter), bonds))
    }

    /// Checks the signature of a central's write; `nil` if no key of the central is stored. A counter is accepted once
    /// only. Throws if the keys cannot be read, or the counter cannot be stored.
    package func verdict(on write: SignedWriteCommand, from central: DeviceAddress) async throws -> SignatureVerdict? {
        let central = DeviceAddress(central.address, central.type.connectionType)
        let adapter = adapter
        // A write with an invalid signature must not cause a write to the disk.
        let before = Self.check(write, by: try store.bonds(), of: adapter, from: central)
        guard case .valid? = before.verdict else { return before.verdict }
        let verdict = Mutex<SignatureVerdict?>(nil)
        try await store.update { bonds in
            // The counter may have changed since, so it is compared again under the lock of the store.
            let outcome = Self.check(write, by: bonds, of: adapter, from: central)
            verdict.withLock { $0 = outcome.verdict }
            return outcome.bonds
        }
        return verdict.withLock { $0 }
    }

    private static func check(
        _ write: SignedWriteCommand,
        by bonds: [Bond],
        of adapter: BluetoothAddress,
        from central: DeviceAddress
    ) -> (verdict: SignatureVerdict?, bonds: [Bond]) {
        guard let index = bonds.firstIndex(where: { $0.adapter == adapter && $0.owns(central) }),
            let place = bonds[index].signing.firstIndex(where: { !$0.key.kind.isLocal })
        else { return (nil, bonds) }
        let signing = bonds[index].signing[place]
        // The signature first, because without it the counter can be anybody's.
        guard write.isSigned(with: signing.key.value) else { return (.wrong, bonds) }
        // The last number cannot be accepted, because there is no next one to expect.
        guard write.counter >= signing.counter, write.counter < .max else { return (.replayed, bonds) }
        var bonds = bonds
        bonds[index].signing[place].counter = write.counter + 1
        return (.valid(isAuthenticated: signing.key.kind.isAuthenticated), bonds)
    }
}
