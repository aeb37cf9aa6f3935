// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import Records
package import Terminal

extension CommandContext {
    /// Runs an operation on the device of the command line, and shows its results.
    ///
    /// - Parameters:
    ///   - isRaw: Whether only the octets of values go to standard output (`--as raw`).
    ///   - observation: The name of the observation, if the results are values to watch on a terminal.
    ///   - file: The file for a chart of the values; `nil` for none.
    package func run(
        _ operation: some DeviceOperation,
        on device: DeviceOptions,
        isRaw: Bool = false,
        watching observation: LiveObservation? = nil,
        drawing file: ChartFile? = nil
    ) async throws {
        // Only observations over time have a chart.
        guard let file, let observation else {
            return try await run(operation, on: device, isRaw: isRaw, observation, nil)
        }
        let chart = ValueChart(observation.subject)
        try await file.draw(chart, self) {
            try await run(operation, on: device, isRaw: isRaw, observation, chart)
        }
    }

    /// Chooses between the live display of a terminal and plain results, and runs the operation on one of them.
    private func run(
        _ operation: some DeviceOperation,
        on device: DeviceOptions,
        isRaw: Bool,
        _ observation: LiveObservation?,
        _ chart: ValueChart?
    ) async throws {
        // The chart sees each result before the sink that shows it.
        func charted(_ sink: any ResultSink) -> any ResultSink {
            chart.map { ChartedSink(chart: $0, next: sink) } ?? sink
        }
        guard let observation, !isRaw, let terminal = screenTerminal else {
            let presenter = ResultPresenter(output: output, diagnostics: diagnostics, isRaw: isRaw)
            // The live display names the device itself.
            let isNamed = output.writesRecords || operation.namesDevice
            var pairing = pairing
            // A program that reads records cannot wait for a person.
            if pairing.mayAsk, !output.writesRecords, !operation.readsInput {
                pairing.person = PromptedPerson(diagnostics)
            }
            return try await with(pairing: pairing).run(operation, on: device, announcing: !isNamed, charted(presenter))
        }
        // The live display reads the keyboard, so that a question could not be answered.
        let display = LiveValuesDisplay(
            observation.subject,
            on: terminal,
            output: output,
            notes: diagnostics,
            time: time,
            zone: process.zone
        )
        let ending: RunEnding
        do {
            let sink = charted(display)
            ending = try await display.show { try await self.run(operation, on: device, announcing: false, sink) }
        } catch {
            // The values that came before the error remain.
            try display.end()
            throw error
        }
        try display.end()
        // The operation itself reports every other ending.
        guard ending == .quit else { return }
        let failure = observation.limits.failure(after: ending, reached: display.count, of: observation.thing)
        // `q` does not make up for an unmet --count.
        if let failure { throw failure }
    }

    /// Runs an operation on the held device, or else on the one that the options select.
    ///
    /// - Parameter announces: Whether to announce the found device to a person at a terminal.
    private func run(
        _ operation: some DeviceOperation,
        on device: DeviceOptions,
        announcing announces: Bool,
        _ results: any ResultSink
    ) async throws {
        if let held = caller.held {
            try await changeLink(of: held, device.connection)
            return try await run(operation, with: held, results)
        }
        var provider = try await connection(for: device)
        provider.announcesDevice = announces
        try await run(operation, with: provider, results)
    }

    /// Changes the link that is held already, as the options of the command want it.
    private func changeLink(of held: HeldConnection, _ wanted: ConnectionOptions) async throws {
        // A one-time connection applies the request when it connects. A held connection may have been made
        // without it.
        guard wanted.link != nil || !wanted.bearers.isUsual else { return }
        try await held.withDevice { device in
            let connector = LinkPreparation(timeout: options.timeout, notes: diagnostics)
            if let request = wanted.link { try await connector.change(device, to: request) }
            if !wanted.bearers.isUsual { try await connector.fulfil(wanted.bearers, on: device) }
        }
    }

    package func run(
        _ operation: some DeviceOperation,
        with provider: some DeviceProvider,
        _ results: any ResultSink
    ) async throws {
        let operationContext = OperationContext(
            time: time,
            scope: scope,
            timeout: options.timeout,
            results: results,
            notes: diagnostics,
            onReady: caller.onReady,
            pauses: pairing.person?.pauses,
            deadline: runState.deadline?.moment,
            isRedacted: diagnostics.isRedacted
        )
        try await provider.withDevice { try await operation.perform(on: $0, in: operationContext) }
    }
}

extension OneTimeConnection {
    package init(_ options: DeviceOptions, on central: Central, _ context: CommandContext) {
        finder = DeviceFinder(
            selector: options.selector,
            mustBeOnlyOne: options.mustBeOnlyOne,
            central: central,
            timeout: context.options.timeout,
            state: context.stores.state,
            databases: context.stores.databases,
            notes: context.diagnostics,
            bonds: context.knownBonds(of: central.radio.adapter),
            privacy: context.runState.privacy,
            timing: context.runState.timing
        )
        finder.isInBuiltInWorld = context.options.isSimulated && context.options.simulatedWorlds.isEmpty
        formats = context.options.formats
        connector = DeviceConnector(
            central: central,
            options: options.connection,
            // A wire to one device has no addresses to be mistaken about.
            givenAddressType: central.radio.onlyPeer == nil ? options.selector?.addressType : nil,
            timeout: context.options.timeout,
            databases: context.stores.databases,
            notes: context.diagnostics,
            malformedUpdates: MalformedUpdates(context.diagnostics),
            bonds: context.stores.bonds.map {
                KernelBonds(
                    store: $0,
                    system: context.system,
                    scope: context.scope,
                    time: context.time,
                    notes: context.diagnostics
                )
            },
            guarded: { [radio = central.radio] device, kernel in
                DeviceLinkGuard(device: device, radio: radio, kernel: kernel, context: context)
            },
            timing: context.runState.timing,
            timedLinks: context.runState.timedLinks
        )
        state = context.stores.state
        time = context.time
        used = context.runState.deadline?.devices
    }
}

/// Renders the results of operations on standard output, and failed targets on standard error.
package struct ResultPresenter: ResultSink {
    package let output: Output
    package let diagnostics: Diagnostics
    /// Whether only the octets of values go to standard output.
    package let isRaw: Bool

    package init(output: Output, diagnostics: Diagnostics, isRaw: Bool) {
        self.output = output
        self.diagnostics = diagnostics
        self.isRaw = isRaw
    }

    package func emit(_ result: OperationResult) async throws {
        switch result {
        case .value(let result): try await output.emit(result)
        case .measurement(let result): try await output.emit(result)
        case .other(let result): try await output.emit(result)
        case .device(let device):
            // In JSON each record names the device.
            guard !output.writesRecords else { break }
            try await output.write(output.style.paint(device.text, .bold))
        case .interruption(let result):
            if isRaw, !output.writesRecords {
                diagnostics.note(result.words)
            } else {
                try await output.emit(result)
            }
        case .failed(let result):
            diagnostics.error(result.error)
            guard output.writesRecords else { break }
            let shown = diagnostics.redacted(result.error)
            try await output.emit(ErrorResult(error: shown, timestamp: result.timestamp))
        }
    }
}
