// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Toolkit

/// The summary of one device in a scan: its accumulated data, and how often, when and how strong it was received.
struct DeviceHistory: Sendable {
    private(set) var info: AdvertiserInfo
    let first: Timestamp
    private(set) var last: Timestamp
    private(set) var reportCount = 0
    /// How strongly each of several adapters has heard it; empty if there is only one.
    private(set) var adapters = AdapterSignals()

    /// The signals at one adapter.
    private struct Strength {
        var range: ClosedRange<Int8>
        var sum = 0
        var count = 0

        mutating func add(_ rssi: Int8) {
            range = min(range.lowerBound, rssi)...max(range.upperBound, rssi)
            sum += Int(rssi)
            count += 1
        }
    }

    /// The signals by adapter; `nil` means the only one.
    private var strengths: [String?: Strength] = [:]
    private var rhythm = AdvertisingRhythm()

    init(_ report: ScanReport, _ info: AdvertiserInfo, by adapter: String? = nil) {
        self.info = info
        first = Timestamp(report)
        last = first
        add(report, info, by: adapter)
    }

    /// Adds a report; `info` is the accumulated data with it.
    ///
    /// - Parameter adapter: The adapter that has heard it; `nil` if there is only one.
    mutating func add(_ report: ScanReport, _ info: AdvertiserInfo, by adapter: String? = nil) {
        if let adapter { adapters.received(report.report.rssi, by: adapter) }
        self.info = info
        last = Timestamp(report)
        reportCount += 1
        if let rssi = report.report.rssi { strengths[adapter, default: Strength(range: rssi...rssi)].add(rssi) }
        rhythm.received(report, by: adapter)
    }

    private var strength: Strength? { strengths[adapters.best] }

    /// The weakest and the strongest signal in dBm, of the best adapter; `nil` if the controller reported none.
    var rssiRange: ClosedRange<Int8>? { strength?.range }

    /// The mean of the signal strength in dBm, rounded.
    var meanRSSI: Int? { strength.map { Int((Double($0.sum) / Double($0.count)).rounded()) } }

    /// The advertising interval in milliseconds; `nil` if fewer than two advertisements were heard. The scan has ended,
    /// so that an estimate from few of them is better than none.
    var interval: Int64? {
        rhythm.interval(fromGaps: 1).map { ($0.clampedNanoseconds + 500_000) / 1_000_000 }
    }
}
