// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// Pairs with centrals while a device is served, and keeps the keys.
struct ServedPairings: Sendable {
    // Central and peripheral give a pairing up after that time. Spec: Core 5.4, Vol 3, Part H, 3.4
    private static let usualTime = Duration.seconds(30)

    let options: PairOptions
    /// Whether each central without a bond is asked to pair.
    let asks: Bool
    let adapter: AdapterDescription
    let radio: any Radio
    let bonds: any BondStore
    let known: ServedBonds
    let context: CommandContext
    /// The out-of-band data of centrals, by the addresses of their links.
    private let data: [DeviceAddress: OutOfBandData.Pair]
    /// The file for the out-of-band data of the adapter; `nil` for none.
    private let output: OutputFile?

    /// Creates the pairings of a command. Throws a `BlectlError` before anything is sent if they could not succeed.
    init(_ options: PairOptions, asks: Bool, known: ServedBonds, on radio: any Radio, _ context: CommandContext)
        async throws
    {
        self.options = options
        self.asks = asks
        self.known = known
        self.radio = radio
        self.context = context
        let action = "serve with pairing on \(radio.adapter.name)"
        let remedy = "leave out --io and the other options of pairing"
        guard radio.onlyPeer == nil else {
            throw BlectlError(.usage, cannot: action, "a socket has no pairing", hint: remedy)
        }
        guard context.pairing.hasCentrals else {
            throw BlectlError(
                .usage,
                cannot: action,
                "no central of a simulated world pairs, unless commands share the world",
                hint: "\(remedy); or share one: blectl simulate serve --socket PATH, "
                    + "then --simulate=PATH in this command and in those of the central"
            )
        }
        guard let bonds = context.stores.bonds else {
            throw BlectlError(
                .cannotCreateOutput,
                cannot: action,
                "there is no place for the keys: neither HOME nor XDG_STATE_HOME names a folder"
            )
        }
        self.bonds = bonds
        do {
            // A file that cannot be used is an error now, and not when a central has paired.
            if options.wantsBond { try bonds.checkIsWritable() }
            _ = try bonds.bonds()
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: action)
        }
        var adapter = radio.adapter
        do throws(RadioError) {
            adapter.manager = try await context.system.manager(of: adapter)
        } catch {
            throw BlectlError(error, doing: action).about(adapter: adapter.name)
        }
        if let manager = adapter.manager {
            throw BlectlError(
                .configurationError,
                cannot: action,
                "\(manager) manages \(adapter.name): it answers the centrals that pair, and keeps the keys",
                hint: "\(remedy), and let its own agent answer; or end that program"
            )
        }
        self.adapter = adapter
        data = try await Self.data(in: options.centralFiles, context)
        output = try await context.creating(options.outOfBandOutput, isPrivate: true)
    }

    private static func data(
        in files: [String],
        _ context: CommandContext
    ) async throws -> [DeviceAddress: OutOfBandData.Pair] {
        var data: [DeviceAddress: OutOfBandData.Pair] = [:]
        for path in files {
            func refusal(_ reason: String) -> BlectlError {
                BlectlError(.badData, cannot: "use the out-of-band data in \(path)", reason)
            }
            let (pair, central) = try await context.reading(path) { try OutOfBandFile.read(path) }
            guard let central else { throw refusal("it has no address, so that its central is not known") }
            guard data.updateValue(pair, forKey: central) == nil else {
                throw refusal("another file has data of \(central.address), too")
            }
        }
        return data
    }

    /// Prepares the adapter, and pairs until `body` has ended.
    ///
    /// - Parameters:
    ///   - keyboard: The keyboard of a person; `nil` if there is none.
    ///   - onKeys: Called with a central, by the address that it has on its link, when a key has come, and when the
    ///     pairing is complete (`true`).
    ///   - body: Serves; it calls its argument with each connection of a central.
    func run(
        _ keyboard: TerminalKeyboard?,
        onKeys: @escaping @Sendable (DeviceAddress, Bool) async -> Void,
        _ body: (@escaping @Sendable (CentralConnection) -> Void) async throws -> Void
    ) async throws {
        try await context.withManager(of: adapter, doing: "serve with pairing") { manager in
            try await run(manager, keyboard, onKeys, body)
        }
    }

    private func run(
        _ manager: AdapterManager,
        _ keyboard: TerminalKeyboard?,
        _ onKeys: @escaping @Sendable (DeviceAddress, Bool) async -> Void,
        _ body: (@escaping @Sendable (CentralConnection) -> Void) async throws -> Void
    ) async throws {
        let capability = options.capability(isInteractive: keyboard != nil)
        let wish = PairingSetup.Wish(
            capability: capability,
            isBondable: options.wantsBond,
            secureConnections: options.secureConnections
        )
        let setup = PairingSetup(manager, on: ManagementIndex(adapter.index))
        try await context.prepare(setup, wish, radio, bonds, "serve with pairing on \(adapter.name)")
        try await withCleanup {
            try await run(setup, manager, capability, keyboard, onKeys, body)
        } cleanup: {
            _ = try? await context.scope.shielded { await setup.restore(after: wish) }
        }
    }

    /// Pairs on the prepared adapter until `body` has ended.
    private func run(
        _ setup: PairingSetup,
        _ manager: AdapterManager,
        _ capability: IOCapability,
        _ keyboard: TerminalKeyboard?,
        _ onKeys: @escaping @Sendable (DeviceAddress, Bool) async -> Void,
        _ body: (@escaping @Sendable (CentralConnection) -> Void) async throws -> Void
    ) async throws {
        // Before centrals come, because pairing computes with the address that the kernel takes for the advertised one.
        // To the end, because the adapter advertises meanwhile.
        _ = try await context.scope.shielded { await setup.settleAdvertisedAddress() }
        // After the preparation: data from before the adapter was switched off are not valid any more.
        if let output {
            let action = "read the out-of-band data of \(adapter.name)"
            try await setup.writeOutOfBandData(of: adapter, to: output, doing: action)
        }
        let observer = SecurityObserver(radio, scope: context.scope)
        defer { observer?.close() }
        let responder = PairingResponder(
            manager,
            on: ManagementIndex(adapter.index),
            wantsBond: options.wantsBond,
            timeout: options.isTimeGiven ? context.options.timeout : Self.usualTime,
            displayTime: options.isTimeGiven ? .zero : Self.usualTime,
            observing: observer,
            scope: context.scope,
            time: context.time
        )
        let task = context.scope.spawnCancellable { [self] in
            await responder.run { central in
                var dialog = PairingDialog(
                    device: reference(central),
                    options: options,
                    keyboard: keyboard,
                    time: context.time
                ) { [output = context.output] in try? await output.emit($0) }
                // Consent alone proves nothing: any central could pair in place of a bonded one, or of one that has to
                // prove itself by its data.
                dialog.refusesConsent = isBonded(central) || data[central] != nil
                return AbandonablePairingDialog(dialog: dialog) { await onKeys(central, false) }
            } report: { central, result in
                await report(central, result, setup, onKeys)
            }
        }
        try await withCleanup {
            try await give(setup)
            try await body { [asks, known] connection in
                guard let central = connection.central else { return }
                if let link = connection.link { responder.connected(central, over: link) }
                guard asks, known.identity(of: central) == nil else { return }
                responder.ask(central, capability: capability)
            }
        } cleanup: {
            _ = try? await context.scope.shielded {
                await responder.finish()
                task.cancel()
                // Only then: the kernel can remove nothing less than the data of all devices, also those of other
                // programs.
                if !data.isEmpty { await setup.withdrawOutOfBandData() }
            }
        }
    }

    /// Gives the kernel the out-of-band data of centrals.
    private func give(_ setup: PairingSetup) async throws(BlectlError) {
        do throws(RadioError) {
            for (central, pair) in data { try await setup.give(pair, of: central) }
        } catch {
            throw BlectlError(error, doing: "give \(adapter.name) the out-of-band data").about(adapter: adapter.name)
        }
    }

    private func reference(_ central: DeviceAddress) -> DeviceReference { DeviceReference(address: central, name: nil) }

    /// Whether there is a bond with a central. Another program may have removed it meanwhile, so the file counts.
    private func isBonded(_ central: DeviceAddress) -> Bool {
        if let bonds = try? bonds.bonds(of: adapter.bondAddress) { known.replace(with: bonds) }
        return known.identity(of: central) != nil
    }

    /// The message for a central that wants to take the place of one with a bond.
    private func usurpation(by central: DeviceAddress, of identity: DeviceAddress) -> BlectlError {
        BlectlError(
            .protocolError,
            cannot: "pair with \(central.address)",
            "only a pairing with digits, and with no less security, replaces the bond with \(identity.address)",
            hint: "if it has lost its keys: blectl unpair \(identity.address)"
        )
        .about(device: reference(central))
    }

    /// The message for a central that has paired, or would, without the data that were to prove who it is.
    private func unproven(_ central: DeviceAddress) -> BlectlError {
        BlectlError(
            .protocolError,
            cannot: "pair with \(central.address)",
            "the central pairs without Secure Connections, so that its out-of-band data prove nothing",
            hint: "serve without --oob for it, if that is good enough"
        )
        .about(device: reference(central))
    }

    private func report(
        _ central: DeviceAddress,
        _ result: Result<Pairing, PairingError>,
        _ setup: PairingSetup,
        _ onKeys: (DeviceAddress, Bool) async -> Void
    ) async {
        do {
            let pairing: Pairing
            do {
                pairing = try result.get()
            } catch {
                if data[central] != nil, error.problem == .declined { throw unproven(central) }
                // Where there are data of one side, these or digits may have been wrong.
                let hasData = data[central] == nil && output == nil ? false : nil
                let failure = BlectlError(error, doing: "pair with \(central.address)", hasData: hasData)
                    .about(device: reference(central))
                guard error.problem == .declined, let identity = known.identity(of: central) else { throw failure }
                throw failure.with(
                    hint: "there is a bond with it; if it has lost its keys: blectl unpair \(identity.address)"
                )
            }
            if data[central] != nil, pairing.method != .outOfBand {
                _ = try? await context.scope.shielded { try await setup.expel(pairing.device) }
                throw unproven(central)
            }
            let now = context.time.wallClock
            let bond = pairing.bond(of: adapter.bondAddress, name: nil, since: now)
            // Anybody can send the identity address of a bonded central among the keys.
            if isBonded(pairing.device), !known.admits(bond ?? Bond(pairing, of: adapter.bondAddress, since: now)) {
                // The kernel has put the new keys in the place of the old ones, so it gets the old ones again.
                _ = try? await context.scope.shielded { [bonds, adapter] in
                    _ = try? await setup.expel(pairing.device)
                    try await setup.load(try bonds.bonds(of: adapter.bondAddress))
                }
                throw usurpation(by: central, of: pairing.device)
            }
            if let bond {
                do {
                    _ = try await context.scope.shielded { [bonds] in try await bonds.keep(bond) }
                } catch let error as KeyFileFailure {
                    throw BlectlError(error, doing: "keep the keys of \(central.address)")
                }
                known.keep(bond)
            }
            await onKeys(central, true)
            try await context.output.emit(
                PairedResult(
                    device: reference(pairing.device),
                    adapter: adapter.name,
                    pairing: pairing,
                    bond: bond ?? Bond(pairing, of: adapter.bondAddress, since: now),
                    keeper: .init(pairing, manager: nil, in: bonds, wantsBond: options.wantsBond),
                    timestamp: Timestamp(context.time)
                )
            )
        } catch let error as BlectlError {
            try? await context.report(error)
        } catch {
            // The output has failed, which the next record of the command reports.
        }
    }
}

/// A dialog that also signals the arrival of a key.
private struct AbandonablePairingDialog: PairingDelegate {
    let dialog: PairingDialog
    let onKey: @Sendable () async -> Void

    func answer(_ prompt: PairingPrompt) async -> PairingAnswer { await dialog.answer(prompt) }

    func took(_ step: PairingStep) async {
        if case .received = step { await onKey() }
        await dialog.took(step)
    }
}
