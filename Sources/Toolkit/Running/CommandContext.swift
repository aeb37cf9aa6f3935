// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import CommandLineInterface
package import Records
package import Terminal

/// The dependencies of a command. Commands do not read the environment, the arguments or a terminal themselves.
package struct CommandContext: Sendable {
    /// The commands of blectl, for those that run others.
    package let commands: CommandSet
    package var options: GlobalOptions
    /// The adapters: the machine's, or a simulated one.
    package var system: any RadioSystem
    package let time: any TimeSource
    /// The scope of receive loops; it ends after the command.
    package let scope: TaskScope
    /// Standard output, or the receiver of results in its place.
    package var output: Output
    /// Standard error, or the receiver of messages in its place.
    package var diagnostics: Diagnostics
    /// What is kept from one run to the next.
    package var stores: DataStores
    /// What the process and its machine have for the command.
    package var process: ProcessResources
    /// The simulated devices and worlds.
    package let simulation: SimulationResources
    /// What belongs to this run.
    package var runState: RunState
    /// What the script or the shell that runs the command hands to it.
    package var caller = CommandHost()
    /// The person whom the command may ask about a pairing, and what counts as its result.
    package var pairing: PairingEnvironment
    /// The sessions of this user; `nil` if there are none, as in virtual time.
    package var sessions: SessionSupport?

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
        simulation: SimulationResources = SimulationResources(),
        runState: RunState = RunState(),
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
        self.pairing = pairing
        self.sessions = sessions
    }

    /// Lets a command in the foreground of a shell ask questions at the shell's terminal.
    package mutating func ask(at shell: ShellTerminal) {
        pairing.keyboard = TerminalKeyboard(diagnostics) { await shell.answer(to: $0) }
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
