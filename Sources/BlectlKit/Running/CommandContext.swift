// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// All that a command may use. No command reads the environment, the arguments or a terminal by itself.
public struct CommandContext: Sendable {
    /// The options that every command accepts.
    public let options: GlobalOptions
    /// The adapters: the machine's, or a simulated one.
    public let system: any RadioSystem
    /// The clock behind every deadline.
    public let time: any TimeSource
    /// Where receive loops live; it ends after the command.
    public let scope: TaskScope
    /// Standard output.
    public let output: Output
    /// Standard error.
    public let diagnostics: Diagnostics
    /// The terminal's size in columns and rows.
    public let terminalSize: @Sendable () -> (columns: Int, rows: Int)
    /// Where devices are remembered, and leases are held; `nil`: nowhere.
    public let state: StateFolder?
    /// Where databases of devices are kept; `nil`: nowhere.
    public let databases: (any DatabaseStore)?
    /// Runs what may block, on a thread of its own; `nil`: there is none, and nothing else that could be held up.
    public let blocking: BlockingRunner?
    /// The devices that `serve` can be.
    public let devices: @Sendable () -> [DeviceDefinition]

    /// Puts it together.
    public init(
        options: GlobalOptions,
        system: any RadioSystem,
        time: any TimeSource,
        scope: TaskScope,
        output: Output,
        diagnostics: Diagnostics,
        terminalSize: @escaping @Sendable () -> (columns: Int, rows: Int),
        state: StateFolder?,
        databases: (any DatabaseStore)? = nil,
        blocking: BlockingRunner? = nil,
        devices: @escaping @Sendable () -> [DeviceDefinition] = { [] }
    ) {
        self.options = options
        self.system = system
        self.time = time
        self.scope = scope
        self.output = output
        self.diagnostics = diagnostics
        self.terminalSize = terminalSize
        self.state = state
        self.databases = databases
        self.blocking = blocking
        self.devices = devices
    }

    /// The adapter that was asked for, or the first usable one. One that comes up is waited for.
    ///
    /// - Parameter isForLinks: Whether there are to be links: then Low Energy is switched on where it is off.
    func radio(isForLinks: Bool = true) async throws -> any Radio {
        let readiness = AdapterReadiness(system, scope: scope, time: time) { [diagnostics] note in
            switch note {
            case .waiting(let problem):
                diagnostics.note("waiting for an adapter: \(BlectlError.reason(problem))")
            case .switchedOnLowEnergy(let name):
                diagnostics.note("Low Energy was off on \(name), and is switched on now")
            }
        }
        do throws(RadioError) {
            return try await readiness.radio(
                named: options.adapter,
                patience: options.adapterPatience,
                isForLinks: isForLinks
            )
        } catch {
            throw BlectlError(error, doing: "use Bluetooth")
        }
    }
}
