// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// The history of an advertiser in the live scan beyond `AdvertiserInfo`: its signal, its rhythm, and its last packets.
struct AdvertiserTrack: Sendable {
    private(set) var signal: SignalLevel?
    /// The signal strength at each of several adapters; empty if there is only one.
    private(set) var adapters = AdapterSignals()
    /// The last advertisement that is not a scan response.
    private(set) var advertisement: ScanReport?
    private(set) var scanResponse: ScanReport?
    private var rhythm = AdvertisingRhythm()

    /// Takes a report.
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
        rhythm.received(report, by: adapter)
        if report.report.properties.contains(.scanResponse) {
            scanResponse = report
        } else {
            advertisement = report
        }
    }

    /// The advertising interval; `nil` until it can be estimated well enough that it does not jump.
    var interval: Duration? { rhythm.interval(fromGaps: 4) }
}
