// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Synchronization

/// The summary of one device in a scan: its accumulated data, and how often, when and how strong it was received.
struct DeviceHistory: Sendable {
    /// The accumulated data.
    private(set) var info: AdvertiserInfo
    /// The first report.
    let first: Timestamp
    /// The last report.
    private(set) var last: Timestamp
    /// The number of reports.
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
    /// The adapter whose reports tell the interval: each advertisement counts once.
    private let rhythmAdapter: String?
    private var advertisementCount = 0
    private var firstAdvertisement = Instant.zero
    private var lastAdvertisement = Instant.zero

    init(_ report: ScanReport, _ info: AdvertiserInfo, by adapter: String? = nil) {
        self.info = info
        rhythmAdapter = adapter
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
        // A scan response comes right after its advertisement.
        guard !report.report.properties.contains(.scanResponse), adapter == rhythmAdapter else { return }
        if advertisementCount == 0 { firstAdvertisement = report.instant }
        lastAdvertisement = report.instant
        advertisementCount += 1
    }

    /// The signals at the best adapter.
    private var strength: Strength? { strengths[adapters.best] }

    /// The weakest and the strongest signal in dBm, of the best adapter; `nil` if the controller reported none.
    var rssiRange: ClosedRange<Int8>? { strength?.range }

    /// The mean of the signal strength in dBm, rounded.
    var meanRSSI: Int? { strength.map { Int((Double($0.sum) / Double($0.count)).rounded()) } }

    /// The mean time between two advertisements in milliseconds; `nil` if fewer than two were heard.
    var interval: Int64? {
        guard advertisementCount > 1 else { return nil }
        let span = (lastAdvertisement - firstAdvertisement).clampedNanoseconds
        return span / Int64(advertisementCount - 1) / 1_000_000
    }
}

/// One device as a whole scan has heard it: `scan --summary`.
struct DeviceSummaryResult: RecordedResult {
    let history: DeviceHistory
    let timestamp: Timestamp

    var record: Record {
        let info = history.info
        return Record(
            "device",
            at: timestamp,
            [
                "adapter": .optional(history.adapters.best),
                "address": .optional(info.address.type == .anonymous ? nil : info.address.address.description),
                "address_kind": .string(info.address.kind.rawValue),
                "address_type": .string(info.address.type.description),
                "appearance": .optional(info.appearance),
                "beacon": info.beacon.map { BeaconPresentation($0).json } ?? .null,
                "connectable": .bool(info.isConnectable),
                "count": .integer(Int64(history.reportCount)),
                "first_seen": .string(history.first.wall.description),
                "flags": .array((info.flags?.names ?? []).map { .string($0) }),
                "interval_ms": .optional(history.interval),
                "last_seen": .string(history.last.wall.description),
                "manufacturer": .array(info.manufacturerData.map(\.json)),
                "name": .optional(info.name?.text),
                "name_raw": .optional(info.name.map { Hex.string($0.bytes) }),
                "rssi_max_dbm": .optional(history.rssiRange?.upperBound),
                "rssi_mean_dbm": .optional(history.meanRSSI),
                "rssi_min_dbm": .optional(history.rssiRange?.lowerBound),
                "scannable": .bool(info.isScannable),
                "service_data": .array(info.serviceData.map(\.json)),
                "service_names": .array(info.services.map { .optional(AssignedNumbers.name(ofService: $0)) }),
                "services": .array(info.services.map { .string($0.description) }),
                "tx_power_dbm": .optional(info.txPower),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        let columns = DeviceColumns(history.info)
        let strength =
            history.rssiRange.map { range in
                "\(range.lowerBound)/\(history.meanRSSI ?? 0)/\(range.upperBound) dBm"
            } ?? "? dBm"
        let interval = history.interval.map { "every \($0) ms" } ?? ""
        let name = columns.name.isEmpty ? style.paint("(no name)", .faint) : style.paint(columns.name, .cyan)
        let cells = [
            columns.address, TerminalText.padded(columns.kind, columns: 14), TerminalText.padded(strength, columns: 15),
            TerminalText.padded("\(count: history.reportCount, "report")", columns: 12),
            TerminalText.padded(interval, columns: 14),
        ]
        let heard = history.adapters.best.map { [TerminalText.escaped($0)] } ?? []
        return (cells + heard + [name] + (columns.what.isEmpty ? [] : [columns.what])).joined(separator: "  ")
    }
}

/// Shows nothing during the scan, and one summary of each device at its end.
final class SummaryDisplay: ScanDisplay {
    /// The most devices that are kept; of twice as many, those that were silent longest are forgotten. The table of the
    /// scan, which counts them, forgets them as well.
    private static let limit = 10_000

    let counted = CountedThing.device
    private let output: Output
    private let order: ScanOrder
    private let time: any TimeSource
    /// The devices that count.
    private let found = Mutex<Set<DeviceAddress>>([])
    private let histories = Mutex<[DeviceAddress: DeviceHistory]>([:])

    init(output: Output, order: ScanOrder, time: any TimeSource) {
        self.output = output
        self.order = order
        self.time = time
    }

    /// Adds the report to its device's history. With too many devices, those that were heard last are kept, so that
    /// private addresses that change do not fill the memory.
    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        histories.withLock { histories in
            // Changed in place, so that no report copies a history. `nil` means that the device has none yet.
            guard histories[device.address]?.add(report, device, by: adapter) == nil else { return false }
            // Half of them go at once, so that sorting is rare in a crowd of changing addresses.
            if histories.count >= 2 * Self.limit {
                let kept = histories.sorted { $0.value.last.monotonic > $1.value.last.monotonic }.prefix(Self.limit)
                histories = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
            }
            histories[device.address] = DeviceHistory(report, device, by: adapter)
            return false
        }
    }

    func show(_ device: AdvertiserInfo) throws { found.withLock { _ = $0.insert(device.address) } }

    func end(_ devices: [AdvertiserInfo]) throws {
        let found = found.withLock { $0 }
        let histories = histories.withLock { $0 }.filter { found.contains($0.key) }
        let now = Timestamp(time)
        let ordered = histories.values.map(\.info).sorted(by: order).compactMap { histories[$0.address] }
        for history in order == .rssi ? Self.strongestFirst(ordered) : ordered {
            try output.put(DeviceSummaryResult(history: history, timestamp: now))
        }
    }

    /// Orders devices by the mean of their signals, which is shown. The last report alone would order neighbours by
    /// chance.
    private static func strongestFirst(_ histories: [DeviceHistory]) -> [DeviceHistory] {
        let means = histories.map { $0.meanRSSI ?? .min }
        return histories.indices.sorted { (means[$1], $0) < (means[$0], $1) }.map { histories[$0] }
    }
}

extension ADManufacturerData {
    fileprivate var json: JSONValue {
        .object([
            "company_id": .integer(Int64(company)),
            "company_name": .optional(AssignedNumbers.companyName(company)),
            "data": .string(Hex.string(data)),
        ])
    }
}

extension ADServiceData {
    fileprivate var json: JSONValue {
        .object([
            "data": .string(Hex.string(data)),
            "name": .optional(AssignedNumbers.name(ofService: uuid)),
            "uuid": .string(uuid.description),
        ])
    }
}
