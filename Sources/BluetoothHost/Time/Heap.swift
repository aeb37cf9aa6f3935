// SPDX-License-Identifier: MIT

/// A binary heap. The smallest element is read in constant time, and removed or inserted in logarithmic time.
///
/// It is compiled where it is used: for an unknown type, each comparison would look up metadata.
@usableFromInline
package struct Heap<Element: Comparable> {
    @usableFromInline var elements: [Element] = []

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { elements.count }

    @inlinable
    package var first: Element? { elements.first }

    @inlinable
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        if !elements.isEmpty {
            elements[0] = last
            siftDown(0)
        }
        return first
    }

    @inlinable
    package mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

    /// Removes the matching elements in linear time.
    @inlinable
    package mutating func removeAll(where isDropped: (Element) -> Bool) {
        elements.removeAll(where: isDropped)
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    @inlinable
    mutating func siftDown(_ index: Int) {
        var parent = index
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < elements.count && elements[child] < elements[smallest] {
                smallest = child
            }
            guard smallest != parent else { return }
            elements.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
