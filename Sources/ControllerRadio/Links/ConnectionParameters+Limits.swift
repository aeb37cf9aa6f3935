// SPDX-License-Identifier: MIT

import Bluetooth

extension LEConnectionParameters {
    /// What this host asks for: an interval of 30 ms to 50 ms and a supervision timeout of 420 ms, as Linux does.
    static let preferred = LEConnectionParameters(
        minimumInterval: LEInterval(rawValue: 0x0018),
        maximumInterval: LEInterval(rawValue: 0x0028),
        supervisionTimeout: LEInterval(rawValue: 0x002A)
    )

    /// Whether a link could have them: all are in their ranges, and the timeout leaves room for the events that the
    /// peripheral may skip.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.18
    var arePossible: Bool {
        guard minimumInterval <= maximumInterval, minimumInterval.rawValue >= 0x0006,
            maximumInterval.rawValue <= 0x0C80, (0x000A...0x0C80).contains(supervisionTimeout.rawValue),
            latency <= 499
        else { return false }
        return supervisionTimeout.duration > maximumInterval.duration * 2 * (1 + Int(latency))
    }
}
