// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// A report with the time of its arrival.
public struct ScanReport: Sendable, Hashable {
    /// The received advertisement.
    public let report: AdvertisingReport
    /// Its decoded data.
    public private(set) var data: AdvertisingData
    /// The time of its arrival on the monotonic clock.
    public let instant: Instant
    /// The time of its arrival on the wall clock.
    public let wall: WallTime

    /// Decodes the report's data.
    public init(_ report: AdvertisingReport, _ instant: Instant, _ wall: WallTime) {
        self.report = report
        data = AdvertisingData(parsing: report.data)
        self.instant = instant
        self.wall = wall
    }

    /// Decrypts the encrypted parts of the data, if the sender's keys are known.
    public mutating func open(with decryptor: inout AdvertisingDecryptor) {
        data = decryptor.opened(data, from: report.address.address)
    }

    /// Explains the data by what the sender has sent before, where they need it.
    public mutating func complete(by advertiser: AdvertiserInfo) {
        data = data.completed(by: advertiser)
    }
}

extension AdvertiserInfo {
    /// Whether its scan response, which may contain its name, has come or will not come: a device that does not respond
    /// to the first request is described by its second report at one of so many adapters.
    package func hasAnswered(at adapters: Int) -> Bool {
        !isScannable || hasScanResponse || reportCount > adapters
    }
}

extension AdvertiserTable {
    /// Explains a report by what its sender has sent before, where its data need that, and joins it with that.
    package mutating func received(_ report: inout ScanReport) -> AdvertiserInfo {
        if report.data.isCompletable, let known = advertiser(of: report.report) { report.complete(by: known) }
        return received(report.report, report.data, now: report.instant)
    }
}

/// A running scan, as a sequence of reports.
public final class Scan: Sendable {
    /// The way in which the scan runs.
    public enum Mode: Sendable, Hashable {
        /// Started by extended commands.
        case extended
        /// Started by legacy commands, because the controller has no others or disallows them.
        case legacy
        /// Not started, because another program scans with its own parameters. Its reports are used.
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

    /// The current mode. It changes when other programs start and stop scanning.
    public internal(set) var mode: Mode {
        get { currentMode.withLock { $0 } }
        set { currentMode.withLock { $0 = newValue } }
    }

    /// The number of events of this scan that were dropped because they came faster than they were read.
    public var droppedCount: Int { controller.droppedCount - droppedBefore + observation.queue.droppedCount }

    /// Ends the scan with an error for its reader, after the reports that wait.
    func end(_ error: RadioError) { observation.queue.finish(error) }

    /// Passes each report to `body`, until `body` stops or throws, the task is cancelled, or the adapter is gone.
    ///
    /// Fragments of long advertisements are reassembled first.
    ///
    /// - Parameters:
    ///   - onConnection: Called with each device to which any program of the machine connects during the scan, because
    ///     the device stops advertising then.
    ///   - body: Called with each report, one after the other.
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

    /// The maximum number of events that are processed together.
    private static let batch = 256

    /// Passes the reports to `body` like `forEach`, but all that are waiting at once, because in a crowd they come
    /// faster than tasks can be woken.
    public func forEachBatch(_ body: ([ScanReport]) async throws -> ScanProgress) async throws {
        try await forEachBatch(of: Self.batch, { _ in .goOn }, body)
    }

    /// Passes reports on in batches. All events of a batch get one time, because they were waiting together.
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
    /// The advertising reports of the event, of either kind: some controllers send extended reports for legacy scan
    /// commands.
    fileprivate var reports: [AdvertisingReport] {
        switch self {
        case .known(let event as LEAdvertisingReportEvent): event.reports
        case .known(let event as LEExtendedAdvertisingReportEvent): event.reports
        default: []
        }
    }
}

/// The decision of a reader after each report.
public enum ScanProgress: Sendable {
    /// Continue.
    case goOn
    /// Stop.
    case stop
}
