// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Terminal
import Toolkit

/// Shows how far a measurement has come: `read: 40 of 100`, or `read: 12 s of 60 s`.
final class BenchProgress: Sendable {
    private let options: BenchOptions
    private let tally: Tally
    private let line: PacedProgress
    private let start = Mutex<Instant?>(nil)

    /// - Parameters:
    ///   - options: The limits and the action.
    ///   - tally: Counts the operations.
    ///   - notes: Where the progress is shown.
    init(_ options: BenchOptions, _ tally: Tally, _ notes: any NoteSink) {
        self.options = options
        self.tally = tally
        line = PacedProgress(notes)
    }

    /// Shows the line; the time counts from here.
    func begin(at now: Instant) {
        start.withLock { $0 = now }
        show(at: now)
    }

    /// Shows the present number or time, if it is time for another drawing. It waits for nothing, because operations
    /// that are measured wait for it.
    func show(at now: Instant) {
        line.show(at: now) {
            let begin = start.withLock { $0 }
            return options.progress(tally.count, after: now - (begin ?? now))
        }
    }

    func end() { line.end() }
}

extension BenchOptions {
    /// How far a measurement has come, in words.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the first of them began.
    func progress(_ reached: Int, after elapsed: Duration) -> String {
        var parts: [String] = []
        if let count = limits.count { parts.append("\(reached) of \(count)") }
        if let duration = limits.duration {
            parts.append("\(min(elapsed, duration).components.seconds) s of \(duration.text)")
        }
        return "\(word): \(parts.joined(separator: ", "))"
    }
}
