// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization
package import Terminal

/// Gives the kernel the keys of bonds before they are needed: after a reboot, or after the adapter was plugged in
/// again.
package struct KernelBonds: Sendable {
    package let store: any BondStore
    package let system: any RadioSystem
    package let scope: TaskScope
    package let time: any TimeSource
    package let notes: any NoteSink
    /// The outcome of the last attempt to load the keys.
    private let lack = LastLack()

    package init(
        store: any BondStore,
        system: any RadioSystem,
        scope: TaskScope,
        time: any TimeSource,
        notes: any NoteSink
    ) {
        self.store = store
        self.system = system
        self.scope = scope
        self.time = time
        self.notes = notes
    }

    /// Why the kernel has not got the keys of bonds.
    package enum Lack: Error, Equatable {
        /// This program manages the adapter, and has its own keys: loading would replace all keys of the kernel.
        case managed(by: String)
        case refused(RadioError)
    }

    // A class, because the guard of each link has a copy of the surrounding value.
    private final class LastLack: Sendable {
        let value = Mutex<Lack?>(nil)
    }

    /// Why the keys were not loaded for the present link; `nil` if they were.
    var presentLack: Lack? { lack.value.withLock { $0 } }

    /// The bond with a device, by any of its addresses; `nil` if there is none. Throws a `BlectlError` if the file of
    /// bonds is damaged or cannot be read.
    ///
    /// A folder that must not be used makes no command fail: the keys that the kernel has still protect the link.
    package func bond(with device: DeviceAddress, of adapter: AdapterDescription) throws -> Bond? {
        // The device at a socket has zeros in place of an address.
        guard device.address.rawValue != 0 else { return nil }
        // A resolved address has another type code.
        let device = DeviceAddress(device.address, device.type.connectionType)
        do {
            return try store.bonds(of: adapter.bondAddress).first { $0.owns(device) }
        } catch let error as KeyFileFailure {
            guard !error.isOfFolder else {
                notes.detail("the bonds in \(error.path) are not used: \(error.reason)")
                return nil
            }
            throw BlectlError(error, doing: "use the bond with \(device.address)")
        }
    }

    /// Loads the keys of an adapter, unless another program manages it.
    package func load(for adapter: AdapterDescription) async {
        let found = await lack(for: adapter)
        lack.value.withLock { $0 = found }
        switch found {
        case nil: break
        case .managed(let name)?: notes.detail("the keys of bonds were left to \(name)")
        case .refused(let error)?: notes.detail("the keys of bonds were not given to the kernel: \(error.reason)")
        }
    }

    private func lack(for adapter: AdapterDescription) async -> Lack? {
        do {
            if let name = try await system.manager(of: adapter) { return .managed(by: name) }
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            let setup = PairingSetup(manager, on: ManagementIndex(adapter.index))
            try await withCleanup {
                try await setup.load(try store.bonds(of: adapter.bondAddress))
            } cleanup: {
                await manager.close()
            }
            return nil
        } catch let error as RadioError {
            return .refused(error)
        } catch {
            // A file that is damaged meanwhile, or a command that was interrupted.
            return .refused(RadioError(.cancelled, during: "loading the keys of bonds", on: adapter.name))
        }
    }
}

extension RadioSystem {
    /// The name of the program that manages an adapter; `nil` for none. Only the list of adapters contains it.
    package func manager(of adapter: AdapterDescription) async throws(RadioError) -> String? {
        guard let listed = try await adapters().first(where: { $0.index == adapter.index }) else {
            throw RadioError(.adapterRemoved, during: adapter.name, on: adapter.name)
        }
        return listed.manager
    }
}
