// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

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

    private var known: RecentSet<Key>

    /// An empty table for at least one report.
    init(limit: Int = 1_000) { known = RecentSet(limit: limit) }

    var count: Int { known.count }

    /// Remembers a report. Returns `false` if it was known already.
    mutating func insert(_ report: AdvertisingReport) -> Bool {
        known.insert(
            Key(
                address: report.address,
                isScanResponse: report.properties.contains(.scanResponse),
                advertisingSID: report.advertisingSID,
                data: report.properties.contains(.legacy) ? nil : report.data
            )
        )
    }

    mutating func reset() { known.removeAll() }
}
