// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import CommandLineInterface
package import Records
package import Terminal

/// The dependencies of a command. Commands do not read the environment, the arguments or a terminal themselves.
///
/// A class, because all that a command does holds it: as a structure, its forty references were counted with each copy.
package final class CommandContext: Sendable {
    /// The commands of blectl, for those that run others.
    package let commands: CommandSet
    package let options: GlobalOptions
    /// The adapters: the machine's, or a simulated one.
    package let system: any RadioSystem
    package let time: any TimeSource
    /// The scope of receive loops; it ends after the command.
    package let scope: TaskScope
    /// Standard output, or the receiver of results in its place.
    package let output: Output
    /// Standard error, or the receiver of messages in its place.
    package let diagnostics: Diagnostics
    /// What is kept from one run to the next.
    package let stores: DataStores
    package let process: ProcessResources
    package let simulation: SimulationAccess
    package let runState: RunState
    /// What the script or the shell that runs the command hands to it.
    package let caller: CommandHost
    /// The person whom the command may ask about a pairing, and what counts as its result.
    package let pairing: PairingEnvironment
    /// The sessions of this user; `nil` if there are none, as in virtual time.
    package let sessions: SessionSupport?

    package init(
        commands: CommandSet,
        options: GlobalOptions,
        system: any RadioSystem,
        time: any TimeSource,
        scope: TaskScope,
        output: Output,
        diagnostics: Diagnostics,
        stores: DataStores,
        process: ProcessResources = ProcessResources(),
        simulation: SimulationAccess = SimulationAccess(),
        runState: RunState = RunState(),
        caller: CommandHost = CommandHost(),
        pairing: PairingEnvironment = PairingEnvironment(),
        sessions: SessionSupport? = nil
    ) {
        self.commands = commands
        self.options = options
        self.system = system
        self.time = time
        self.scope = scope
        self.output = output
        self.diagnostics = diagnostics
        self.stores = stores
        self.process = process
        self.simulation = simulation
        self.runState = runState
        self.caller = caller
        self.pairing = pairing
        self.sessions = sessions
    }

    /// The same dependencies but for those that are given.
    package func with(
        options: GlobalOptions? = nil,
        system: (any RadioSystem)? = nil,
        output: Output? = nil,
        diagnostics: Diagnostics? = nil,
        stores: DataStores? = nil,
        process: ProcessResources? = nil,
        runState: RunState? = nil,
        caller: CommandHost? = nil,
        pairing: PairingEnvironment? = nil,
        sessions: SessionSupport? = nil
    ) -> CommandContext {
        CommandContext(
            commands: commands,
            options: options ?? self.options,
            system: system ?? self.system,
            time: time,
            scope: scope,
            output: output ?? self.output,
            diagnostics: diagnostics ?? self.diagnostics,
            stores: stores ?? self.stores,
            process: process ?? self.process,
            simulation: simulation,
            runState: runState ?? self.runState,
            caller: caller ?? self.caller,
            pairing: pairing ?? self.pairing,
            sessions: sessions ?? self.sessions
        )
    }

    /// The same dependencies, on other adapters.
    package func on(_ adapters: AdapterSelection) -> CommandContext {
        var options = options
        options.adapters = adapters
        return with(options: options)
    }

    /// The same dependencies, with the times of a part of the run.
    package func timed(by timing: RunTiming?) -> CommandContext {
        var runState = runState
        runState.timing = timing
        return with(runState: runState)
    }

    /// The same dependencies for a part of the run whose pairings have no record of their own.
    package func withoutPairingRecords() -> CommandContext {
        var pairing = pairing
        pairing.isRecorded = false
        return with(pairing: pairing)
    }

    /// The terminal, if a live screen can be drawn on it: results are text for it, and no trace disturbs it.
    package var screenTerminal: (any LiveTerminal)? {
        output.style.isTerminal && !output.writesRecords && diagnostics.canHold ? process.terminal : nil
    }

    /// Reports a failure after which the command goes on: to a person, and to a program that reads records.
    package func report(_ error: BlectlError) async throws {
        diagnostics.error(error)
        guard output.writesRecords else { return }
        try await output.emit(ErrorResult(error: diagnostics.redacted(error), timestamp: Timestamp(time)))
    }

    /// Runs `body` with the management interface, which it closes afterwards.
    ///
    /// - Parameter action: What cannot be done to the adapter without it.
    package func withManager<Value>(
        of adapter: AdapterDescription,
        doing action: String,
        _ body: (AdapterManager) async throws -> Value
    ) async throws -> Value {
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(system, scope: scope, time: time)
        } catch {
            throw BlectlError(error, doing: action).about(adapter: adapter.name)
        }
        return try await withCleanup {
            try await body(manager)
        } cleanup: {
            await manager.close()
        }
    }

    /// The central on the adapter of `--adapter`, or on the first usable one. Waits for one that is coming up.
    ///
    /// - Parameter isForLinks: Whether links will be made. They need Low Energy, which is switched on if it is off.
    package func central(isForLinks: Bool = true) async throws -> Central {
        guard !options.adapters.isSeveral else {
            let name = options.adapters.names.first ?? "hci0"
            throw BlectlError(.usage, "one adapter is needed, and several are given", hint: "name one: -i \(name)")
        }
        return try await central(named: options.adapter, isForLinks: isForLinks)
    }

    /// The central on the adapter with that name, or on the first usable one.
    package func central(named name: String?, isForLinks: Bool) async throws(BlectlError) -> Central {
        do throws(RadioError) {
            return try await Central.open(
                on: system,
                named: name,
                adapterTimeout: options.adapterTimeout,
                isForLinks: isForLinks,
                scope: scope
            ) { [diagnostics] note in
                switch note {
                case .waiting(let problem):
                    diagnostics.note("waiting for an adapter: \(problem.reason)")
                case .switchedOnLowEnergy(let name):
                    diagnostics.note("Low Energy was off on \(name), and is switched on now")
                }
            }
        } catch {
            throw BlectlError(error, doing: "use Bluetooth")
        }
    }
}
