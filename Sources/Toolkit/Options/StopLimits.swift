// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
package import CommandLineInterface
import Synchronization
import Terminal

/// The limits at which an endless command stops: `--count` and `--duration`.
package struct StopLimits: Sendable, Equatable {
    /// The number of things that are wanted, at least 1; `nil` for no limit.
    package var count: Int?
    /// The time, from a moment that the command defines; `nil` for no limit.
    package var duration: Duration?
    /// Whether `--deadline` ends the whole command, with a separate error.
    var hasDeadline = false

    package init(count: Int? = nil, duration: Duration? = nil, hasDeadline: Bool = false) {
        self.count = count
        self.duration = duration
        self.hasDeadline = hasDeadline
    }
}

extension StopLimits {
    package init(_ arguments: ParsedArguments, count: Option<Int?>, duration: Option<Duration?>) {
        self.init(
            count: arguments[count],
            duration: arguments[duration],
            hasDeadline: arguments[GlobalSpec.deadline] != nil
        )
    }
}

extension Option where Value == Int? {
    /// `--count`, the number of things after which a command stops.
    package static func count(_ summary: String, details: String = "Fewer are status 1.") -> Self {
        Self(value: "count", short: "n", .integer("NUMBER", in: 1...Int.max), summary: summary, details: details)
    }
}

extension Option where Value == Duration? {
    /// `--duration`, the time after which a command stops.
    package static func duration(_ summary: String = "stop after this time", details: String = "") -> Self {
        Self(value: "duration", .duration, summary: summary, details: details)
    }
}

/// Why an endless command has stopped, unless an error or a signal has ended it.
package enum RunEnding: Sendable, Equatable {
    /// The count was reached, or there was nothing left to wait for.
    case complete
    /// The user has ended it with a key.
    case quit
    /// The time of `--duration` has passed.
    case timeIsUp(Duration)
    /// Simulated time: nothing is due any more.
    case worldAtRest
    /// Simulated time: for this time nothing has happened that the command waits for.
    case nothingCame(Duration)
}

/// The things that `--count` counts.
package enum CountedThing: String, Sendable {
    case device, report, value, frame, measurement, event, connection, unit

    /// The participle for the counted things: `received` or `found`, for example.
    fileprivate var participle: String {
        switch self {
        case .device: "found"
        case .report: "heard"
        case .value, .frame, .measurement, .event, .unit: "received"
        case .connection: "ended"
        }
    }
}

// The one rule of how a run with limits ends. `Concept.limits` explains it to users.
//
// | ended by                        | without --count, or reached | --count not reached |
// |---------------------------------|-----------------------------|---------------------|
// | --count                         | 0                           | -                   |
// | --duration                      | 0                           | 1                   |
// | the end of the simulated world  | 0, and a remark             | 1                   |
// | --deadline                      | 124                         | 124                 |
// | an error                        | that of the error           | that of the error   |
extension StopLimits {
    /// The failure of a run with too few results; `nil` if it has all requested results.
    package func failure(after ending: RunEnding, reached: Int, of thing: CountedThing, from source: String? = nil)
        -> BlectlError?
    {
        guard let count, reached < count else { return nil }
        let what =
            "\(reached) of \(count: count, thing.rawValue) \(thing.participle)" + (source.map { " from \($0)" } ?? "")
        switch ending {
        case .complete:
            return BlectlError(.expectationFailed, what)
        case .quit:
            return BlectlError(.expectationFailed, "\(what): the user ended the run")
        case .timeIsUp(let duration):
            return BlectlError(
                .expectationFailed,
                "\(what): --duration ended the run after \(duration.text)",
                hint: "a longer --duration allows more time"
            )
        case .worldAtRest, .nothingCame:
            return BlectlError(.expectationFailed, "\(what): \(ending.remark ?? "")")
        }
    }

    /// How many of the wanted results had come when an error ended a run; `nil` if all had, if the user has ended it, or
    /// if nobody reads the results.
    ///
    /// - Parameters:
    ///   - deadline: When the time of `--deadline` is over; `nil` without a limit.
    ///   - reached: The number of results.
    ///   - thing: The kind of result.
    ///   - source: The device of the results, in words.
    package func shortfall(
        endedBy error: any Error,
        deadline: Instant?,
        now: Instant,
        reached: Int,
        of thing: CountedThing,
        from source: String? = nil
    ) -> String? {
        guard !(error is OutputFailure) else { return nil }
        // A cancellation at the deadline comes from it, and any other from the user.
        if Task.isCancelled || error is CancellationError {
            guard let deadline, now >= deadline else { return nil }
        }
        return failure(after: .complete, reached: reached, of: thing, from: source)?.message
    }
}

extension RunEnding {
    /// Why the simulated world has ended the run; `nil` if it has not.
    package var remark: String? {
        switch self {
        case .complete, .quit, .timeIsUp: nil
        case .worldAtRest: "nothing more can happen in the simulated world"
        case .nothingCame(let time): "nothing came in \(time.components.seconds / 60) minutes of simulated time"
        }
    }
}

extension StopLimits {
    package var isEndless: Bool { count == nil && duration == nil }
}

/// The number of results of a run so far, and the number of all events that show that it makes progress.
package final class Tally: Sendable {
    private let numbers: Mutex<(things: Int, events: Int)>

    package init(_ count: Int = 0) { numbers = Mutex((count, 0)) }

    /// The number of things that count for `--count`.
    package var count: Int { numbers.withLock { $0.things } }

    /// The number of events, counted for `--count` or not: while it grows, a run continues.
    package var eventCount: Int { numbers.withLock { $0.events } }

    package func add(_ number: Int = 1) {
        numbers.withLock { numbers in
            numbers.things += number
            numbers.events += 1
        }
    }

    package func recordEvent() { numbers.withLock { $0.events += 1 } }
}
