// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A scan of a command: passes reports through the table and the filter to the display, until enough were shown.
actor ScanSession {
    /// The number of events that were dropped before they were read.
    final class Drops: Sendable {
        private let total = Mutex(0)

        var count: Int { total.withLock { $0 } }

        func add(_ number: Int) { total.withLock { $0 += number } }
    }

    nonisolated let dropped = Drops()

    private let filter: ScanFilter
    private let display: any ScanDisplay
    private let limit: Int?
    private var table = AdvertiserTable()
    private var reports = 0
    private var shown = 0

    init(filter: ScanFilter, display: any ScanDisplay, limit: Int?) {
        self.filter = filter
        self.display = display
        self.limit = limit
    }

    var summary: (reports: Int, devices: Int, forgotten: Int) {
        (reports, table.count + table.evictedCount, table.evictedCount)
    }

    var connectableDevices: [AdvertiserInfo] { table.advertisers.filter(\.isConnectable) }

    func add(_ new: [ScanReport]) throws -> ScanProgress {
        for report in new {
            reports += 1
            let info = table.received(report.report, report.data, now: report.instant)
            guard filter.accepts(info) else { continue }
            if try display.show(report, info) { shown += 1 }
            if let limit, shown >= limit { return .stop }
        }
        return .goOn
    }

    /// The devices that pass the filter, and the figures of the scan.
    ///
    /// - Parameter dropped: The number of reports that were dropped.
    func present(now: Instant, dropped: Int) -> (devices: [AdvertiserInfo], status: ScanStatus) {
        let summary = summary
        return (visible, ScanStatus(now: now, reports: summary.reports, devices: summary.devices, dropped: dropped))
    }

    /// Shows the devices that the display has held back.
    func end() throws {
        try display.end(visible, room: limit.map { max(0, $0 - shown) })
    }

    private var visible: [AdvertiserInfo] { table.advertisers.filter(filter.accepts) }
}
