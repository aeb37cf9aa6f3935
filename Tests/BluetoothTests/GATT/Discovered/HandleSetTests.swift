// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

@Suite("HandleSet")
struct HandleSetTests {
    @Test("ranges that overlap or touch are merged, in any order")
    func joins() {
        let set = HandleSet([HandleRange(9, 9), HandleRange(1, 3), HandleRange(12, 20), HandleRange(4, 5)])
        #expect(set.ranges == [HandleRange(1, 5), HandleRange(9, 9), HandleRange(12, 20)])
        var joined = set
        joined.insert(HandleRange(5, 12))
        #expect(joined.ranges == [HandleRange(1, 20)])
        #expect(HandleSet([HandleRange(6, 8), HandleRange(9, 11), HandleRange(1, 5)]).ranges == [HandleRange(1, 11)])
    }

    @Test("a range that is backwards or begins at 0x0000 is ignored")
    func invalidRanges() {
        var set = HandleSet([HandleRange(5, 4), HandleRange(0, 9)])
        #expect(set.isEmpty)
        set.insert(.all)
        set.remove(HandleRange(5, 4))
        set.remove(HandleRange(0, 9))
        #expect(set.ranges == [.all])
        #expect(HandleSet().firstGap(in: HandleRange(5, 4)) == nil)
        #expect(HandleSet().firstGap(in: HandleRange(0, 4)) == nil)
    }

    @Test("a range can be taken out of the middle, of both ends, and as a whole")
    func removes() {
        var set = HandleSet([.all])
        set.remove(HandleRange(1, 1))
        set.remove(HandleRange(0xFFFF, 0xFFFF))
        set.remove(HandleRange(0x10, 0x1F))
        #expect(set.ranges == [HandleRange(2, 0x0F), HandleRange(0x20, 0xFFFE)])
        #expect(set.firstGap(in: .all) == 1)
        #expect(set.firstGap(in: HandleRange(2, 0xFFFF)) == 0x10)
        #expect(set.firstGap(in: HandleRange(0x20, 0xFFFF)) == 0xFFFF)
        #expect(set.firstGap(in: HandleRange(0x20, 0xFFFE)) == nil)
        set.remove(.all)
        #expect(set.isEmpty && set == HandleSet())
    }

    /// The same set as an array with a truth value for each handle.
    private struct Model {
        var isIn = [Bool](repeating: false, count: 0x10000)

        mutating func set(_ range: HandleRange, _ value: Bool) {
            guard range.isValid else { return }
            for number in Int(range.start.rawValue)...Int(range.end.rawValue) { isIn[number] = value }
        }

        func firstGap(in range: HandleRange) -> Handle? {
            guard range.isValid else { return nil }
            let numbers = Int(range.start.rawValue)...Int(range.end.rawValue)
            return numbers.first { !isIn[$0] }.map { Handle(UInt16($0)) }
        }

        func end(ofRunFrom handle: Handle) -> Handle? {
            let start = Int(handle.rawValue)
            guard isIn[start] else { return nil }
            let end = isIn[start...].firstIndex(of: false) ?? 0x10000
            return Handle(UInt16(end - 1))
        }

        /// The runs, in order.
        var ranges: [HandleRange] {
            var ranges: [HandleRange] = []
            var next = 1
            while let start = isIn[next...].firstIndex(of: true) {
                let end = isIn[start...].firstIndex(of: false) ?? 0x10000
                ranges.append(HandleRange(Handle(UInt16(start)), Handle(UInt16(end - 1))))
                guard end < 0x10000 else { break }
                next = end
            }
            return ranges
        }
    }

    /// Handles at which mistakes are likely: the first, the last, and a few between them.
    private static func handle(_ generator: inout SeededGenerator) -> Handle {
        let offset = UInt16.random(in: 0...24, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<9: return Handle(offset)
        case 9..<18: return Handle(0xFFFF - offset)
        default: return Handle(UInt16.random(in: 0...0xFFFF, using: &generator))
        }
    }

    private static func range(_ generator: inout SeededGenerator) -> HandleRange {
        let start = handle(&generator)
        // Mostly a short range, so that many ranges exist side by side.
        guard Int.random(in: 0..<8, using: &generator) > 0 else { return HandleRange(start, handle(&generator)) }
        let length = UInt16.random(in: 0...4, using: &generator)
        return HandleRange(start, Handle(start.rawValue + min(length, 0xFFFF - start.rawValue)))
    }

    @Test("it contains the handles that were inserted and not removed", arguments: 1...24 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (set, model) = (HandleSet(), Model())
        for _ in 0..<150 {
            let range = Self.range(&generator)
            if Int.random(in: 0..<5, using: &generator) < 3 {
                set.insert(range)
                model.set(range, true)
            } else {
                set.remove(range)
                model.set(range, false)
            }
            let handle = Self.handle(&generator)
            #expect(set.contains(handle) == model.isIn[Int(handle.rawValue)])
            #expect(set.end(ofRunFrom: handle) == model.end(ofRunFrom: handle))
            let asked = Self.range(&generator)
            #expect(set.firstGap(in: asked) == model.firstGap(in: asked))
            #expect(set.isEmpty == set.ranges.isEmpty)
        }
        #expect(set.ranges == model.ranges)
        #expect(HandleSet(set.ranges.shuffled(using: &generator)) == set)
    }
}
