// SPDX-License-Identifier: MIT

/// The last content of each thing that one advertiser sends, in the order of their first appearance.
///
/// Two contents are of the same thing if one beacon replaces the other, or, if they are no beacons, if they come from
/// the same place. Their number is limited, because a hostile device sends ever new ones: beyond the limit, the content
/// that was not sent for the longest time makes room.
struct AdvertisedEntries<Content: Hashable & Sendable>: Hashable, Sendable {
    /// Where an advertiser sends a content that is no beacon.
    struct Place: Hashable, Sendable {
        let isScanResponse: Bool
        let set: UInt8?
        /// The number among the contents of the same company or service in one packet.
        let number: Int
    }

    private struct Entry: Hashable, Sendable {
        let place: Place
        var content: Content
        var beacon: Beacon?
        /// The number of the report that has sent it last.
        var report: Int
    }

    private var entries: [Entry] = []
    private let limit: Int
    /// The number of contents that have made room.
    private(set) var forgottenCount = 0

    init(limit: Int) { self.limit = limit }

    var contents: [Content] {
        var contents: [Content] = []
        for entry in entries where !contents.contains(entry.content) { contents.append(entry.content) }
        return contents
    }

    /// Whether any of the contents meets a condition.
    func contains(where predicate: (Content) -> Bool) -> Bool { entries.contains { predicate($0.content) } }

    /// Adds a content.
    ///
    /// - Parameters:
    ///   - beacon: Its meaning; `nil` if it is not known.
    ///   - isSameOrigin: Whether another content is of the same company or service.
    mutating func put(
        _ content: Content,
        _ beacon: Beacon?,
        at place: Place,
        in report: Int,
        replacing isSameOrigin: (Content) -> Bool
    ) {
        let index = entries.firstIndex { entry in
            guard isSameOrigin(entry.content) else { return false }
            guard let beacon, let earlier = entry.beacon else {
                return beacon == nil && entry.beacon == nil && entry.place == place
            }
            return beacon.replaces(earlier)
        }
        if let index {
            entries[index].content = content
            entries[index].beacon = beacon
            entries[index].report = report
            return
        }
        if entries.count >= limit, let oldest = entries.indices.min(by: { entries[$0].report < entries[$1].report }) {
            entries.remove(at: oldest)
            forgottenCount += 1
        }
        entries.append(Entry(place: place, content: content, beacon: beacon, report: report))
    }
}
