// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// All that a command may use: nothing of it reads the environment, the arguments or a terminal by itself.
public struct CommandContext: Sendable {
    /// What was typed.
    public let arguments: ParsedArguments
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
        arguments: ParsedArguments,
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
        self.arguments = arguments
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

    /// How long one operation may take (`--timeout`).
    var timeout: Duration { arguments[GlobalSpec.timeout] }

    /// The moment at which an operation that starts now is given up.
    var operationDeadline: Instant { time.now + timeout }

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
                named: arguments[GlobalSpec.adapter],
                patience: arguments[GlobalSpec.waitAdapter],
                isForLinks: isForLinks
            )
        } catch {
            throw BlectlError(error, doing: "use Bluetooth")
        }
    }

    /// Runs an operation that has to be done within `--timeout`, or another limit.
    func withTimeout<Value: Sendable>(
        _ operation: String,
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withDeadline(time.now + (limit ?? timeout), time, operation: operation, body)
    }
}
