// SPDX-License-Identifier: MIT

import Bluetooth

/// A controller's table of the reports since scanning began.
///
/// A full table forgets its oldest entry, as real controllers do, so that a crowd larger than the table is reported
/// again and again. Memory stays bounded.
struct DuplicateFilter: Sendable {
    /// The properties that make two reports equal.
    struct Key: Hashable, Sendable {
        let address: DeviceAddress
        /// An advertisement and its scan response are different reports.
        let isScanResponse: Bool
        /// The set of an extended advertisement; `nil` for a legacy one.
        let advertisingSID: UInt8?
        /// The data of extended advertisements. They carry an identifier of their data, so that a controller notices a
        /// change; legacy advertisements have none.
        let data: [UInt8]?
    }

    /// The most reports that are remembered.
    private let limit: Int
    /// The reports that were seen.
    private var known: Set<Key> = []
    /// The same reports as a ring, in the order of their age.
    private var order: [Key] = []
    /// The place of the oldest report in the ring.
    private var oldest = 0

    /// An empty table for at least one report.
    init(limit: Int = 1_000) { self.limit = max(1, limit) }

    /// The number of remembered reports.
    var count: Int { known.count }

    /// Remembers a report. Returns `false` if it was known already.
    mutating func insert(_ report: AdvertisingReport) -> Bool {
        let key = Key(
            address: report.address,
            isScanResponse: report.properties.contains(.scanResponse),
            advertisingSID: report.advertisingSID,
            data: report.properties.contains(.legacy) ? nil : report.data
        )
        guard known.insert(key).inserted else { return false }
        if order.count < limit {
            order.append(key)
        } else {
            known.remove(order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % limit
        }
        return true
    }

    /// Forgets all reports.
    mutating func reset() { self = DuplicateFilter(limit: limit) }
}
