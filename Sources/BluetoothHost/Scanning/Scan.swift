// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import Synchronization

/// A report with the moment at which it came.
public struct ScanReport: Sendable, Hashable {
    /// What was received.
    public let report: AdvertisingReport
    /// Its data, taken apart.
    public let data: AdvertisingData
    /// When, on the monotonic clock.
    public let instant: Instant
    /// When, on the wall clock.
    public let wall: WallTime

    /// Takes the report's data apart.
    public init(_ report: AdvertisingReport, _ instant: Instant, _ wall: WallTime) {
        self.report = report
        data = AdvertisingData(parsing: report.data)
        self.instant = instant
        self.wall = wall
    }
}

/// A running scan: the reports, one after the other.
public final class Scan: Sendable {
    /// How the scan was started.
    public enum Mode: Sendable, Hashable {
        /// By the extended commands.
        case extended
        /// By the legacy commands: the controller has no others, or may not use them any more.
        case legacy
        /// Not at all: another program is scanning already, with its parameters; its reports are heard along.
        case listeningAlong
    }

    private let currentMode: Mutex<Mode>
    private let controller: HCIController
    private let observation: HCIObservation
    private let time: any TimeSource
    private let droppedBefore: Int

    init(mode: Mode, controller: HCIController, observation: HCIObservation, time: any TimeSource) {
        currentMode = Mutex(mode)
        self.controller = controller
        self.observation = observation
        self.time = time
        droppedBefore = controller.droppedCount
    }

    /// How the scan is running at present: others may begin and stop to scan meanwhile.
    public internal(set) var mode: Mode {
        get { currentMode.withLock { $0 } }
        set { currentMode.withLock { $0 = newValue } }
    }

    /// How many events of this scan were dropped so far because reports came faster than they were looked at.
    public var droppedCount: Int { controller.droppedCount - droppedBefore + observation.queue.droppedCount }

    /// Hands every report to `body`, until it says to stop or throws, or the task is cancelled, or the adapter is gone.
    ///
    /// All reports of an event are looked at; fragments of long advertisements are put together first.
    ///
    /// - Parameter onConnection: Called with each device that any program of the machine connects to while the scan runs. It
    ///   does not advertise from then on.
    public func forEach(
        onConnection: (DeviceAddress) async throws -> ScanProgress = { _ in .goOn },
        _ body: (ScanReport) async throws -> ScanProgress
    ) async throws {
        try await forEachBatch(of: 1, onConnection) { reports in
            for report in reports {
                guard try await body(report) == .goOn else { return .stop }
            }
            return .goOn
        }
    }

    /// How many events are looked at together at most.
    private static let batch = 256

    /// Hands the reports to `body` as `forEach` does, but all that have come since the last time at once: in a crowd they come
    /// faster than tasks are woken.
    public func forEachBatch(_ body: ([ScanReport]) async throws -> ScanProgress) async throws {
        try await forEachBatch(of: Self.batch, { _ in .goOn }, body)
    }

    private func forEachBatch(
        of limit: Int,
        _ onConnection: (DeviceAddress) async throws -> ScanProgress,
        _ body: ([ScanReport]) async throws -> ScanProgress
    ) async throws {
        var reassembler = ExtendedReportReassembler()
        while true {
            let events = try await observation.queue.next(atMost: limit)
            let instant = time.now
            let wall = time.wallClock
            var reports: [ScanReport] = []
            reports.reserveCapacity(events.count)
            for event in events {
                if let device = event.connectedDevice, try await onConnection(device) == .stop { return }
                for fragment in event.reports {
                    if reassembler.isComplete(fragment) {
                        reports.append(ScanReport(fragment, instant, wall))
                    } else {
                        let whole = reassembler.received(fragment, now: instant)
                        reports += whole.map { ScanReport($0, instant, wall) }
                    }
                }
            }
            if !reports.isEmpty, try await body(reports) == .stop { return }
        }
    }
}

extension HCIEvent {
    /// What was advertised. Whatever was asked for: some controllers report in the extended form though they scan by the
    /// legacy commands.
    fileprivate var reports: [AdvertisingReport] {
        switch self {
        case .leAdvertisingReport(let event): event.reports
        case .leExtendedAdvertisingReport(let event): event.reports
        default: []
        }
    }
}

/// What a reader of reports says after each.
public enum ScanProgress: Sendable {
    /// More, please.
    case goOn
    /// That was all.
    case stop
}
