// SPDX-License-Identifier: MIT

import Testing

@testable import BluetoothHost

@Suite("RecentSet")
struct RecentSetTests {
    /// Which of some elements are new to a set when they are added one after the other.
    private func new(_ elements: [Int], to set: inout RecentSet<Int>) -> [Bool] {
        elements.map { set.insert($0) }
    }

    @Test("a full set forgets its oldest element, and a known one does not become younger")
    func forgets() {
        var set = RecentSet<Int>(limit: 3)
        let first = new([1, 2, 3, 1, 4], to: &set)
        #expect(first == [true, true, true, false, true])
        #expect((1...4).map { set.contains($0) } == [false, true, true, true])
        let second = new([1], to: &set)
        #expect(second == [true])
        #expect((1...4).map { set.contains($0) } == [true, false, true, true])
        #expect(set.count == 3)
        set.removeAll()
        #expect(set.count == 0)
        let third = new([4, 4], to: &set)
        #expect(third == [true, false])
    }

    @Test("it has room for at least one element")
    func smallest() {
        var set = RecentSet<Int>(limit: 0)
        let isNew = new([1, 1, 2, 1], to: &set)
        #expect(isNew == [true, false, true, true])
    }
}
