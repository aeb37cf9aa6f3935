// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The history of an advertiser in the live scan beyond `AdvertiserInfo`: its signal, its rhythm, and its last packets.
struct AdvertiserTrack: Sendable {
    /// The number of times between advertisements from which the interval is estimated.
    private static let gapCount = 24

    private(set) var signal: SignalLevel?
    /// The signal strength at each of several adapters; empty if there is only one.
    private(set) var adapters = AdapterSignals()
    /// The last advertisement that is not a scan response.
    private(set) var advertisement: ScanReport?
    /// The last scan response.
    private(set) var scanResponse: ScanReport?
    /// The adapter whose reports give the rhythm, if there are several, so that each advertisement counts once.
    private var rhythmAdapter: String?
    private var gaps: [Duration] = []
    private var nextGap = 0

    /// Takes a report. Scan responses do not count for the rhythm, because they follow advertisements and have no
    /// interval of their own.
    ///
    /// - Parameter adapter: The adapter that has heard it; `nil` if there is only one.
    mutating func received(_ report: ScanReport, by adapter: String? = nil) {
        if let adapter { adapters.received(report.report.rssi, by: adapter) }
        // With several adapters, the strength is that of the best one.
        if let rssi = report.report.rssi, adapter == nil || adapter == adapters.best {
            if signal == nil {
                signal = SignalLevel(rssi, report.instant)
            } else {
                signal?.received(rssi, report.instant)
            }
        }
        guard !report.report.properties.contains(.scanResponse) else {
            scanResponse = report
            return
        }
        guard adapter == nil || rhythmAdapter == nil || adapter == rhythmAdapter else { return }
        rhythmAdapter = adapter
        if let advertisement {
            let gap = report.instant - advertisement.instant
            // Reports that were read together have the same time.
            if gap > .milliseconds(5) {
                if gaps.count < Self.gapCount { gaps.append(gap) } else { gaps[nextGap] = gap }
                nextGap = (nextGap + 1) % Self.gapCount
            }
        }
        advertisement = report
    }

    /// The advertising interval; `nil` until it can be estimated.
    ///
    /// Advertisements are missed, so that most times between two are multiples of the interval, and each is up to 10 ms
    /// longer by design (Core 5.4, Vol 6, Part B, 4.4.2.2.1). The lower quartile is near the truth in both cases.
    var interval: Duration? {
        guard gaps.count >= 4 else { return nil }
        return gaps.sorted()[gaps.count / 4]
    }
}
