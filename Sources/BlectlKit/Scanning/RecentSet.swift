// SPDX-License-Identifier: GPL-2.0-or-later

/// The elements that were added last, to distinguish new from known ones. It is bounded, because the number of devices
/// on the air is not.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private var members: Set<Element> = []
    private var order: [Element] = []
    private var oldest = 0
    private let limit: Int

    /// Creates a set of at most `limit` elements. Beyond it the oldest are forgotten.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Adds an element. Returns `true` if it is new.
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
