// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl unpair`: removes the keys of devices.
///
/// The kernel and blectl keep keys independently of each other. This removes both, and the result shows which of them
/// existed.
struct UnpairRun {
    /// The stored bonds of all adapters. Bonds belong to an adapter: another one has another identity.
    private struct Bonds {
        /// The adapter that is used; `nil` if there is none.
        let adapter: AdapterDescription?
        /// Those of the adapter.
        let own: [Bond]
        /// Those of adapters that are gone. Their keys are nowhere but in the file.
        let orphaned: [Bond]
        /// Those of other adapters of the machine and of other controllers, which are not removed.
        let others: [Bond]

        /// - Parameters:
        ///   - present: The adapters of the machine; `nil` if they are not known, so that none counts as gone.
        ///   - elsewhere: The controllers that are not the machine's.
        ///   - gone: The only adapter that is meant, by its address, if it is none of the machine.
        init(
            _ all: [Bond],
            of adapter: AdapterDescription?,
            among present: [AdapterDescription]?,
            elsewhere: Set<BluetoothAddress>,
            gone: BluetoothAddress?
        ) {
            self.adapter = adapter
            own = all.filter { $0.adapter == adapter?.bondAddress }
            // An adapter that is being set up has no address yet, and may be any of them.
            let isKnown = present?.allSatisfy { $0.bondAddress.rawValue != 0 } == true
            orphaned = all.filter { bond in
                let isPresent = present?.contains { $0.bondAddress == bond.adapter }
                guard isKnown, isPresent == false else { return false }
                return gone == nil ? !elsewhere.contains(bond.adapter) : gone == bond.adapter
            }
            others = all.filter { [own, orphaned] in !own.contains($0) && !orphaned.contains($0) }
        }
    }

    /// A device whose keys are to be removed.
    private struct Target {
        /// The device by each address that it may have: an address alone does not show its type.
        let devices: [DeviceReference]
        /// The adapter that is gone, if the bond is with one.
        var orphaned: BluetoothAddress?

        init(_ bond: Bond, isOrphaned: Bool) {
            devices = [DeviceReference(address: bond.device, name: bond.name)]
            orphaned = isOrphaned ? bond.adapter : nil
        }

        init(_ devices: [DeviceReference]) { self.devices = devices }
    }

    let chosen: DeviceOrAll
    let context: CommandContext

    func run() async throws {
        let bonds = try await bonds()
        let targets = try await chosen(among: bonds)
        for device in targets.flatMap(\.devices) { context.diagnostics.conceal(device.name) }
        if let adapter = bonds.adapter, targets.contains(where: { $0.orphaned == nil }) {
            try await context.withManager(of: adapter, doing: "unpair") { try await unpair(targets, bonds, $0) }
        } else {
            try await unpair(targets, bonds, nil)
        }
        guard chosen == .all else { return }
        if targets.isEmpty { context.diagnostics.remark("no bonds") }
        await noteOthers(bonds.others)
    }

    /// The bonds, with the adapter that is used. Without any adapter there may still be bonds with those that are gone.
    private func bonds() async throws -> Bonds {
        let all = try await context.keptBonds(doing: "unpair")
        let wish = context.options.adapter
        let elsewhere = Set(context.stores.controllers().keys)
        do throws(RadioError) {
            let adapter = try await context.system.preparedRadio(named: wish).adapter
            // With a named adapter, only its own bonds are meant.
            let present = wish == nil ? try? await context.system.adapters() : nil
            return Bonds(all, of: adapter, among: present, elsewhere: elsewhere, gone: nil)
        } catch {
            let gone = wish.flatMap { BluetoothAddress($0) }
            let isGone =
                switch error.cause {
                case .noAdapter: wish == nil || gone != nil
                case .adapterNotFound: gone != nil
                default: false
                }
            let present: [AdapterDescription]? = error.cause == .noAdapter ? [] : try? await context.system.adapters()
            let bonds = Bonds(all, of: nil, among: present, elsewhere: elsewhere, gone: gone)
            guard isGone, !bonds.orphaned.isEmpty else { throw BlectlError(error, doing: "unpair") }
            return bonds
        }
    }

    /// The devices that are meant. One that blectl has no keys of may be known to the kernel, by either type of
    /// address.
    private func chosen(among bonds: Bonds) async throws -> [Target] {
        func targets(where isMeant: (Bond) -> Bool) -> [Target] {
            bonds.own.filter(isMeant).map { Target($0, isOrphaned: false) }
                + bonds.orphaned.filter(isMeant).map { Target($0, isOrphaned: true) }
        }
        switch chosen {
        case .all: return targets { _ in true }
        case .device(.address(let address)):
            // A device is known by its identity, but the user may have seen one of its resolvable addresses.
            let meant = targets { $0.device.address == address || $0.owns(DeviceAddress(address, .random)) }
            if !meant.isEmpty { return meant }
            // Nothing is kept: both types are tried.
            let types: [AddressType] = [.random, .public]
            return [Target(types.map { DeviceReference(address: DeviceAddress(address, $0), name: nil) })]
        case .device(.name(let name)):
            let isMeant: (Bond) -> Bool = { $0.name.map { DeviceIdentifier.isSameName($0, name) } ?? false }
            let meant = targets(where: isMeant)
            guard !meant.isEmpty else {
                let reason = "there is no bond with a device named \(Prose.quoted(name))"
                throw await missing("unpair", reason, bonds.others.first(where: isMeant))
            }
            return meant
        }
    }

    /// Forgets all of the devices that can be forgotten. Throws an error that names the others.
    private func unpair(_ targets: [Target], _ bonds: Bonds, _ manager: AdapterManager?) async throws {
        var failures: [(devices: [DeviceReference], error: BlectlError)] = []
        for target in targets {
            do {
                try await unpair(target, bonds, manager)
            } catch let error as BlectlError {
                guard targets.count > 1, let device = target.devices.first else { throw error }
                // Most often the reason is the same for all of them.
                if let index = failures.firstIndex(where: { $0.error.reason == error.reason }) {
                    failures[index].devices.append(device)
                } else {
                    failures.append(([device], error))
                }
            }
        }
        let errors = failures.map { devices, error in
            BlectlError(
                error.status,
                cannot: "unpair \(Prose.list(devices.map(\.text), "and"))",
                error.reason,
                hint: error.hint
            )
            .about(device: devices.count == 1 ? devices.first : nil, adapter: bonds.adapter?.name)
        }
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        for error in errors { try await context.report(error) }
        throw PartialFailure(status: first.status)
    }

    /// Names the bonds of the machine's other adapters, because `--all` leaves them.
    private func noteOthers(_ others: [Bond]) async {
        guard !others.isEmpty else { return }
        let byAdapter = Dictionary(grouping: others, by: \.adapter).sorted { $0.key.rawValue < $1.key.rawValue }
        for (address, bonds) in byAdapter {
            let name = await name(of: address)
            let devices = bonds.map { DeviceReference(address: $0.device, name: $0.name).text }
            context.diagnostics.note(
                "not removed, because they are of \(name): \(Prose.list(devices, "and")); "
                    + "blectl unpair --all --adapter \(name)"
            )
        }
    }

    /// The adapter with that address, as `--adapter` names it.
    private func name(of address: BluetoothAddress) async -> String {
        let adapters = (try? await context.system.adapters()) ?? []
        let present = adapters.first { $0.bondAddress == address }?.name
        return present ?? context.stores.controllers()[address] ?? "\(address)"
    }

    /// The message for a bond that is not there, or that is one of another adapter.
    private func missing(_ action: String, _ reason: String, _ other: Bond?) async -> BlectlError {
        guard let other else { return BlectlError(.notFound, cannot: action, reason, hint: "blectl bonds") }
        let name = await name(of: other.adapter)
        return BlectlError(
            .notFound,
            cannot: action,
            "its bond is with another adapter, \(other.adapter)",
            hint: "blectl unpair \(other.device.address) --adapter \(name)"
        )
    }

    /// Forgets a device, which has one of several addresses.
    private func unpair(_ target: Target, _ bonds: Bonds, _ manager: AdapterManager?) async throws {
        guard var device = target.devices.first else { return }
        let action = "unpair \(device.text)"
        let owner = target.orphaned ?? bonds.adapter?.bondAddress
        var wasInKernel = false
        if target.orphaned == nil, let adapter = bonds.adapter, let manager {
            let pairer = Pairer(manager, on: ManagementIndex(adapter.index), scope: context.scope, time: context.time)
            // The first type that the kernel knows ends the search.
            for address in target.devices where !wasInKernel {
                do throws(RadioError) {
                    wasInKernel = try await pairer.unpair(address.address)
                    if wasInKernel { device = address }
                } catch {
                    throw BlectlError(error, doing: action).about(device: device, adapter: adapter.name)
                }
            }
        }
        let chosen = device
        let wasKept = (bonds.own + bonds.orphaned).contains { $0.device == chosen.address && $0.adapter == owner }
        guard wasKept || wasInKernel else {
            let other = bonds.others.first { bond in target.devices.contains { bond.owns($0.address) } }
            throw await missing(action, "there is no bond with it", other)
        }
        if wasKept {
            do {
                // The kernel has forgotten its keys already. If this fails, the command can be repeated.
                try await context.stores.bonds?.update { bonds in
                    bonds.filter { $0.adapter != owner || $0.device != chosen.address }
                }
            } catch let error as KeyFileFailure {
                throw BlectlError(error, doing: action).about(device: device)
            }
        }
        try await context.output.emit(
            UnpairedResult(
                device: chosen,
                adapter: target.orphaned.map { "\($0)" } ?? bonds.adapter?.name ?? "",
                wasInKernel: wasInKernel,
                wasKept: wasKept,
                timestamp: Timestamp(context.time)
            )
        )
    }
}

/// A device whose keys were forgotten.
struct UnpairedResult: RecordedResult {
    let device: DeviceReference
    let adapter: String
    let wasInKernel: Bool
    let wasKept: Bool
    let timestamp: Timestamp

    static let record = RecordKind<Self>("unpaired", "a device whose keys were forgotten") {
        RecordField.device { $0.device }
        RecordField(
            "adapter",
            .string,
            "adapter, such as `hci0`; its address, if the machine has it no more"
        ) { $0.adapter }
        RecordField("kernel", .boolean, "whether the kernel had keys of it") { $0.wasInKernel }
        RecordField("kept", .boolean, "whether blectl had") { $0.wasKept }
    }

    func text(_ style: TextStyle) -> String? { "forgot the keys of \(style.paint(device.text, .bold))" }
}
