// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// Runs a test in virtual time, with a scope for background work.
///
/// If nothing can happen any more, the test is cancelled and fails, instead of hanging.
func inVirtualTime<Value: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (VirtualTime, TaskScope) async throws -> Value
) throws -> Value {
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let time = VirtualTime { now in
        guard let cancel = cancel.withLock({ $0.take() }) else {
            preconditionFailure("stalled, and not to be cancelled")
        }
        Issue.record("at \(now) nothing was left that could happen", sourceLocation: sourceLocation)
        cancel()
    }
    return try time.run { function in
        cancel.withLock { $0 = function }
    } _: { () async throws -> Value in
        try await withTaskScope { scope in try await body(time, scope) }
    }
}

/// The result of an asynchronous operation as text, a value or an error, with its time.
struct Outcome: Hashable, Sendable, CustomStringConvertible {
    let text: String
    let instant: Instant

    var milliseconds: Int64 { instant.nanoseconds / 1_000_000 }
    var description: String { "\(text) at \(milliseconds) ms" }
}

/// An operation that runs beside the test. It can be cancelled, and asked for its result later.
final class Running: Sendable {
    private final class Report: Sendable {
        let outcome = Mutex<Outcome?>(nil)
    }

    private let report: Report
    private let task: ScopedTask

    init<Value: Sendable>(
        _ scope: TaskScope,
        _ time: VirtualTime,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        let report = Report()
        task = scope.spawnCancellable {
            let text: String
            do {
                text = "\(try await body())"
            } catch {
                text = Self.name(of: error)
            }
            report.outcome.withLock { $0 = Outcome(text: text, instant: time.now) }
        }
        self.report = report
    }

    func cancel() { task.cancel() }

    /// The outcome; `nil` while the operation runs.
    var outcome: Outcome? { report.outcome.withLock { $0 } }

    /// An error as short text, for comparison.
    static func name(of error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as DeadlineExceeded: "late: \(error.operation)"
        case let error as RadioError: "radio: \(error.cause)"
        case let error as ConnectFailure: "connect: \(error.error.cause) after \(error.attempts)"
        case let error as ATTFailure: "att: \(error)"
        case let error as GATTError: "gatt: \(error)"
        default: "\(error)"
        }
    }
}

extension Instant {
    var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
