// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// An advertisement of a device, combined with the contents of its earlier advertisements in this scan.
public struct Advertisement: Sendable {
    /// The received report, with its time.
    public let report: ScanReport
    /// The accumulated data of the advertiser, because devices spread their data over advertisements and scan
    /// responses.
    public let advertiser: AdvertiserInfo
    /// The number of reports of this scan that were dropped so far, because they came faster than they were read.
    public let droppedCount: Int

    /// The address, with its type.
    public var address: DeviceAddress { advertiser.address }
    /// The name; `nil` if none was received yet.
    public var name: String? { advertiser.name?.text }
    /// The services that it offers.
    public var services: [BluetoothUUID] { advertiser.services }
    /// The signal strength in dBm; `nil` if the controller does not know it.
    public var rssi: Int8? { advertiser.rssi }
    /// Whether it accepts connections.
    public var isConnectable: Bool { advertiser.isConnectable }
}

/// The advertisements of a scan, see `Central.scan`. Each iteration starts a separate scan.
public struct Advertisements: AsyncSequence, Sendable {
    public typealias Element = Advertisement
    public typealias Failure = BluetoothError

    let central: Central
    let scope: TaskScope
    let duration: Duration?
    let parameters: ScanParameters

    public func makeAsyncIterator() -> Iterator { Iterator(run: RunningScan(self)) }

    /// Listens while it exists.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let run: RunningScan
        private var table = AdvertiserTable()

        fileprivate init(run: RunningScan) { self.run = run }

        /// The next advertisement; `nil` after the duration of the scan.
        ///
        /// Throws if the controller or the adapter fails, and if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(BluetoothError) -> Advertisement? {
            do throws(RadioError) {
                run.begin()
                var report = try await run.reports.next()
                let advertiser = table.received(&report)
                return Advertisement(report: report, advertiser: advertiser, droppedCount: run.droppedCount)
            } catch {
                guard error != RunningScan.endOfTime else { return nil }
                throw BluetoothError.from(error, doing: "scan")
            }
        }
    }
}

/// The scan of an iterator. It ends when its last reference is released.
private final class RunningScan: Sendable {
    /// The number of reports that wait for a slow reader. Beyond it the oldest are dropped, because advertisers cannot
    /// be held back.
    private static let limit = 16_384
    /// Ends the queue after the scan's duration.
    static let endOfTime = RadioError(.closedLocally, during: "scan for a limited time")

    let reports = BoundedQueue<ScanReport>(limit: limit, overflow: .dropOldest)
    private let sequence: Advertisements
    private let state = Mutex(State())

    private struct State {
        var hasBegun = false
        var task: ScopedTask?
        var isOver = false
        var droppedBefore = 0
    }

    init(_ sequence: Advertisements) { self.sequence = sequence }

    deinit {
        guard let task = state.withLock({ $0.isOver ? nil : $0.task }) else { return }
        // The scan is switched off in the background, and the next connection has to wait for that.
        sequence.central.ending.add(reports)
        task.cancel()
    }

    var droppedCount: Int { reports.droppedCount + state.withLock { $0.droppedBefore } }

    /// Starts the scan, once.
    func begin() {
        state.withLock { state in
            guard !state.hasBegun else { return }
            state.hasBegun = true
            // Weak, because the end of this object ends the task.
            let task = sequence.scope.spawnCancellable { [sequence, reports, weak self] in
                let end = await Self.end(of: sequence, into: reports) { [weak self] dropped in
                    self?.state.withLock { $0.droppedBefore = dropped }
                }
                self?.state.withLock { $0.isOver = true }
                reports.finish(end)
                sequence.central.ending.remove(reports)
            }
            state.task = task
            if !task.isStarted { reports.finish(RadioError(.cancelled, during: "scan")) }
        }
    }

    /// Scans, and returns why that has ended.
    private static func end(
        of sequence: Advertisements,
        into reports: BoundedQueue<ScanReport>,
        onDrops: @escaping @Sendable (Int) -> Void
    ) async -> RadioError {
        let (central, time, parameters) = (sequence.central, sequence.central.time, sequence.parameters)
        do {
            try await central.withController { controller in
                try await controller.withScan(parameters, time: time) { scan in
                    let pass: @Sendable () async throws -> Void = {
                        try await scan.forEachBatch { batch in
                            onDrops(scan.droppedCount)
                            reports.push(contentsOf: batch)
                            return .goOn
                        }
                    }
                    if let duration = sequence.duration {
                        try await untilDeadline(time.now + duration, time, pass)
                    } else {
                        try await pass()
                    }
                }
            }
            return endOfTime
        } catch let error as RadioError {
            return error
        } catch {
            return RadioError(.cancelled, during: "scan")
        }
    }
}

/// The scans that were left and are being switched off.
final class EndingScans: Sendable {
    private let queues = Mutex<[BoundedQueue<ScanReport>]>([])

    /// A scan without readers. Its queue ends when it is off.
    fileprivate func add(_ reports: BoundedQueue<ScanReport>) { queues.withLock { $0.append(reports) } }

    fileprivate func remove(_ reports: BoundedQueue<ScanReport>) {
        queues.withLock { $0.removeAll { $0 === reports } }
    }

    /// Waits until all of them are off. A cancelled task does not wait.
    func areOver() async {
        for reports in queues.withLock({ $0 }) {
            while (try? await reports.next()) != nil {}
            if !Task.isCancelled { remove(reports) }
        }
    }
}
