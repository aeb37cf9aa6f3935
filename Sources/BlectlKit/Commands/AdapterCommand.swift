// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl adapter`: switches an adapter and shows its settings.
struct AdapterCommand {
    let options: AdapterOptions
    let context: CommandContext

    init(_ options: AdapterOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    func run() async throws {
        let adapter = try await chosenAdapter()
        switch options {
        case .show: break
        case .power(let setting):
            try await perform("power \(setting.rawValue)", [SetPowered(setting == .on)], on: adapter)
        case .lowEnergy(let setting):
            try await perform("le \(setting.rawValue)", [SetLowEnergy(setting == .on)], on: adapter)
        case .reset: try await perform("reset", [SetPowered(false), SetPowered(true)], on: adapter)
        }
        let survey = AdapterSurvey(context.system, scope: context.scope, time: context.time)
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
            guard let adapter = name == nil ? adapters.first : adapters.first(where: { $0.name == name }) else {
                throw RadioError(name.map { .adapterNotFound($0) } ?? .noAdapter, during: name ?? "Bluetooth")
            }
            return adapter
        } catch {
            throw BlectlError(error, doing: "use an adapter")
        }
    }

    private func perform(
        _ words: String,
        _ commands: [any ManagementSwitchCommand],
        on adapter: AdapterDescription
    ) async throws {
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(context.system, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "switch \(adapter.name)")
        }
        var failure: RadioError?
        for command in commands where failure == nil {
            do throws(RadioError) {
                try await manager.perform(command, on: ManagementIndex(adapter.index))
            } catch {
                failure = error
            }
        }
        await manager.close()
        guard let failure else { return }
        let described = BlectlError(failure, doing: "switch \(adapter.name) (\(words))").about(adapter: adapter.name)
        guard described.status == .permissionDenied else { throw described }
        let line = AdapterSpec.commandLine(words, adapter: adapter.name)
        throw described.with(hint: line)
    }
}
