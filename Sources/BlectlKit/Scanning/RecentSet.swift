// SPDX-License-Identifier: GPL-2.0-or-later

/// The last few thousand of something, to tell what is new from what was seen: bounded, because the air is not.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private var members: Set<Element> = []
    private var order: [Element] = []
    private var oldest = 0
    private let limit: Int

    /// A set of at most `limit` elements; after that the ones that were added first are forgotten.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Adds an element; `true` where it was not in the set.
    mutating func insert(_ element: Element) -> Bool {
        guard members.insert(element).inserted else { return false }
        if order.count < limit {
            order.append(element)
        } else {
            members.remove(order[oldest])
            order[oldest] = element
            oldest = (oldest + 1) % limit
        }
        return true
    }

    func contains(_ element: Element) -> Bool { members.contains(element) }
}
