// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Terminal
import Toolkit

/// Draws the signal strengths of the devices over time, for `scan --chart`, and passes the reports on.
final class SignalChart: ScanDisplay, ChartSource {
    private struct Track {
        var name = ""
        var adapters = AdapterSignals()
        /// The signals by adapter; `nil` means the only one.
        var signals: [String?: SampledSeries] = [:]

        var values: SampledSeries { signals[adapters.best] ?? SampledSeries(limit: SignalChart.pointLimit) }
    }

    private struct State {
        var begin: Instant?
        var tracks: [DeviceAddress: Track] = [:]
        var reportCount = 0
        /// The number of devices whose reports were dropped, because there were too many devices.
        var givenUpCount = 0

        mutating func received(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) {
            guard let rssi = report.report.rssi else { return }
            let begin = begin ?? report.instant
            self.begin = begin
            reportCount += 1
            let address = device.address
            if tracks[address] == nil {
                makeRoom()
                tracks[address] = Track()
            }
            tracks[address]?.name = device.name?.text ?? ""
            if let adapter { tracks[address]?.adapters.received(rssi, by: adapter) }
            tracks[address]?.signals[adapter, default: SampledSeries(limit: SignalChart.pointLimit)]
                .add(Double(rssi), at: (report.instant - begin) / .seconds(1))
        }

        /// Gives up the device with the fewest reports, so that a crowd of addresses that are heard once does not
        /// displace others.
        private mutating func makeRoom() {
            guard tracks.count >= SignalChart.trackLimit else { return }
            let fewest = tracks.min { left, right in
                (left.value.values.count, left.value.values.last?.position ?? 0)
                    < (right.value.values.count, right.value.values.last?.position ?? 0)
            }
            guard let fewest else { return }
            tracks[fewest.key] = nil
            givenUpCount += 1
        }
    }

    /// The devices that are drawn: those that were heard most often.
    private static let shownLimit = 8
    /// The devices that are followed.
    private static let trackLimit = 256
    /// The points of one of them.
    private static let pointLimit = 256

    private let next: any ScanDisplay
    private let start: WallTime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - next: Shows the reports.
    ///   - start: When the scan begins.
    init(next: any ScanDisplay, start: WallTime) {
        self.next = next
        self.start = start
    }

    var counted: CountedThing { next.counted }
    var isLive: Bool { next.isLive }

    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        state.withLock { $0.received(report, device, by: adapter) }
        return try next.show(report, device, by: adapter)
    }

    func show(_ device: AdvertiserInfo) throws { try next.show(device) }

    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws {
        try await next.run(refresh: refresh)
    }

    func end(_ devices: [AdvertiserInfo]) throws { try next.end(devices) }

    var chart: LineChart {
        state.withLock { state in
            let order = state.tracks.sorted { left, right in
                let (one, other) = (left.value.values, right.value.values)
                guard one.count == other.count else { return one.count > other.count }
                let (first, second) = (one.buckets.first?.least.position ?? 0, other.buckets.first?.least.position ?? 0)
                guard first == second else { return first < second }
                return left.key.address < right.key.address
            }
            let series = order.prefix(Self.shownLimit).map { address, track in
                // One strength in a picture is that at one adapter: the best one.
                let words = [track.name, address.address.description, track.adapters.best.map { "on \($0)" } ?? ""]
                let name = words.filter { !$0.isEmpty }.joined(separator: " ")
                return LineChart.Series(name: name, values: track.values)
            }
            let left = state.tracks.count - series.count + state.givenUpCount
            let remarks = left > 0 ? ["\(count: left, "device") heard less often not drawn."] : []
            return LineChart(
                title: "Signal strength",
                caption: "\(count: state.reportCount, "report") from \(start.description).",
                panels: [LineChart.Panel(unit: "dBm", series: series)],
                remarks: remarks
            )
        }
    }
}
