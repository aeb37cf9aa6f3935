// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import Synchronization
package import Terminal

/// A progress line that is drawn four times in a second at most, however often its owner has something new.
///
/// No timer and no task belongs to it: between two drawings a call costs the comparison of two moments, and a simulated
/// world can come to rest.
package final class PacedProgress: Sendable {
    /// The least time between two drawings.
    package static let period = Duration.milliseconds(250)

    private let notes: any NoteSink
    /// The moment from which the next text is drawn; `nil` before the first one.
    private let due = Mutex<Instant?>(nil)

    /// Creates a line that is drawn where remarks go.
    package init(_ notes: any NoteSink) { self.notes = notes }

    /// Draws the text, unless another one was drawn a short time before `now`.
    package func show(at now: Instant, _ text: () -> String) {
        let isDue = due.withLock { due in
            if let moment = due, now < moment { return false }
            due = now + Self.period
            return true
        }
        if isDue { notes.progress(text()) }
    }

    /// Removes the line before results are printed.
    package func end() { notes.clearProgress() }
}
