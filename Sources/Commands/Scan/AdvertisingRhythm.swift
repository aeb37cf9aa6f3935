// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The advertising interval of a device, estimated from the times at which its advertisements were heard.
struct AdvertisingRhythm: Sendable {
    /// The number of times between advertisements from which the interval is estimated.
    private static let gapCount = 24

    /// The adapter whose reports count, if there are several, so that each advertisement counts once.
    private var adapter: String?
    private var last: Instant?
    private var gaps: [Duration] = []
    private var nextGap = 0

    /// Takes a report. Scan responses do not count, because they follow advertisements and have no interval of their
    /// own.
    ///
    /// - Parameter adapter: The adapter that has heard it; `nil` if there is only one.
    mutating func received(_ report: ScanReport, by adapter: String?) {
        guard !report.report.properties.contains(.scanResponse) else { return }
        guard adapter == nil || self.adapter == nil || adapter == self.adapter else { return }
        self.adapter = adapter
        defer { last = report.instant }
        guard let last else { return }
        let gap = report.instant - last
        // Reports that were read together have the same time.
        guard gap > .milliseconds(5) else { return }
        if gaps.count < Self.gapCount { gaps.append(gap) } else { gaps[nextGap] = gap }
        nextGap = (nextGap + 1) % Self.gapCount
    }

    /// The interval; `nil` unless so many times between two advertisements are known, which is at least one.
    ///
    /// Advertisements are missed, so that most times between two are multiples of the interval, and each is up to 10 ms
    /// longer by design (Core 5.4, Vol 6, Part B, 4.4.2.2.1). The lower quartile is near the truth in both cases.
    func interval(fromGaps least: Int) -> Duration? {
        guard gaps.count >= max(1, least) else { return nil }
        return gaps.sorted()[gaps.count / 4]
    }
}
