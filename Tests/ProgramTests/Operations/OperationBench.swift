// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@testable import Terminal
@testable import Toolkit

/// Takes the results and the remarks of operations, as a script does: no command line, no output stream.
final class OperationLog: ResultSink, NoteSink {
    private let taken = Mutex<[OperationResult]>([])
    private let remarks = Mutex<[String]>([])
    private let names = Mutex<[String]>([])

    var results: [OperationResult] { taken.withLock { $0 } }
    var notes: [String] { remarks.withLock { $0 } }
    /// The names that redacted messages do not show.
    var concealed: [String] { names.withLock { $0 } }

    /// The octets of all values, in hexadecimal.
    var values: [String] {
        results.compactMap { if case .value(let result) = $0 { Hex.string(result.presentation.bytes) } else { nil } }
    }

    func emit(_ result: OperationResult) async throws { taken.withLock { $0.append(result) } }
    func note(_ text: String) { remarks.withLock { $0.append(text) } }
    func detail(_ text: String) {}
    func remark(_ text: String) {}
    func progress(_ text: String) {}
    func clearProgress() {}
    func conceal(_ name: String?) { if let name { names.withLock { $0.append(name) } } }
}

/// A device of the simulated world, and what operations on it report.
struct OperationBench: Sendable {
    let provider: OneTimeConnection
    let context: OperationContext
    let log: OperationLog
    let radio: any Radio

    /// Runs a test in virtual time, in the built-in world or with other devices.
    static func run(
        _ selector: DeviceSelector,
        among devices: [SimulatedDevice]? = nil,
        through radio: @escaping @Sendable (any Radio) -> any Radio = { $0 },
        _ body: @escaping @Sendable (OperationBench) async throws -> Void
    ) throws {
        let time = VirtualTime()
        try time.run { () async throws -> Void in
            try await withTaskScope { scope in
                let world = try devices.map { SimulatedWorld(devices: $0) } ?? .builtIn()
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                try await body(OperationBench(selector, radio(try system.radio(named: nil)), time, scope))
            }
        }
    }

    private init(_ selector: DeviceSelector, _ radio: any Radio, _ time: VirtualTime, _ scope: TaskScope) {
        let log = OperationLog()
        let timeout = Duration.seconds(10)
        let central = Central(radio, scope: scope, time: time)
        var options = ConnectionOptions()
        options.security = SecurityPolicy(raisesOnDemand: true)
        self.log = log
        self.radio = radio
        context = OperationContext(time: time, scope: scope, timeout: timeout, results: log, notes: log)
        provider = OneTimeConnection(
            finder: DeviceFinder(
                selector: selector,
                mustBeOnlyOne: false,
                central: central,
                timeout: timeout,
                state: nil,
                databases: nil,
                notes: log
            ),
            connector: DeviceConnector(
                central: central,
                options: options,
                givenAddressType: nil,
                timeout: timeout,
                databases: nil,
                notes: log,
                malformedUpdates: MalformedUpdates(log)
            ),
            state: nil,
            time: time
        )
    }
}
