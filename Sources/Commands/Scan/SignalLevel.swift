// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal

/// The signal strength of an advertiser over time, in dBm.
///
/// A receiver measures several decibels more or less from one packet to the next, because each is sent on another
/// channel. The level shown is therefore smoothed, and the level by which devices are sorted follows it in steps.
struct SignalLevel: Sendable, Equatable {
    /// After this time a change of the strength is shown by half.
    private static let halfTime = Duration.seconds(2)
    /// The change of the smoothed level that moves a device in the order. Devices that are equally far away keep their
    /// places.
    private static let step = 4.0
    /// The number of seconds in the history.
    static let historyLength = 120

    private(set) var smoothed: Double
    /// The level by which the device is sorted.
    private(set) var rank: Double
    private(set) var least: Int8
    private(set) var greatest: Int8
    /// The mean of each second up to the last report, `nil` for one without reports.
    private(set) var history: [Double?] = []

    private var last: Instant
    private var count = 1
    private var second: (number: Int64, sum: Double, count: Int)

    static func == (left: Self, right: Self) -> Bool {
        left.smoothed == right.smoothed && left.rank == right.rank && left.last == right.last
    }

    init(_ rssi: Int8, _ now: Instant) {
        (smoothed, rank) = (Double(rssi), Double(rssi))
        (least, greatest) = (rssi, rssi)
        last = now
        second = (Self.second(now), Double(rssi), 1)
        history = [Double(rssi)]
    }

    private static func second(_ instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000_000 }

    mutating func received(_ rssi: Int8, _ now: Instant) {
        let value = Double(rssi)
        // A first-order filter. The weight of a report depends on the time since the one before it, and not on how many
        // a device sends.
        let passed = max(0, (now - last) / Self.halfTime)
        // The first reports count alike, so that one of them alone does not decide for seconds.
        count += 1
        smoothed += (value - smoothed) * max(passed / (1 + passed), count <= 10 ? 1 / Double(count) : 0)
        if abs(smoothed - rank) >= Self.step { rank = smoothed }
        least = min(least, rssi)
        greatest = max(greatest, rssi)
        // Reports of several adapters come in batches, and not in the order of their times.
        last = max(last, now)
        record(value, Self.second(now))
    }

    /// Adds a value to the curve, which has the mean of each second. Seconds without a report leave a gap.
    private mutating func record(_ value: Double, _ number: Int64) {
        if number > second.number {
            let silent = Int(min(number - second.number - 1, Int64(Self.historyLength)))
            history += Array(repeating: nil, count: silent)
            history.append(value)
            if history.count > Self.historyLength { history.removeFirst(history.count - Self.historyLength) }
            second = (number, value, 1)
        } else {
            second.sum += value
            second.count += 1
            history[history.count - 1] = second.sum / Double(second.count)
        }
    }

    /// The share of a full bar: nothing at -100 dBm, all of it at -40 dBm.
    var share: Double { (smoothed + 100) / 60 }

    func attribute(_ style: TextStyle) -> TextStyle.Attribute {
        switch smoothed {
        case (-58)...: .green
        case (-68)...: style.hasManyColors ? .lime : .green
        case (-78)...: .yellow
        case (-88)...: style.hasManyColors ? .orange : .yellow
        default: .red
        }
    }
}
