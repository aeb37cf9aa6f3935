// SPDX-License-Identifier: GPL-2.0-or-later

/// Puts the reports of a long advertisement together.
///
/// A controller tells a long advertisement in several reports, one after the other for each advertising set, though those of
/// other sets may stand between them. Nothing marks the first one: where the last fragment of an advertisement was lost,
/// what follows would be taken for its continuation. So an advertisement that is not finished within a second, or that
/// would grow beyond what can be advertised, is handed out as it is, marked truncated, and what follows begins a new one.
/// The same happens to the oldest when too many are unfinished.
///
/// Anonymous advertisers have no address, and share what has the same set identifier.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13
public struct ExtendedReportReassembler: Sendable {
    /// The most octets that can be advertised.
    public static let maximumDataLength = 1_650
    /// How long the fragments of one advertisement may take.
    public static let maximumAge: Duration = .seconds(1)

    private struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let sid: UInt8?
        let isScanResponse: Bool

        init(_ report: AdvertisingReport) {
            address = report.address
            sid = report.advertisingSID
            isScanResponse = report.properties.contains(.scanResponse)
        }
    }

    /// An advertisement of which more is to come.
    private struct Pending: Sendable {
        let key: Key
        let started: Instant
        /// The last report, with the data of all of them.
        var report: AdvertisingReport
    }

    /// In the order in which they were begun.
    private var pending: [Pending] = []
    private let limit: Int

    /// How many advertisements were handed out although more of them was to come.
    public private(set) var unfinishedCount = 0

    /// A reassembler for at most `limit` advertisements at a time.
    public init(limit: Int = 64) {
        self.limit = max(1, limit)
    }

    /// Whether a report is handed out as it is: most are, and need no second look.
    public func isComplete(_ report: AdvertisingReport) -> Bool { pending.isEmpty && report.dataStatus != .moreToCome }

    /// Takes a report, and hands out the advertisements that are finished by it, or given up.
    public mutating func received(_ report: AdvertisingReport, now: Instant) -> [AdvertisingReport] {
        if isComplete(report) { return [report] }
        var finished = expire(now: now)
        let key = Key(report)
        var whole = report
        if let index = pending.firstIndex(where: { $0.key == key }) {
            if pending[index].report.data.count + report.data.count <= Self.maximumDataLength {
                whole.data = pending[index].report.data + report.data
                if report.dataStatus == .moreToCome {
                    pending[index].report = whole
                    return finished
                }
                pending.remove(at: index)
            } else {
                finished.append(giveUp(at: index))
            }
        }
        guard report.dataStatus == .moreToCome else { return finished + [whole] }
        if pending.count >= limit { finished.append(giveUp(at: 0)) }
        pending.append(Pending(key: key, started: now, report: whole))
        return finished
    }

    /// Hands out everything that is unfinished: the scan has ended.
    public mutating func flush() -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        while !pending.isEmpty { reports.append(giveUp(at: 0)) }
        return reports
    }

    private mutating func expire(now: Instant) -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        while let first = pending.first, now - first.started > Self.maximumAge { reports.append(giveUp(at: 0)) }
        return reports
    }

    private mutating func giveUp(at index: Int) -> AdvertisingReport {
        unfinishedCount += 1
        var report = pending.remove(at: index).report
        report.dataStatus = .truncated
        return report
    }
}
