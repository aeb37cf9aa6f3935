// SPDX-License-Identifier: GPL-2.0-or-later

/// How long a device is waited for that is asked for several values, one after the other.
///
/// One value that never comes must not keep the others from being read, and a device that answers nothing any more must not
/// take longer to be found out than `--timeout`: so a value behind which there are others has half of that. On a new link, a
/// device that is there would answer the second.
struct Patience {
    private let timeout: Duration
    /// How many values were asked for in vain.
    private(set) var silences = 0
    /// How many of them since the last answer.
    private var silencesInARow = 0

    init(timeout: Duration) { self.timeout = timeout }

    /// Whether there is no use in asking for more.
    var isOver: Bool { silencesInARow >= 2 }

    /// How long the next value is waited for.
    func limit(isLast: Bool) -> Duration {
        isLast && silencesInARow == 0 ? timeout : timeout / 2
    }

    /// The device has answered, be it by an error.
    mutating func answered() { silencesInARow = 0 }

    /// A value did not come.
    mutating func waitedInVain() {
        silences += 1
        silencesInARow += 1
    }
}
