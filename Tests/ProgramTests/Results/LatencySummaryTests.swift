// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Commands

@Suite("A summary of latencies")
struct LatencySummaryTests {
    @Test func `percentiles are by the nearest rank`() throws {
        let summary = try #require(LatencySummary((1...200).reversed().map { .milliseconds($0) }))
        #expect(summary.least == .milliseconds(1) && summary.greatest == .milliseconds(200))
        #expect(summary.percentile(50) == .milliseconds(100))
        #expect(summary.percentile(90) == .milliseconds(180))
        #expect(summary.percentile(99) == .milliseconds(198))
        #expect(summary.percentile(100) == .milliseconds(200))
        #expect(summary.mean == .microseconds(100_500))
    }

    @Test func `each duration is in one part of the histogram`() throws {
        let summary = try #require(LatencySummary((0...100).map { .milliseconds($0) }))
        #expect(summary.bins.count == 10)
        #expect(summary.bins.map(\.count) == [10, 10, 10, 10, 10, 10, 10, 10, 10, 11])
        #expect(summary.bins.last?.upper == .milliseconds(100))
        for (bin, next) in zip(summary.bins, summary.bins.dropFirst()) { #expect(bin.upper == next.lower) }
    }

    @Test func `few durations, equal ones, and none`() throws {
        #expect(LatencySummary([]) == nil)
        let same = try #require(LatencySummary([.seconds(1), .seconds(1)]))
        #expect(
            same.bins.map(\.count) == [2] && same.percentile(1) == .seconds(1) && same.percentile(99) == .seconds(1)
        )
        let close = try #require(LatencySummary([.zero, .nanoseconds(1)]))
        #expect(close.bins.map(\.count).reduce(0, +) == 2)
    }
}
