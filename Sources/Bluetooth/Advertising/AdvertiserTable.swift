// SPDX-License-Identifier: MIT

/// All advertisers of a scan, up to a limit. Beyond it, a new advertiser replaces the one that has been silent longest.
///
/// The limit keeps the memory of a scan bounded, because advertisers change their addresses, and an attacker can use
/// any number of them. Each step takes constant time.
public struct AdvertiserTable: Sendable {
    /// The identity of an advertiser. Anonymous advertisers have no address, and are distinguished by their sets.
    private struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let anonymousSID: UInt8?

        init(_ report: AdvertisingReport) {
            address = report.address
            // Anonymous advertisers share one address, so only their set numbers distinguish them.
            anonymousSID = report.address.type == .anonymous ? report.advertisingSID : nil
        }
    }

    /// An entry of the table, and its neighbours in the order of the last reports.
    private struct Slot: Sendable {
        var key: Key
        var info: AdvertiserInfo
        var older: Int?
        var newer: Int?
    }

    private var slots: [Slot] = []
    private var index: [Key: Int] = [:]
    private var oldest: Int?
    private var newest: Int?
    private let limit: Int

    /// The number of advertisers that were replaced.
    public private(set) var evictedCount = 0

    /// Creates a table for at most `limit` advertisers.
    public init(limit: Int = 10_000) {
        self.limit = max(1, limit)
    }

    /// The number of advertisers.
    public var count: Int { slots.count }

    /// The advertisers, in no particular order.
    public var advertisers: [AdvertiserInfo] { slots.map(\.info) }

    /// The accumulated data of a report's advertiser, without the report; `nil` if it is new.
    public func advertiser(of report: AdvertisingReport) -> AdvertiserInfo? {
        index[Key(report)].map { slots[$0].info }
    }

    /// Adds a report, and returns the accumulated data of its advertiser. `data` is the report's decoded data.
    @discardableResult
    public mutating func received(
        _ report: AdvertisingReport,
        _ data: AdvertisingData,
        now: Instant
    ) -> AdvertiserInfo {
        let key = Key(report)
        if let place = index[key] {
            slots[place].info.merge(report, data, now: now)
            moveToNewest(place)
            return slots[place].info
        }
        let info = AdvertiserInfo(report, data, now: now)
        // Full: the advertiser that was silent longest makes room, and its slot is used again.
        if slots.count >= limit, let place = oldest {
            index[slots[place].key] = nil
            evictedCount += 1
            slots[place].key = key
            slots[place].info = info
            index[key] = place
            moveToNewest(place)
        } else {
            let place = slots.count
            slots.append(Slot(key: key, info: info, older: nil, newer: nil))
            index[key] = place
            append(place)
        }
        return info
    }

    private mutating func moveToNewest(_ place: Int) {
        // The newest one is at its place already, which is the usual case for a busy device.
        guard newest != place else { return }
        let (older, newer) = (slots[place].older, slots[place].newer)
        if let older { slots[older].newer = newer } else { oldest = newer }
        if let newer { slots[newer].older = older }
        append(place)
    }

    private mutating func append(_ place: Int) {
        slots[place].older = newest
        slots[place].newer = nil
        if let newest { slots[newest].newer = place } else { oldest = place }
        newest = place
    }
}
