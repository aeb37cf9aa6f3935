// SPDX-License-Identifier: GPL-2.0-or-later

/// The time limits of several reads in a row, and the decision that the device is gone.
///
/// One value that never comes must not keep the others from being read, and a silent device must be noticed within
/// `--timeout`. Therefore a value that is followed by others has half of that time, and two silences in a row end the
/// operation: the second is on a new link, on which a present device would have answered.
package struct SilenceTracker {
    private let timeout: Duration
    /// The number of values that did not come.
    private(set) var silenceCount = 0
    /// The number of them since the last answer.
    private var silencesInARow = 0

    package init(timeout: Duration) { self.timeout = timeout }

    package var isDeviceGone: Bool { silencesInARow >= 2 }

    package func timeLimit(isLast: Bool) -> Duration {
        // The last value may take the whole timeout, unless the device was silent just before.
        isLast && silencesInARow == 0 ? timeout : timeout / 2
    }

    /// Records an answer, which may be an error.
    package mutating func recordAnswer() { silencesInARow = 0 }

    /// Records that a value did not come in time.
    package mutating func recordSilence() {
        silenceCount += 1
        silencesInARow += 1
    }
}
