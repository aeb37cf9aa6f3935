// SPDX-License-Identifier: MIT

/// The elements that were added last, to distinguish new ones from known ones. It is bounded, because the number of
/// devices on the air is not: a full set forgets its oldest element.
package struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private var members: Set<Element> = []
    /// The same elements as a ring, in the order of their age.
    private var order: [Element] = []
    /// The place of the oldest element in the ring.
    private var oldest = 0
    private let limit: Int

    /// Creates an empty set for at most `limit` elements, and at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    package var count: Int { members.count }

    /// Adds an element. Returns `true` if it is new.
    package mutating func insert(_ element: Element) -> Bool {
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

    package func contains(_ element: Element) -> Bool { members.contains(element) }

    package mutating func removeAll() { self = RecentSet(limit: limit) }
}
