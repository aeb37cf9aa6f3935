// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
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
    /// The terminal for live screens; `nil` if there is none.
    package var terminal: (any LiveTerminal)?
    /// What the script or the shell that runs the command hands to it.
    package var caller = CommandHost()
    /// What a shell gets of its process; `nil` for every other command.
    package var shell: ShellHost?
    /// The links of the run and their negotiated properties; `nil` if nothing needs them.
    package var timedLinks: TimedLinks?
    /// Counts the times of the command, of the script's step or of the shell's line; `nil` if they are not wanted.
    package var timing: RunTiming?
    /// The end of the time of `--deadline`; `nil` without a limit.
    package var deadline: CommandDeadline?
    /// The last packets, for the report of a script's failure; `nil` if they are not kept.
    package let packets: PacketHistory?
    /// What is kept from one run to the next.
    package var stores: DataStores
    /// The person whom the command may ask about a pairing, and what counts as its result.
    package var pairing = PairingEnvironment()
    /// The private addresses of a command with `--privacy`; `nil` for the adapter's own address.
    package var privacy: PrivateAddresses?
    /// The sessions of this user; `nil` if there are none, as in virtual time.
    package var sessions: SessionSupport?
    /// The seconds by which local time is ahead of UTC at a moment.
    package let zone: @Sendable (WallTime) -> Int
    /// Runs functions that may block on threads of their own; `nil` in virtual time, which runs on one thread.
    package let blocking: BlockingRunner?
    /// The variables of the process as `NAME=value`, for the programs that it starts.
    package let variables: @Sendable () -> [String]
    /// The devices that `serve` can be.
    package let devices: @Sendable () -> [DeviceImage]
    /// The simulated worlds that processes share; `nil` if there are none.
    package let worlds: (any SharedWorlds)?
    /// Returns the names that the files of simulated devices declare; none on the air. The stored data of simulated
    /// devices has no names, because scans of them are not remembered.
    ///
    /// Called only when a command needs them, because it asks the process that keeps a shared world alive.
    package var declaredNames: @Sendable () async -> [DeviceAddress: String] = { [:] }
    /// The machine of the adapters; `nil` if it cannot be looked at.
    package var machine: (any InspectedMachine)?

    package init(
        commands: CommandSet,
        options: GlobalOptions,
        system: any RadioSystem,
        time: any TimeSource,
        scope: TaskScope,
        output: Output,
        diagnostics: Diagnostics,
        terminal: ControllingTerminal? = nil,
        zone: @escaping @Sendable (WallTime) -> Int = { _ in 0 },
        stores: DataStores,
        blocking: BlockingRunner? = nil,
        variables: @escaping @Sendable () -> [String] = { [] },
        devices: @escaping @Sendable () -> [DeviceImage] = { [] },
        worlds: (any SharedWorlds)? = nil,
        packets: PacketHistory? = nil,
        shell: ShellHost? = nil
    ) {
        self.commands = commands
        self.options = options
        self.system = system
        self.time = time
        self.scope = scope
        self.output = output
        self.diagnostics = diagnostics
        self.terminal = terminal
        self.zone = zone
        self.stores = stores
        self.blocking = blocking
        self.variables = variables
        self.devices = devices
        self.worlds = worlds
        self.packets = packets
        self.shell = shell
    }

    /// Lets a command in the foreground of a shell ask questions at the shell's terminal.
    package mutating func ask(at shell: ShellTerminal) {
        pairing.keyboard = TerminalKeyboard(diagnostics) { await shell.answer(to: $0) }
    }

    /// The terminal, if a live screen can be drawn on it: results are text for it, and no trace disturbs it.
    package var screenTerminal: (any LiveTerminal)? {
        output.style.isTerminal && !output.writesRecords && diagnostics.canHold ? terminal : nil
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
