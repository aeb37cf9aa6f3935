// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A controller's table of what it has reported since scanning began. It forgets the oldest when it is full, as real ones
/// do: a crowd larger than the table is reported again and again, and memory stays bounded.
struct DuplicateFilter: Sendable {
    /// What makes two reports the same.
    struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let isScanResponse: Bool
        let advertisingSID: UInt8?
        /// The data of extended advertisements, which tell when their data change; legacy ones do not.
        let data: [UInt8]?
    }

    private let limit: Int
    private var known: Set<Key> = []
    private var order: [Key] = []
    private var oldest = 0

    init(limit: Int = 1_000) { self.limit = max(1, limit) }

    /// How many reports are remembered.
    var count: Int { known.count }

    /// Whether a report is new; it is remembered from then on.
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

    /// Forgets all.
    mutating func reset() { self = DuplicateFilter(limit: limit) }
}
