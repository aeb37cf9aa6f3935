// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Toolkit

/// A scan of a command: passes reports through the table and the filter to the display, until enough were shown.
///
/// It alone decides which devices and reports count, so that every display stops at the same one.
actor ScanSession {
    /// One of the adapters that listen.
    struct Source: Hashable, Sendable {
        /// Its number among them.
        var index = 0
        /// Its name, if several listen.
        var name: String?
    }

    /// The number of events that were dropped or malformed before they were read.
    final class Losses: Sendable {
        private let state = Mutex((dropped: 0, malformed: 0, scans: [Scan](), hasBegun: false))

        var dropped: Int {
            state.withLock { $0.scans.reduce($0.dropped) { $0 + $1.droppedCount } }
        }

        var malformed: Int { state.withLock { $0.malformed } }

        var hasBegun: Bool { state.withLock { $0.hasBegun } }

        /// Runs `body` while a scan runs, whose dropped events count.
        func following<Value>(_ scan: Scan, _ body: () async throws -> Value) async rethrows -> Value {
            state.withLock { $0.scans.append(scan) }
            defer {
                state.withLock { state in
                    state.scans.removeAll { $0 === scan }
                    state.dropped += scan.droppedCount
                }
            }
            return try await body()
        }

        func begin() { state.withLock { $0.hasBegun = true } }

        func add(malformed number: Int) { state.withLock { $0.malformed += number } }
    }

    nonisolated let losses = Losses()
    /// The devices or reports that were shown.
    nonisolated let tally = Tally()

    private let filter: ScanFilter
    private let display: any ScanDisplay
    private let limits: StopLimits
    private let isActive: Bool
    private let adapterCount: Int
    private var identities: [Int: BondedIdentities] = [:]
    /// The keys of devices, with the last counters that each adapter has heard: one hears a packet before another does.
    private var decryptors: [Int: AdvertisingDecryptor] = [:]
    private let keys: AdvertisingKeys
    private var table = AdvertiserTable()
    private var reports = 0
    /// The devices that were found, for a display of devices.
    private var found = RecentSet<DeviceAddress>(limit: 32_768)

    /// - Parameters:
    ///   - isActive: Whether scannable devices are asked for their scan responses.
    ///   - adapterCount: The number of adapters that listen.
    ///   - keys: The keys of devices that encrypt what they send.
    init(
        filter: ScanFilter,
        display: any ScanDisplay,
        limits: StopLimits,
        isActive: Bool,
        adapterCount: Int = 1,
        keys: AdvertisingKeys = AdvertisingKeys()
    ) {
        self.keys = keys
        self.adapterCount = adapterCount
        self.filter = filter
        self.display = display
        self.limits = limits
        self.isActive = isActive
    }

    var summary: (reports: Int, devices: Int, forgotten: Int) {
        (reports, table.count + table.evictedCount, table.evictedCount)
    }

    /// The remark on a scan that has shown nothing; `nil` if it has shown something, or was too short to say why.
    func remarkIfEmpty(after time: Duration, on phy: ScanPHY) -> String? {
        guard tally.count == 0 else { return nil }
        // Reports that were lost are no silence.
        guard reports > 0 || losses.dropped + losses.malformed == 0 else { return nil }
        let empty = EmptyScan(
            filter: filter,
            isActive: isActive,
            phy: phy,
            deviceCount: summary.devices,
            heard: table.advertisers
        )
        return empty.remark(after: time)
    }

    var connectableDevices: [AdvertiserInfo] { table.advertisers.filter(\.isConnectable) }

    func begin(_ source: Source, _ identities: BondedIdentities) {
        self.identities[source.index] = identities
        losses.begin()
    }

    /// Takes reports, until the count is reached. The filter looks at the accumulated data, because a device may
    /// spread them over several reports.
    func add(_ new: [ScanReport], from source: Source = Source()) throws -> ScanProgress {
        for report in new {
            var report = identities[source.index]?.resolved(report) ?? report
            if !keys.isEmpty {
                report.open(with: &decryptors[source.index, default: AdvertisingDecryptor(keys)])
            }
            reports += 1
            let info = table.received(&report)
            guard filter.accepts(info) else { continue }
            let isShown = try display.show(report, info, by: source.name)
            if display.counted == .device {
                if !isActive || info.hasAnswered(at: adapterCount) { try find(info) }
            } else if isShown {
                tally.add()
            }
            if limits.isReached(tally) { return .stop }
        }
        return .goOn
    }

    /// The devices that pass the filter, and the figures of the scan.
    func present(now: Instant) -> (devices: [AdvertiserInfo], status: ScanStatus) {
        let (summary, dropped) = (summary, losses.dropped)
        return (visible, ScanStatus(now: now, reports: summary.reports, devices: summary.devices, dropped: dropped))
    }

    /// Shows the devices that were held back, as many as there is room for.
    func end() throws {
        guard display.counted == .device else { return try display.end(visible) }
        for device in visible.sorted(by: .seen) where !limits.isReached(tally) { try find(device) }
        // With a count, those that were heard and did not count any more are left out.
        try display.end(limits.count == nil ? visible : visible.filter { found.contains($0.address) })
    }

    private func find(_ device: AdvertiserInfo) throws {
        guard found.insert(device.address) else { return }
        try display.show(device)
        tally.add()
    }

    private var visible: [AdvertiserInfo] { table.advertisers.filter(filter.accepts) }
}
