// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl serve`: serves a device to centrals, until enough connections have ended, the time is up, or it is
/// interrupted.
struct ServeRun {
    let options: ServeOptions
    let context: CommandContext

    /// Serves the device. Everything that the user can get wrong is checked before the first advertisement.
    func run() async throws {
        let device = try hooked(try faulty(try await chosenDevice()))
        var onQuestion: DeviceRunner.QuestionHandler?
        if let runner = try hookRunner {
            onQuestion = { question, central in await runner.answer(question, from: central) }
        }
        let radio = try await context.central().radio
        // A wire to one device needs no advertising.
        guard !device.advertising.isEmpty || radio.onlyPeer != nil else {
            throw BlectlError(
                .badData,
                cannot: "serve \(device.name) on \(radio.adapter.name)",
                "it has no advertising, so no central can find it"
            )
        }
        let known = ServedBonds(context.knownBonds(of: radio.adapter))
        let configuration = try configuration(of: device, on: radio, known)
        // With pairing, the preparation of the adapter gives the kernel these keys.
        if options.pairing == nil, !known.isEmpty { await loadBonds(for: radio.adapter) }
        let keyboard = try keyboard()
        var pairings: ServedPairings?
        if let pairing = options.pairing {
            pairings = try await ServedPairings(pairing, asks: options.asksToPair, known: known, on: radio, context)
        }
        let host = PeripheralHost(
            device,
            radio: radio,
            scope: context.scope,
            time: context.time,
            configuration: configuration,
            onQuestion: onQuestion
        )
        let log = ServeLog(device: device, radio: radio, context: context, limits: options.limits)
        let action = "serve \(device.advertisedName ?? device.name) on \(radio.adapter.name)"
        try await withCleanup {
            do {
                if let pairings {
                    try await pairings.run(keyboard) { central, isKept in
                        // Now that there are keys, the link is encrypted.
                        await host.examine(central, reports: isKept)
                    } _: {
                        try await serve(host, log, action, onCentral: $0)
                    }
                } else {
                    try await serve(host, log, action)
                }
            } catch let error as RadioError {
                throw BlectlError(error, doing: action)
            }
        } cleanup: {
            // A fault that was never triggered often means a mistake in its description.
            for fault in await host.unmetFaults() {
                context.diagnostics.note(FaultAssignment.remark(unmet: fault.description))
            }
            guard host.droppedCount > 0 else { return }
            context.diagnostics.note(
                "\(count: host.droppedCount, "event") dropped, because more came than could be written"
            )
        }
    }

    private func configuration(
        of device: DeviceImage,
        on radio: any Radio,
        _ known: ServedBonds
    ) throws -> PeripheralHost.Configuration {
        var configuration = PeripheralHost.Configuration(
            maximumCentrals: options.maximumCentrals ?? device.maximumConnections ?? ServeCommand.usualCentrals,
            waits: options.waitsForOthers
        )
        configuration.privacy = try context.advertisedPrivacy(on: radio.adapter)
        // Bonds, signatures and memories belong to identities, which the other end of a wire lacks.
        guard radio.onlyPeer == nil else { return configuration }
        configuration.signatures = context.stores.bonds.map { BondSignatures($0, of: radio.adapter.bondAddress) }
        configuration.bonds = known
        configuration.keepsBonds = options.pairing?.wantsBond ?? false
        configuration.memories = context.stores.bonds.map { PersistedClients($0, of: radio.adapter.bondAddress) }
        return configuration
    }

    /// Gives the kernel the keys with which centrals that were paired with before encrypt the link.
    private func loadBonds(for adapter: AdapterDescription) async {
        guard let bonds = context.stores.bonds else { return }
        await KernelBonds(
            store: bonds,
            system: context.system,
            scope: context.scope,
            time: context.time,
            notes: context.diagnostics
        ).load(for: adapter)
    }

    /// The terminal at which pairings ask; `nil` without pairing, or without a terminal if no question needs one.
    private func keyboard() throws -> TerminalKeyboard? {
        guard let pairing = options.pairing else { return nil }
        if let keyboard = TerminalKeyboard(context.diagnostics) { return keyboard }
        // A question without an answer would time out in the middle of a pairing.
        guard let missing = pairing.missingAnswer else { return nil }
        throw BlectlError(
            .usage,
            cannot: "serve with pairing",
            "a pairing may need an answer, and there is no terminal to ask for it",
            hint: "give \(missing)"
        )
    }

    /// Serves until a limit is reached, and reports the ending.
    ///
    /// - Parameter onCentral: Called with each connection of a central, for the pairings.
    private func serve(
        _ host: PeripheralHost,
        _ log: ServeLog,
        _ action: String,
        onCentral: @escaping @Sendable (CentralConnection) -> Void = { _ in }
    ) async throws {
        let diagnostics = context.diagnostics
        let onWait: @Sendable (RadioError) -> Void = { error in
            diagnostics.note("waiting to \(action): \(error.reason)")
        }
        let limits = options.limits
        let ending = try await limits.run(context.time, since: context.time.now, log.tally) {
            try await host.serve(onWait: onWait) { event in
                if case .connected(let connection) = event { onCentral(connection) }
                return try await log.take(event)
            }
        }
        if let failure = limits.failure(after: ending, reached: log.tally.count, of: .connection) { throw failure }
        if let remark = ending.remark { diagnostics.note(remark) }
    }

    private func faulty(_ device: DeviceImage) throws -> DeviceImage {
        do throws(UsageError) {
            var device = device
            device.faults += try FaultAssignment(
                context.options.faults,
                to: [device],
                of: .serve,
                formats: context.options.formats
            ).rules(ofDevice: 0)
            return device
        } catch {
            // The error contains the name of the device, and the name that the fault has for it.
            context.diagnostics.conceal(device.advertisedName ?? device.name)
            for fault in context.options.faults { context.diagnostics.conceal(fault.device) }
            throw BlectlError(error.exitStatus, error.message, hint: error.hint)
        }
    }

    // MARK: - Hooks

    private func hooked(_ device: DeviceImage) throws -> DeviceImage {
        var hooks = DeviceHooks()
        let isFile = options.device.looksLikeFile
        for hook in options.hooks.hooks {
            // A program for a missing characteristic would silently never run.
            guard !DeviceHooks.handles(of: hook.place, in: device.database).isEmpty else {
                throw BlectlError(
                    .notFound,
                    cannot: "serve \(device.name) with a program for \(hook.text)",
                    "it has no such characteristic",
                    hint: "what it has: blectl device show \(Prose.word(isFile ? options.device : device.name))"
                )
            }
            hooks.operations[hook.place, default: []].formUnion(hook.operations)
        }
        return device.hooked(hooks)
    }

    /// Runs the programs of hooks; `nil` if there are none.
    private var hookRunner: HookRunner? {
        get throws {
            guard !options.hooks.hooks.isEmpty else { return nil }
            let hooks = options.hooks
            return HookRunner(hooks, try ExecRunner(context, timeout: hooks.timeout, doing: "serve with --exec"))
        }
    }

    /// The device of that file, of that name, or the one that advertises it.
    private func chosenDevice() async throws -> DeviceImage {
        let text = options.device
        if text.looksLikeFile {
            let definition = try await context.reading(text) { try DeviceFiles.device(text) }
            do throws(DeviceDefinitionError) {
                // The user chooses the seed, so that a device with random values can repeat itself.
                return try definition.image(random: SeededGenerator(seed: context.options.simulationSeed))
            } catch {
                throw BlectlError(.badData, cannot: "serve \(text)", "\(error)")
            }
        }
        let devices = context.simulation.devices()
        // An exact label wins over an advertised name, which several devices may share.
        if let device = devices.first(where: { $0.name == text })
            ?? devices.first(where: { DeviceIdentifier.isSameName($0.advertisedName ?? "", text) })
        {
            return device
        }
        let labels = devices.map(\.name)
        let near = Suggestion.name(closestTo: text, among: labels + devices.compactMap(\.advertisedName))
        let known =
            context.options.simulatedWorlds.isEmpty
            ? "the devices of blectl: blectl device list" : "there are \(Prose.list(labels, "and"))"
        throw BlectlError(
            .notFound,
            "there is no device '\(text)' to serve" + (near.map { "; did you mean '\($0)'?" } ?? ""),
            hint: "\(known); the name of a device file has a slash or ends with .json"
        )
    }
}

/// Prints the events of a served device, and counts the connections that have ended.
private actor ServeLog {
    private let device: DeviceImage
    private let radio: any Radio
    private let context: CommandContext
    private let limits: StopLimits
    private var reference: DeviceReference
    private var requests: [Int: Int] = [:]
    private var isServing = false
    private var isStopping = false

    /// The connections that have ended without blectl closing them.
    nonisolated let tally = Tally()

    init(device: DeviceImage, radio: any Radio, context: CommandContext, limits: StopLimits) {
        self.device = device
        self.radio = radio
        self.context = context
        self.limits = limits
        reference = DeviceReference(serving: device, on: radio)
    }

    /// Prints an event; `.stop` when enough connections have ended.
    func take(_ event: PeripheralEvent) async throws -> ScanProgress {
        let timestamp = Timestamp(context.time)
        tally.recordEvent()
        switch event {
        case .serving(let mode):
            isServing = true
            let result = ServingResult(
                device: device,
                reference: reference,
                adapter: radio.adapter.name,
                mode: mode,
                timestamp: timestamp
            )
            try await context.output.emit(result)
        case .address(let address):
            reference = DeviceReference(address: DeviceAddress(address, .random), name: reference.name)
            // The first one is in the record about the beginning.
            guard isServing else { break }
            try await context.output.emit(
                PrivateAddressResult(device: reference, adapter: radio.adapter.name, timestamp: timestamp)
            )
        case .connected(let connection):
            // Counted from here, so that a connection without requests reports zero.
            requests[connection.number] = 0
            try await context.output.emit(
                ConnectedResult(device: reference, connection: connection, timestamp: timestamp)
            )
        case .secured(let connection):
            try await context.output.emit(
                SecuredResult(device: reference, connection: connection, timestamp: timestamp)
            )
        case .bearer(let connection, let bearer):
            if context.diagnostics.verbosity > 0 {
                let change = bearer.isOpen ? "open, ATT MTU \(bearer.mtu)" : "closed"
                context.diagnostics.note("connection \(connection.number): bearer \(bearer.number) is \(change)")
            }
            try await context.output.emit(
                BearerResult(device: reference, connection: connection, bearer: bearer, timestamp: timestamp)
            )
        case .disconnected(let connection, let mtu, let reason):
            let result = DisconnectedResult(
                device: reference,
                connection: connection,
                mtu: mtu,
                requests: requests.removeValue(forKey: connection.number) ?? 0,
                reason: reason,
                timestamp: timestamp
            )
            try await context.output.emit(result)
            // A connection that blectl closes at its end is reported, but not counted.
            if !isStopping { tally.add() }
            if limits.isReached(tally) { return .stop }
        case .exchanged(let exchange):
            requests[Int(exchange.client.rawValue), default: 0] += 1
            try await context.output.emit(RequestResult(device: reference, exchange: exchange, timestamp: timestamp))
        case .odd(let connection, let diagnostic):
            // The end of a connection and a forged signature are shown even without `-v`.
            guard context.diagnostics.verbosity > 0 || diagnostic.isOfInterest else { break }
            context.diagnostics.note("connection \(connection): \(diagnostic)")
        case .remark(let text):
            context.diagnostics.note(text)
        case .stopping:
            isStopping = true
        }
        return .goOn
    }
}

extension ATTDiagnostic {
    /// Whether a user wants to know it in any case.
    fileprivate var isOfInterest: Bool {
        switch self {
        case .unconfirmedIndication, .signatureRefused: true
        default: false
        }
    }
}
