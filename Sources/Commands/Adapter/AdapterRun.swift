// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// `blectl adapter`: switches an adapter and shows its settings.
///
/// It takes an adapter in any state, where other commands insist on a usable one: an adapter that is switched
/// off is the usual reason to call it.
struct AdapterRun {
    let options: AdapterOptions
    let context: CommandContext

    /// Switches first and surveys afterwards, so that the result shows the kernel's report and not the request.
    func run() async throws {
        // Not `context.central()`, which waits for an adapter that is up.
        let adapter = try await chosenAdapter()
        switch options {
        case .show: break
        case .power(let setting):
            try await perform("power \(setting.rawValue)", [SetPowered(setting == .on)], on: adapter)
        case .lowEnergy(let setting):
            try await perform("le \(setting.rawValue)", [SetLowEnergy(setting == .on)], on: adapter)
        // A power cycle, because no management command resets an adapter.
        case .reset:
            try await perform("reset", [SetPowered(false), SetPowered(true)], on: adapter, resetsController: true)
        }
        let survey = AdapterSurvey(context.system, scope: context.scope, time: context.time)
        // An adapter that is plugged in by USB can vanish when it is switched.
        guard let now = try await survey.adapters().first(where: { $0.index == adapter.index }) else {
            throw BlectlError(RadioError(.adapterRemoved, during: adapter.name), doing: "show \(adapter.name)")
        }
        try await context.output.emit(AdapterResult(adapter: now, timestamp: Timestamp(context.time)))
    }

    /// The adapter of `--adapter`, or the first one, in any state.
    private func chosenAdapter() async throws -> AdapterDescription {
        do throws(RadioError) {
            let adapters = try await context.system.adapters()
            let name = context.options.adapter
            let chosen = if let name { adapters.first(where: { $0.isMeant(by: name) }) } else { adapters.first }
            guard let adapter = chosen else {
                throw RadioError(name.map { .adapterNotFound($0) } ?? .noAdapter, during: name ?? "Bluetooth")
            }
            return adapter
        } catch {
            throw BlectlError(error, doing: "use an adapter")
        }
    }

    /// Sends management commands one after the other, and stops at the first that fails.
    ///
    /// - Parameters:
    ///   - words: The action as it is typed after `blectl adapter`, for the message and for the hint.
    ///   - commands: The commands, in the order in which the kernel needs them.
    ///   - resetsController: Whether to reset the controller if the kernel is busy, and to try again.
    private func perform(
        _ words: String,
        _ commands: [any ManagementSwitchCommand],
        on adapter: AdapterDescription,
        resetsController: Bool = false
    ) async throws {
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(context.system, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "switch \(adapter.name)")
        }
        // Thrown only after the management socket is closed.
        var failure: RadioError?
        for command in commands where failure == nil {
            do throws(RadioError) {
                try await perform(command, on: adapter, by: manager, resetsController: resetsController)
            } catch {
                failure = error
            }
        }
        await manager.close()
        guard let failure else { return }
        let described = BlectlError(failure, doing: "switch \(adapter.name) (\(words))").about(adapter: adapter.name)
        if failure.cause == .unsupported, ControllerPlace(adapter.name) != nil {
            throw described.with(hint: "a command, or 'blectl radio serve', resets it when it begins")
        }
        if failure.cause == .managementRejected(.rejected), case .lowEnergy(.off) = options {
            throw described.adding("; without Basic Rate an adapter has nothing but Low Energy")
                .with(hint: AdapterHint.commandLine("power off", adapter: adapter.name))
        }
        // Only a missing capability is remedied by the same command with `sudo`.
        guard described.status == .permissionDenied else { throw described }
        throw described.with(hint: AdapterHint.commandLine(words, adapter: adapter.name))
    }

    /// Performs one management command, a second time after a reset of the controller if the kernel was busy.
    ///
    /// Linux 6.1 switches an adapter off by HCI commands, among them extended ones. If a program has used legacy
    /// commands, the controller refuses these, and the kernel reports that as "busy".
    private func perform(
        _ command: any ManagementSwitchCommand,
        on adapter: AdapterDescription,
        by manager: AdapterManager,
        resetsController: Bool
    ) async throws(RadioError) {
        do throws(RadioError) {
            try await manager.perform(command, on: ManagementIndex(adapter.index))
        } catch {
            guard resetsController, error.cause == .managementRejected(.busy) else { throw error }
            try await resetController(of: adapter)
            try await manager.perform(command, on: ManagementIndex(adapter.index))
        }
    }

    /// Resets the controller by an HCI command. The kernel sets it up again when it switches the adapter on.
    private func resetController(of adapter: AdapterDescription) async throws(RadioError) {
        let radio = try context.system.radio(named: adapter.name)
        let controller = try HCIController.open(radio, scope: context.scope, time: context.time)
        _ = try await withCleanup { () async throws(RadioError) in
            try await controller.perform(HCIReset())
        } cleanup: {
            await controller.close()
        }
    }
}
