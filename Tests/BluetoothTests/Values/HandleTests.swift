// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Attribute handles (Vol 3, Part F, 3.2.2)")
struct HandleTests {
    @Test("neighbours of a handle end at the first and the last one")
    func neighbours() {
        #expect(Handle.first.next == 0x0002)
        #expect(Handle.last.next == nil)
        #expect(Handle(0xFFFE).next == .last)
        #expect(Handle(0x0002).previous == .first)
        #expect(Handle.first.previous == nil)
        #expect(Handle.invalid.previous == nil)
        #expect(Handle.invalid.next == .first)
    }

    @Test("text and wire")
    func forms() {
        #expect("\(Handle(0x18))" == "0x0018")
        expectWire(Handle(0x0102), "0201")
        #expect(Handle(rawValue: 0x0102) == 0x0102)
        #expect(Handle(1) < Handle(2))
    }

    @Test("ranges include both ends, and may be received backwards")
    func ranges() {
        #expect(HandleRange.all.isValid)
        #expect("\(HandleRange.all)" == "0x0001…0xFFFF")
        #expect(HandleRange(5, 5).isValid)
        #expect(HandleRange(5, 5).contains(5))
        #expect(!HandleRange(5, 4).isValid)
        #expect(!HandleRange(0, 4).isValid)
        #expect(!HandleRange(5, 4).contains(5))
        let range = HandleRange(3, 7)
        #expect((0...9 as ClosedRange<UInt16>).filter { range.contains(Handle($0)) } == [3, 4, 5, 6, 7])
    }
}

@Suite("Moments")
struct InstantTests {
    @Test("moments and durations are added and subtracted")
    func arithmetic() {
        let start = Instant(nanoseconds: 1_000)
        #expect(start + .microseconds(2) == Instant(nanoseconds: 3_000))
        #expect(start + .seconds(-1) == Instant(nanoseconds: -999_999_000))
        #expect(Instant(nanoseconds: 3_000) - start == .microseconds(2))
        #expect(start - Instant(nanoseconds: 3_000) == .microseconds(-2))
        #expect(Instant.zero < start)
        #expect("\(start)" == "1000 ns")
    }

    @Test("moments are limited to the end of time")
    func saturation() {
        let end = Instant(nanoseconds: .max)
        let beginning = Instant(nanoseconds: .min)
        #expect(end + .nanoseconds(1) == end)
        #expect(Instant.zero + .seconds(Int64.max) == end)
        #expect(beginning + .nanoseconds(-1) == beginning)
        #expect(Instant.zero + .seconds(Int64.min) == beginning)
        #expect(end - beginning == .nanoseconds(Int64.max))
        #expect(beginning - end == .nanoseconds(Int64.min))
    }

    @Test("durations in nanoseconds are limited to their range")
    func clamping() {
        #expect(Duration.milliseconds(1_500).clampedNanoseconds == 1_500_000_000)
        #expect(Duration.milliseconds(-1_500).clampedNanoseconds == -1_500_000_000)
        #expect(Duration.zero.clampedNanoseconds == 0)
        #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
        #expect(Duration.seconds(9_223_372_036).clampedNanoseconds == 9_223_372_036_000_000_000)
        #expect((Duration.seconds(9_223_372_036) + .milliseconds(999)).clampedNanoseconds == .max)
    }
}
