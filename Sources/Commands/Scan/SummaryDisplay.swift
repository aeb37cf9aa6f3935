// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Synchronization
import Terminal
import Toolkit

/// Shows nothing during the scan, and one summary of each device at its end.
final class SummaryDisplay: ScanDisplay {
    /// The maximum number of devices that are kept; of twice as many, those that were silent longest are forgotten. The
    /// table of the scan, which counts them, forgets them as well.
    private static let limit = 10_000

    let counted = CountedThing.device
    private let output: Output
    private let order: ScanOrder
    private let time: any TimeSource
    private let formats: FormatCatalogue
    /// Shows a person that the scan goes on.
    private let progress: PacedProgress
    private let start: Instant
    private let found = Mutex<Set<DeviceAddress>>([])
    private let histories = Mutex<[DeviceAddress: DeviceHistory]>([:])

    /// - Parameters:
    ///   - notes: Where the progress of the scan is shown.
    ///   - formats: The names of private services, beside the assigned ones.
    init(
        output: Output,
        notes: any NoteSink,
        order: ScanOrder,
        time: any TimeSource,
        formats: FormatCatalogue = .assigned
    ) {
        self.output = output
        self.formats = formats
        self.order = order
        self.time = time
        progress = PacedProgress(notes)
        start = time.now
    }

    /// Adds the report to its device's history. With too many devices, those that were heard last are kept, so that
    /// private addresses that change do not fill the memory.
    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        showProgress(at: report.instant)
        return histories.withLock { histories in
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

    /// Shows how many devices were found, and how long the scan has taken.
    private func showProgress(at now: Instant) {
        progress.show(at: now) {
            let count = found.withLock { $0.count }
            return "scanning: \(count: count, "device") in \((now - start).components.seconds) s"
        }
    }

    func show(_ device: AdvertiserInfo) throws { found.withLock { _ = $0.insert(device.address) } }

    func end(_ devices: [AdvertiserInfo]) throws {
        progress.end()
        let found = found.withLock { $0 }
        let histories = histories.withLock { $0 }.filter { found.contains($0.key) }
        let now = Timestamp(time)
        let ordered = histories.values.map(\.info).sorted(by: order).compactMap { histories[$0.address] }
        for history in order == .rssi ? Self.strongestFirst(ordered) : ordered {
            try output.put(DeviceSummaryResult(history: history, timestamp: now, formats: formats))
        }
    }

    /// Orders devices by the mean of their signals, which is shown. The last report alone would order neighbours by
    /// chance.
    private static func strongestFirst(_ histories: [DeviceHistory]) -> [DeviceHistory] {
        let means = histories.map { $0.meanRSSI ?? .min }
        return histories.indices.sorted { (means[$1], $0) < (means[$0], $1) }.map { histories[$0] }
    }
}
