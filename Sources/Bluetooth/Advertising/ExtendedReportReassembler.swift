// SPDX-License-Identifier: MIT

/// Reassembles long advertisements from their reports.
///
/// A controller delivers a long advertisement in several reports. Those of one advertising set follow each other, but
/// reports of other sets may come between them. The first report is not marked: if the last fragment of an
/// advertisement was lost, the next advertisement looks like its continuation. So an advertisement that is not complete
/// within a second, or that would become longer than the maximum, is delivered as truncated, and what follows begins a
/// new one. When too many are incomplete, the oldest is delivered in the same way, so that memory stays bounded.
///
/// Anonymous advertisers have no address; those with the same set identifier cannot be distinguished.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13
public struct ExtendedReportReassembler: Sendable {
    /// The maximum length of advertising data, in octets. More than that shows that two advertisements were joined.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.57
    public static let maximumDataLength = 1_650
    /// The maximum time between the first and the last fragment of an advertisement: 1 s.
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

    private struct Pending: Sendable {
        let key: Key
        let started: Instant
        /// The last report, with the data of all reports.
        var report: AdvertisingReport
    }

    /// In the order of their first fragments.
    private var pending: [Pending] = []
    private let limit: Int

    /// The number of advertisements that were delivered incomplete.
    public private(set) var unfinishedCount = 0

    /// Creates a reassembler for at most `limit` incomplete advertisements.
    public init(limit: Int = 64) {
        self.limit = max(1, limit)
    }

    /// Whether a report can be delivered unchanged. Most can, so that callers avoid an array for each report.
    public func isComplete(_ report: AdvertisingReport) -> Bool { pending.isEmpty && report.dataStatus != .moreToCome }

    /// Processes a report. Returns the advertisements that it completes, and those that have expired.
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
                // Too long for a continuation: the last fragment of the earlier advertisement was lost.
                finished.append(giveUp(at: index))
            }
        }
        guard report.dataStatus == .moreToCome else { return finished + [whole] }
        if pending.count >= limit { finished.append(giveUp(at: 0)) }
        pending.append(Pending(key: key, started: now, report: whole))
        return finished
    }

    /// Delivers all incomplete advertisements, because the scan has ended.
    public mutating func flush() -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        while !pending.isEmpty { reports.append(giveUp(at: 0)) }
        return reports
    }

    private mutating func expire(now: Instant) -> [AdvertisingReport] {
        var reports: [AdvertisingReport] = []
        // The oldest comes first, so that the search ends at the first one that is young enough.
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
