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
        let isScanResponse: Bool
        let advertisingSID: UInt8?
        /// The data of extended advertisements. They carry an identifier of their data, so that a controller notices a
        /// change; legacy advertisements have none.
        let data: [UInt8]?
    }

    private let limit: Int
    private var known: Set<Key> = []
    private var order: [Key] = []
    private var oldest = 0

    init(limit: Int = 1_000) { self.limit = max(1, limit) }

    /// The number of remembered reports.
    var count: Int { known.count }

    /// Whether a report is new. Remembers it.
    mutating func admits(_ report: AdvertisingReport) -> Bool {
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
