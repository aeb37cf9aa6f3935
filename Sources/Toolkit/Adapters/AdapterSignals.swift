// SPDX-License-Identifier: GPL-2.0-or-later

/// The signal strength of one device at several adapters.
package struct AdapterSignals: Sendable, Equatable {

    package init() {}
    /// The number of reports over which the mean is taken, so that a device that moves is heard best where it is now.
    private static let memory = 8

    private struct Signal: Equatable {
        var mean: Double
        var count: Int
    }

    /// An adapter has an entry without a signal if its controller knows no strength.
    private var signals: [String: Signal?] = [:]

    package mutating func received(_ rssi: Int8?, by adapter: String) {
        guard let rssi else {
            if signals[adapter] == nil { signals[adapter] = .some(nil) }
            return
        }
        guard case .some(var signal?) = signals[adapter] else {
            signals[adapter] = Signal(mean: Double(rssi), count: 1)
            return
        }
        signal.count = min(signal.count + 1, Self.memory)
        // A running mean: it needs no list of reports, and after the first eight the older ones fade.
        signal.mean += (Double(rssi) - signal.mean) / Double(signal.count)
        signals[adapter] = signal
    }

    package func contains(_ adapter: String) -> Bool { signals[adapter] != nil }

    /// The mean strength at an adapter in dBm; `nil` if it is unknown.
    package func strength(at adapter: String) -> Double? { signals[adapter]??.mean }

    /// The adapter with the strongest signal; `nil` if none receives the device.
    package var best: String? {
        signals.keys.max { left, right in
            let (first, second) = (strength(at: left) ?? -.infinity, strength(at: right) ?? -.infinity)
            // Of equal ones, the one with the lower number: hci2 before hci10.
            return first != second ? first < second : (left.utf8.count, left) > (right.utf8.count, right)
        }
    }
}
