// SPDX-License-Identifier: MIT

/// A set of handles, stored as ranges so that "the whole database is known" takes one entry.
public struct HandleSet: Hashable, Sendable {
    /// The ranges in rising order; between any two there is at least one handle that is not in the set.
    public private(set) var ranges: [HandleRange] = []

    /// The empty set.
    public init() {}

    /// The handles of some ranges in any order; backward ranges are left out.
    public init(_ ranges: some Sequence<HandleRange>) {
        for range in ranges { insert(range) }
    }

    /// Whether no handle is in the set.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Adds a range; a backward range adds nothing.
    public mutating func insert(_ range: HandleRange) {
        guard range.isValid else { return }
        var (start, end) = (range.start, range.end)
        // Ranges that overlap or touch the new one are merged with it.
        let low = ranges.partitioningIndex { ($0.end.next ?? .last) >= start }
        let high = ranges.partitioningIndex { $0.start > (end.next ?? .last) }
        if low < high {
            start = min(start, ranges[low].start)
            end = max(end, ranges[high - 1].end)
        }
        ranges.replaceSubrange(low..<max(low, high), with: [HandleRange(start, end)])
    }

    /// Removes a range; a backward range removes nothing.
    public mutating func remove(_ range: HandleRange) {
        guard range.isValid else { return }
        ranges = ranges.flatMap { known -> [HandleRange] in
            guard known.start <= range.end, range.start <= known.end else { return [known] }
            let left = range.start.previous.map { HandleRange(known.start, $0) }
            let right = range.end.next.map { HandleRange($0, known.end) }
            return [left, right].compactMap { $0 }.filter(\.isValid)
        }
    }

    /// Whether a handle is in the set.
    public func contains(_ handle: Handle) -> Bool { end(ofRunFrom: handle) != nil }

    /// The last handle of the unbroken run that contains a handle; `nil` if the handle is not in the set.
    public func end(ofRunFrom handle: Handle) -> Handle? {
        let index = ranges.partitioningIndex { $0.end >= handle }
        guard index < ranges.count, ranges[index].contains(handle) else { return nil }
        return ranges[index].end
    }

    /// The first handle of the range that is not in the set; `nil` if all are.
    public func firstGap(in range: HandleRange) -> Handle? {
        guard range.isValid else { return nil }
        guard let end = end(ofRunFrom: range.start) else { return range.start }
        guard let next = end.next, next <= range.end else { return nil }
        return next
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element for which the condition holds. It must hold for all later elements too.
    func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
