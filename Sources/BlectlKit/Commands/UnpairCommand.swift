// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl unpair`: removes the keys of devices.
///
/// The kernel and blectl keep keys independently of each other. This removes both, and the result shows which of them
/// existed.
struct UnpairCommand {
    /// The stored bonds of all adapters. Bonds belong to an adapter: another one has another identity.
    private struct Bonds {
        let adapter: AdapterDescription
        /// Those of the adapter.
        let own: [Bond]
        /// Those of other adapters, which are not removed.
        let others: [Bond]

        init(_ all: [Bond], of adapter: AdapterDescription) {
            self.adapter = adapter
            own = all.filter { $0.adapter == adapter.address }
            others = all.filter { $0.adapter != adapter.address }
        }
    }

    let options: UnpairOptions
    let context: CommandContext

    func run() async throws {
        let adapter: AdapterDescription
        do throws(RadioError) {
            adapter = try context.system.radio(named: context.options.adapter).adapter
        } catch {
            throw BlectlError(error, doing: "unpair")
        }
        let bonds = Bonds(try await context.keptBonds(doing: "unpair"), of: adapter)
        let devices = try await chosen(among: bonds)
        for device in devices.joined() { context.diagnostics.conceal(device.name) }
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(context.system, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "unpair").about(adapter: adapter.name)
        }
        try await withCleanup {
            for device in devices { try await unpair(device, bonds, manager) }
        } cleanup: {
            await manager.close()
        }
        if devices.isEmpty { context.diagnostics.remark("no bonds") }
    }

    /// The devices that are meant. One that blectl has no keys of may be known to the kernel, by either type of
    /// address.
    private func chosen(among bonds: Bonds) async throws -> [[DeviceReference]] {
        switch options {
        case .all: return bonds.own.map { [DeviceReference(address: $0.device, name: $0.name)] }
        case .device(.address(let address)):
            // A device is known by its identity, but the user may have seen one of its resolvable addresses.
            let meant = bonds.own.filter { $0.device.address == address || $0.owns(DeviceAddress(address, .random)) }
            if !meant.isEmpty { return meant.map { [DeviceReference(address: $0.device, name: $0.name)] } }
            // Nothing is kept: both types are tried, because an address alone does not show its type.
            let types: [AddressType] = [.random, .public]
            return [types.map { DeviceReference(address: DeviceAddress(address, $0), name: nil) }]
        case .device(.name(let name)):
            let isMeant: (Bond) -> Bool = { $0.name.map { DeviceIdentifier.isSameName($0, name) } ?? false }
            let meant = bonds.own.filter(isMeant)
            guard !meant.isEmpty else {
                let reason = "there is no bond with a device named \(Prose.quoted(name))"
                throw await missing("unpair", reason, bonds.others.first(where: isMeant))
            }
            return meant.map { [DeviceReference(address: $0.device, name: $0.name)] }
        }
    }

    /// The message for a bond that is not there, or that is one of another adapter.
    private func missing(_ action: String, _ reason: String, _ other: Bond?) async -> BlectlError {
        guard let other else { return BlectlError(.notFound, cannot: action, reason, hint: "blectl bonds") }
        let adapters = (try? await context.system.adapters()) ?? []
        let name = adapters.first { $0.address == other.adapter }?.name
        return BlectlError(
            .notFound,
            cannot: action,
            "its bond is with another adapter, \(other.adapter)",
            hint: name.map { "blectl unpair \(other.device.address) --adapter \($0)" } ?? "plug that adapter in"
        )
    }

    /// Forgets a device, which has one of several addresses.
    private func unpair(_ addresses: [DeviceReference], _ bonds: Bonds, _ manager: AdapterManager) async throws {
        guard var device = addresses.first else { return }
        let adapter = bonds.adapter
        let action = "unpair \(device.text)"
        let pairer = Pairer(manager, on: ManagementIndex(adapter.index), scope: context.scope, time: context.time)
        var wasInKernel = false
        // The first type that the kernel knows ends the search.
        for address in addresses where !wasInKernel {
            do throws(RadioError) {
                wasInKernel = try await pairer.unpair(address.address)
                if wasInKernel { device = address }
            } catch {
                throw BlectlError(error, doing: action).about(adapter: adapter.name)
            }
        }
        let chosen = device
        let wasKept = bonds.own.contains { $0.device == chosen.address }
        guard wasKept || wasInKernel else {
            let other = bonds.others.first { bond in addresses.contains { bond.owns($0.address) } }
            throw await missing(action, "there is no bond with it", other)
        }
        if wasKept {
            do {
                // The kernel has forgotten its keys already. If this fails, the command can be repeated.
                try await context.stores.bonds?.update { bonds in
                    bonds.filter { $0.adapter != adapter.address || $0.device != chosen.address }
                }
            } catch let error as KeyFileFailure {
                throw BlectlError(error, doing: action)
            }
        }
        try await context.output.emit(
            UnpairedResult(
                device: chosen,
                adapter: adapter.name,
                wasInKernel: wasInKernel,
                wasKept: wasKept,
                timestamp: Timestamp(context.time)
            )
        )
    }
}
