// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// The display of a scan: a line for each report, a line for each device, or a table that is kept up to date.
protocol ScanDisplay: Sendable {
    /// Whether `run` is to be called during the scan.
    var isLive: Bool { get }

    /// Shows a report that passes the filter. Returns whether it counts for `--count`.
    func show(_ report: ScanReport, _ device: AdvertiserInfo) throws -> Bool

    /// Keeps the display up to date and follows the user, until the user wants the scan to end.
    ///
    /// - Parameter refresh: Returns the devices that pass the filter, and the figures of the scan.
    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws

    /// Completes the display after the scan. At most `room` more devices or reports may be shown, if there is a limit.
    func end(_ devices: [AdvertiserInfo], room: Int?) throws
}

extension ScanDisplay {
    var isLive: Bool { false }
    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws {}
    func end(_ devices: [AdvertiserInfo], room: Int?) throws {}
}

/// Shows each report, or each that differs from the device's earlier ones.
final class ReportDisplay: ScanDisplay {
    private struct Content: Hashable, Sendable {
        let address: DeviceAddress
        let properties: AdvertisingReport.Properties
        let data: [UInt8]
    }

    private let output: Output
    private let showsDuplicates: Bool
    private let seen = Mutex(RecentSet<Content>(limit: 8_192))

    init(output: Output, showsDuplicates: Bool) {
        self.output = output
        self.showsDuplicates = showsDuplicates
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo) throws -> Bool {
        let content = Content(
            address: report.report.address,
            properties: report.report.properties,
            data: report.report.data
        )
        guard showsDuplicates || seen.withLock({ $0.insert(content) }) else { return false }
        try output.put(AdvertisementResult(report: report, device: device))
        return true
    }
}

/// Shows a line for each device. In an active scan, a scannable device is shown when its scan response has arrived,
/// because that may contain its name, or with its second report if it has not responded.
final class DeviceLines: ScanDisplay {
    private let output: Output
    private let isActive: Bool
    private let shown = Mutex(RecentSet<DeviceAddress>(limit: 32_768))

    init(output: Output, isActive: Bool) {
        self.output = output
        self.isActive = isActive
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo) throws -> Bool {
        let isWaiting = isActive && device.isScannable && !device.hasScanResponse && device.reportCount == 1
        return try isWaiting ? false : show(device)
    }

    func end(_ devices: [AdvertiserInfo], room: Int?) throws {
        var added = 0
        for device in devices.sorted(by: .seen) where room.map({ added < $0 }) ?? true {
            if try show(device) { added += 1 }
        }
    }

    private func show(_ device: AdvertiserInfo) throws -> Bool {
        guard shown.withLock({ $0.insert(device.address) }) else { return false }
        try output.put(AdvertisementResult.line(of: device, output.style))
        return true
    }
}

extension [AdvertiserInfo] {
    /// The devices in an order. Devices that are equal in it are ordered by their first reports.
    func sorted(by order: ScanOrder) -> [AdvertiserInfo] {
        sorted { left, right in
            switch order {
            case .seen: break
            case .rssi:
                let (first, second) = (left.rssi ?? .min, right.rssi ?? .min)
                if first != second { return first > second }
            case .name:
                let (first, second) = (left.name?.text ?? "\u{10FFFF}", right.name?.text ?? "\u{10FFFF}")
                if first != second { return first < second }
            case .address: break
            }
            if order != .address, left.firstSeen != right.firstSeen { return left.firstSeen < right.firstSeen }
            return (left.address.address, left.address.type.rawValue) < (
                right.address.address, right.address.type.rawValue
            )
        }
    }
}
