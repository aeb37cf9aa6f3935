// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Terminal

@Suite("Points of charts")
struct SampledSeriesTests {
    @Test("a few points have a bucket each")
    func few() {
        var series = SampledSeries(limit: 8)
        for (index, value) in [3.0, 1, 2].enumerated() { series.add(value, at: Double(index)) }
        #expect(series.buckets.flatMap(\.points).map(\.value) == [3, 1, 2])
        #expect(series.count == 3 && series.mergedCount == 0 && series.omittedCount == 0)
    }

    @Test("a million points stay within the limit, and every peak is kept")
    func many() {
        var series = SampledSeries(limit: 64)
        for index in 0..<1_000_000 {
            let value = index == 333_333 ? 99.0 : index == 777_777 ? -99 : Double(index % 10)
            series.add(value, at: Double(index))
            #expect(series.buckets.count <= 64)
        }
        #expect(series.count == 1_000_000 && series.buckets.map(\.count).reduce(0, +) == 1_000_000)
        #expect(series.buckets.count >= 32 && series.mergedCount == 1_000_000 - series.buckets.count)
        let points = series.buckets.flatMap(\.points)
        #expect(points.contains(.init(position: 333_333, value: 99)))
        #expect(points.contains(.init(position: 777_777, value: -99)))
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.position <= $1.position })
    }

    @Test("a gap begins a new bucket, and the first value follows no gap")
    func gaps() {
        var series = SampledSeries(limit: 8)
        series.interrupt()
        series.add(1, at: 0)
        series.interrupt()
        series.interrupt()
        series.add(2, at: 5)
        #expect(series.buckets.map(\.followsGap) == [false, true])
    }

    @Test("a device that loses its link repeatedly needs no more memory")
    func floodOfGaps() {
        var series = SampledSeries(limit: 16)
        for index in 0..<10_000 {
            series.add(Double(index), at: Double(index))
            series.interrupt()
        }
        #expect(series.buckets.count <= 16 && series.count == 10_000)
    }

    @Test("values that cannot be drawn are counted")
    func omitted() {
        var series = SampledSeries()
        for value in [Double.infinity, -.infinity, .nan, 1e200, -1e200] { series.add(value, at: 0) }
        series.add(1, at: .nan)
        #expect(series.omittedCount == 6 && series.buckets.isEmpty && series.last == nil)
    }

    @Test("time does not run back")
    func order() {
        var series = SampledSeries()
        series.add(1, at: 10)
        series.add(2, at: 4)
        #expect(series.last == .init(position: 10, value: 2))
    }
}
