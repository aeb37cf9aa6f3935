// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Synchronization
import Toolkit

/// The display of a scan: a line for each report, a line for each device, or a table that is kept up to date.
protocol ScanDisplay: Sendable {
    /// The things that `--count` counts: reports or devices.
    var counted: CountedThing { get }

    /// Whether `run` is to be called during the scan.
    var isLive: Bool { get }

    /// Takes a report that passes the filter. Returns whether it was shown, and counts as a report.
    ///
    /// - Parameter adapter: The adapter that has heard it; `nil` if there is only one.
    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool

    /// Takes a device when it is described, or when the scan has ended: each device once. It counts.
    func show(_ device: AdvertiserInfo) throws

    /// Keeps the display up to date and follows the user, until the user wants the scan to end.
    ///
    /// - Parameter refresh: Returns the devices that pass the filter, and the figures of the scan.
    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws

    func end(_ devices: [AdvertiserInfo]) throws
}

extension ScanDisplay {
    var isLive: Bool { false }
    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool { false }
    func show(_ device: AdvertiserInfo) throws {}
    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws {}
    func end(_ devices: [AdvertiserInfo]) throws {}
}

/// Shows each report, or each that differs from the device's earlier ones.
final class ReportDisplay: ScanDisplay {
    private struct Content: Hashable, Sendable {
        let adapter: String?
        let address: DeviceAddress
        let properties: AdvertisingReport.Properties
        let data: [UInt8]
    }

    let counted = CountedThing.report
    private let output: Output
    private let showsDuplicates: Bool
    private let formats: FormatCatalogue
    // Bounded, because a device may change its data with each report. Forgotten contents are shown again.
    private let seen = Mutex(RecentSet<Content>(limit: 8_192))

    /// - Parameter formats: The names of private services, beside the assigned ones.
    init(output: Output, showsDuplicates: Bool, formats: FormatCatalogue = .assigned) {
        self.output = output
        self.showsDuplicates = showsDuplicates
        self.formats = formats
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        let content = Content(
            adapter: adapter,
            address: report.report.address,
            properties: report.report.properties,
            data: report.report.data
        )
        guard showsDuplicates || seen.withLock({ $0.insert(content) }) else { return false }
        try output.put(AdvertisementResult(report: report, device: device, adapter: adapter, formats: formats))
        return true
    }
}

/// Shows a line for each device, and again when it sends a further beacon.
final class DeviceLines: ScanDisplay {
    /// The maximum number of devices that are kept before they are shown.
    private static let limit = 4_096

    let counted = CountedThing.device
    private let output: Output
    private let formats: FormatCatalogue
    /// The signal strength at several adapters of devices that were not shown yet.
    private let signals = Mutex<[DeviceAddress: AdapterSignals]>([:])
    /// The number of beacons that the last line of a device has shown.
    private let shownBeacons = Mutex<[DeviceAddress: Int]>([:])

    /// - Parameter formats: The names of private services, beside the assigned ones.
    init(output: Output, formats: FormatCatalogue = .assigned) {
        self.output = output
        self.formats = formats
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        if hasFurtherBeacon(device) { try put(device, nil, by: adapter) }
        guard let adapter else { return false }
        signals.withLock { signals in
            // Reports of devices that were shown add up here, too. A loss costs a line only the choice of the best
            // adapter.
            if signals.count >= Self.limit, signals[device.address] == nil { signals.removeAll() }
            signals[device.address, default: AdapterSignals()].received(report.report.rssi, by: adapter)
        }
        return false
    }

    func show(_ device: AdvertiserInfo) throws {
        let heard = signals.withLock { $0.removeValue(forKey: device.address) }
        let adapter = heard?.best
        let strength = adapter.flatMap { heard?.strength(at: $0) }.map { Int8($0.rounded()) }
        try put(device, strength, by: adapter)
        let count = Self.beaconCount(device)
        guard count > 0 else { return }
        shownBeacons.withLock { shown in
            // A loss costs only the lines of further beacons.
            if shown.count >= Self.limit { shown.removeAll() }
            shown[device.address] = count
        }
    }

    private func put(_ device: AdvertiserInfo, _ strength: Int8?, by adapter: String?) throws {
        try output.put(AdvertisementResult.line(of: device, strength, by: adapter, in: formats, output.style))
    }

    /// Whether a device that was shown sends a beacon that its line does not have. The number of beacons is limited,
    /// and so are the lines of a device that sends ever new ones.
    private func hasFurtherBeacon(_ device: AdvertiserInfo) -> Bool {
        let count = Self.beaconCount(device)
        guard count > 1 else { return false }
        return shownBeacons.withLock { shown in
            guard let before = shown[device.address], before < count else { return false }
            shown[device.address] = count
            return true
        }
    }

    /// The number of beacons, without the messages of phones and computers, which change all the time.
    private static func beaconCount(_ device: AdvertiserInfo) -> Int {
        device.beacons.count { type(of: $0.content).registration.purpose != .message }
    }
}
