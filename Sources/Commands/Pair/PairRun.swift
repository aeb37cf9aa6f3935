// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Terminal
import Toolkit

/// `blectl pair`: pairs with a device, and keeps the keys.
struct PairRun {
    let options: PairOptions
    let device: DeviceOptions
    let context: CommandContext

    func run() async throws {
        let keyboard = context.pairing.keyboard ?? TerminalKeyboard(context.diagnostics)
        if keyboard == nil, let missing = options.missingAnswer {
            throw BlectlError(
                .usage,
                cannot: "pair",
                "the pairing may need an answer, and there is no terminal to ask for it",
                hint: "give \(missing)"
            )
        }
        let bonds = try keeper()
        // Before anything is sent.
        let data = try await context.reading(options.outOfBandFile) { [options] in
            try options.outOfBandFile.map { path throws(BlectlError) in try OutOfBandFile.read(path) }
        }
        let output = try await context.creating(options.outOfBandOutput, isPrivate: true)
        // The link that a session holds is the one to be raised: a device rarely accepts a second one.
        let mayShare = await context.caller.held?.sharesLink ?? true
        let session = output == nil && mayShare ? try await context.sharedLink(for: device) : nil
        var own = context
        if let session {
            // The keys belong to the adapter that has the link.
            own = context.on(.one(session.connection.finder.central.radio.adapter.name))
            // The simulated kernel that has the link is that of the session.
            if own.options.isSimulated { own = own.with(system: session.system) }
        }
        try await PairRun(options: options, device: device, context: own).run(
            over: session?.connection,
            keyboard,
            bonds,
            data,
            output
        )
    }

    /// Pairs, or writes the data of this machine.
    ///
    /// - Parameter shared: The link of a session to the device; `nil` if there is none.
    private func run(
        over shared: OneTimeConnection?,
        _ keyboard: TerminalKeyboard?,
        _ bonds: any BondStore,
        _ data: (pair: OutOfBandData.Pair, device: DeviceAddress?)?,
        _ output: OutputFile?
    ) async throws {
        let held = shared == nil && output == nil ? await usableLink : nil
        // A device to which a script or a shell is connected does not advertise.
        if output == nil, shared == nil, held == nil { await context.caller.held?.disconnect() }
        let own = shared == nil && output == nil ? try await context.ownConnection(for: device) : nil
        let central = if let own { own.connector.central } else { try await context.central() }
        var adapter = central.radio.adapter
        do throws(RadioError) {
            adapter.manager = try await context.system.manager(of: adapter)
        } catch {
            throw BlectlError(error, doing: "pair").about(adapter: adapter.name)
        }
        // A socket has no pairing.
        guard central.radio.onlyPeer == nil else {
            throw BlectlError(RadioError(.noController, during: adapter.name), doing: "pair")
        }
        guard var provider = shared ?? own else {
            guard let output else { return }
            return try await share(output, adapter, central.radio, bonds)
        }
        let known = await context.caller.held?.reference
        let found = if let known { known } else { try await provider.reference() }
        provider.found = found
        let address = DeviceAddress(found.address.address, found.address.type.connectionType)
        if let expected = data?.device, expected != address, let path = options.outOfBandFile {
            throw BlectlError(
                .badData,
                cannot: "pair with \(found.text)",
                "the out-of-band data in \(path) is that of \(expected.address) (\(expected.type))"
            )
        }
        try await context.withManager(of: adapter, doing: "pair") { [adapter] manager in
            let run = PairingRun(
                device: found,
                options: options,
                demanded: device.connection.security,
                manager: manager,
                adapter: adapter,
                radio: central.radio,
                bonds: bonds,
                keyboard: keyboard,
                data: data?.pair,
                context: context
            )
            let link: any DeviceProvider = held ?? provider
            try await run.pair(over: link)
        }
    }

    /// The store of the keys, which must be readable and writable before a device makes any.
    private func keeper() throws -> any BondStore {
        guard let bonds = context.stores.bonds else {
            throw BlectlError(
                .cannotCreateOutput,
                cannot: "pair",
                "there is no place for the keys: neither HOME nor XDG_STATE_HOME names a folder"
            )
        }
        do {
            if options.wantsBond, options.outOfBandOutput == nil { try bonds.checkIsWritable() }
            _ = try bonds.bonds()
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: "pair")
        }
        return bonds
    }

    /// The link that a script or a shell has, if it can be paired over: an adapter that has to be switched off and on
    /// for that would end it. `nil` if there is none.
    private var usableLink: HeldConnection? {
        get async {
            guard let held = context.caller.held, await held.isConnected, !context.options.adapters.isSeveral,
                let adapter = try? await context.central().radio.adapter,
                let manager = try? AdapterManager.open(context.system, scope: context.scope, time: context.time)
            else { return nil }
            let isPrepared = try? await PairingSetup(manager, on: ManagementIndex(adapter.index)).isPrepared
            await manager.close()
            return isPrepared == true ? held : nil
        }
    }

    /// Writes the out-of-band data of this machine.
    private func share(
        _ output: OutputFile,
        _ adapter: AdapterDescription,
        _ radio: any Radio,
        _ bonds: any BondStore
    ) async throws {
        let action = "read the out-of-band data of \(adapter.name)"
        try await context.withManager(of: adapter, doing: "pair") { manager in
            let setup = PairingSetup(manager, on: ManagementIndex(adapter.index))
            if adapter.manager == nil {
                try await context.prepare(setup, PairingSetup.Wish(), radio, bonds, action)
            }
            try await setup.writeOutOfBandData(of: adapter, to: output, doing: action)
            context.diagnostics.note(
                "\(output.path) has the out-of-band data of \(adapter.name), until that is switched off or this is done again"
            )
        }
    }
}
