// SPDX-License-Identifier: GPL-2.0-or-later

/// How long each of several values is waited for, and when a device is taken to have gone.
///
/// One value that never comes must not keep the others from being read, and a device that answers nothing any more must not
/// take longer to be noticed than `--timeout`. So a value that others follow has half of that, and the second silence in a
/// row is the end: on a new link, a device that is there would have answered.
struct SilenceTracker {
    private let timeout: Duration
    /// How many values did not come.
    private(set) var silenceCount = 0
    /// How many of them since the last answer.
    private var silencesInARow = 0

    init(timeout: Duration) { self.timeout = timeout }

    /// Whether the device is taken to have gone.
    var isDeviceGone: Bool { silencesInARow >= 2 }

    /// How long the next value is waited for.
    func timeLimit(isLast: Bool) -> Duration {
        isLast && silencesInARow == 0 ? timeout : timeout / 2
    }

    /// The device has answered, if only by an error.
    mutating func recordAnswer() { silencesInARow = 0 }

    /// A value did not come in time.
    mutating func recordSilence() {
        silenceCount += 1
        silencesInARow += 1
    }
}
