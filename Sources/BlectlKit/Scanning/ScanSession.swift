// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A scan of a command: passes reports through the table and the filter to the display, until enough were shown.
///
/// It alone decides which devices and reports count, so that every display stops at the same one.
actor ScanSession {
    /// The number of events that were dropped before they were read.
    final class Drops: Sendable {
        private let total = Mutex(0)

        var count: Int { total.withLock { $0 } }

        func add(_ number: Int) { total.withLock { $0 += number } }
    }

    nonisolated let dropped = Drops()
    /// The devices or reports that were shown.
    nonisolated let tally = Tally()

    private let filter: ScanFilter
    private let display: any ScanDisplay
    private let limits: StopLimits
    private let isActive: Bool
    private var identities: BondedIdentities
    private var table = AdvertiserTable()
    private var reports = 0
    /// The devices that were found, for a display of devices.
    private var found = RecentSet<DeviceAddress>(limit: 32_768)

    /// - Parameters:
    ///   - isActive: Whether scannable devices are asked for their scan responses.
    ///   - identities: The bonded devices.
    init(
        filter: ScanFilter,
        display: any ScanDisplay,
        limits: StopLimits,
        isActive: Bool,
        identities: BondedIdentities = BondedIdentities()
    ) {
        self.identities = identities
        self.filter = filter
        self.display = display
        self.limits = limits
        self.isActive = isActive
    }

    var summary: (reports: Int, devices: Int, forgotten: Int) {
        (reports, table.count + table.evictedCount, table.evictedCount)
    }

    var connectableDevices: [AdvertiserInfo] { table.advertisers.filter(\.isConnectable) }

    /// Takes reports, until the count is reached. The filter looks at the accumulated data, because a device may
    /// spread them over several reports.
    func add(_ new: [ScanReport]) throws -> ScanProgress {
        for report in new {
            let report = identities.resolved(report)
            reports += 1
            let info = table.received(report.report, report.data, now: report.instant)
            guard filter.accepts(info) else { continue }
            let isShown = try display.show(report, info)
            if display.counted == .device {
                if isDescribed(info) { try find(info) }
            } else if isShown {
                tally.add()
            }
            if limits.isReached(tally) { return .stop }
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

    /// Shows the devices that were held back, as many as there is room for.
    func end() throws {
        guard display.counted == .device else { return try display.end(visible) }
        for device in visible.sorted(by: .seen) where !limits.isReached(tally) { try find(device) }
        // With a count, those that were heard and did not count any more are left out.
        try display.end(limits.count == nil ? visible : visible.filter { found.contains($0.address) })
    }

    /// Whether the scan response of a device has come, which may contain its name. A device that does not respond to the
    /// first request is described by its second report.
    private func isDescribed(_ device: AdvertiserInfo) -> Bool {
        !isActive || !device.isScannable || device.hasScanResponse || device.reportCount > 1
    }

    private func find(_ device: AdvertiserInfo) throws {
        guard found.insert(device.address) else { return }
        try display.show(device)
        tally.add()
    }

    private var visible: [AdvertiserInfo] { table.advertisers.filter(filter.accepts) }
}
