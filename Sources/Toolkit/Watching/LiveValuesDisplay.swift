// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Records
import Terminal

/// An observation that is shown live: its name and its limits.
package struct LiveObservation: Sendable {
    package let subject: String
    package let limits: StopLimits
    package let thing: CountedThing

    package init(subject: String, limits: StopLimits, thing: CountedThing) {
        self.subject = subject
        self.limits = limits
        self.thing = thing
    }
}

/// Shows the values of an observation on a terminal, with charts and statistics, and leaves them there at the end.
final class LiveValuesDisplay: ResultSink {
    /// Takes the report at the end.
    private let output: Output
    /// Takes the errors of single targets.
    private let diagnostics: Diagnostics
    /// The screen, which is drawn from two tasks.
    private let screen: LiveScreen<LiveValues>
    private let time: any TimeSource
    /// The distance of the local time from UTC, in seconds, at a moment.
    private let zone: @Sendable (WallTime) -> Int
    /// The columns of the terminal at present; a window may be resized.
    private let columns: @Sendable () -> Int
    /// Finishes with the first value.
    private let began: AsyncStream<Never>
    /// Ends `began`.
    private let beginning: AsyncStream<Never>.Continuation
    /// Counts the values for the limits.
    private let tally = Tally()

    /// Prepares the display. Nothing is drawn before the first value, so that messages of the connection stay
    /// readable.
    init(
        _ subject: String,
        on terminal: any LiveTerminal,
        output: Output,
        notes: Diagnostics,
        time: any TimeSource,
        zone: @escaping @Sendable (WallTime) -> Int
    ) {
        self.output = output
        self.time = time
        self.zone = zone
        diagnostics = notes
        (began, beginning) = AsyncStream<Never>.makeStream()
        columns = { terminal.size.lineColumns }
        screen = LiveScreen(
            LiveValues(subject: subject, hasKeys: terminal.hasKeys),
            on: terminal,
            style: output.style,
            notes: notes,
            time: time
        )
    }

    package var count: Int { tally.count }

    /// Observes while the user looks on. A key may end the observation, which is then cancelled and cleans up. Returns
    /// which of the two it was.
    package func show(_ observe: @escaping @Sendable () async throws -> Void) async throws -> RunEnding {
        try await withCleanup {
            try await withThrowingTaskGroup(of: RunEnding.self) { [screen, time, began] group in
                group.addTask {
                    try await observe()
                    return .complete
                }
                group.addTask {
                    // Nothing is drawn before the first value, because a search and a connection have lines of their
                    // own, and because a single value needs no screen.
                    for await _ in began {}
                    try await time.sleep(for: .milliseconds(400))
                    try await screen.run(every: .milliseconds(500)) { screen.with { $0.ticked(time.now) } }
                    return .quit
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .complete
            }
        } cleanup: {
            // A failure shows when the values are written.
            try? screen.close()
        }
    }

    package func end() throws {
        let lines = screen.with { $0.report(output.style, columns: columns()) }
        guard !lines.isEmpty else { return }
        try output.put(lines.joined(separator: "\n"))
    }

    /// Shows a value, an interruption or an error. Other results belong to commands that are not shown live, and are
    /// ignored.
    package func emit(_ result: OperationResult) async throws {
        switch result {
        case .measurement(let result):
            receive(result.presentation, result.attribute, result.label, result.timestamp)
        case .value(let result):
            receive(
                result.presentation,
                result.attribute,
                result.isLabelled ? result.attribute.target : nil,
                result.timestamp
            )
        case .interruption(let result):
            screen.with { $0.interrupted(result, local: result.timestamp.wall.localClock(zone)) }
        case .failed(let result): diagnostics.error(result.error)
        case .device, .other: break
        }
        // A value that arrives while the terminal is slow is drawn with the next tick.
        try screen.drawSometimes()
    }

    /// Takes a value: ends the wait for the first one, counts it, and changes the view.
    private func receive(
        _ presentation: ValuePresentation,
        _ attribute: AttributeReference,
        _ label: String?,
        _ timestamp: Timestamp
    ) {
        beginning.finish()
        tally.add()
        let local = timestamp.wall.localClock(zone)
        screen.with {
            $0.received(presentation, from: attribute.device, label: label, at: timestamp.monotonic, local: local)
        }
    }
}
