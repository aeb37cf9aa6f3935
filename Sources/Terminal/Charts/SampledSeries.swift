// SPDX-License-Identifier: GPL-2.0-or-later

/// Points of a chart in the order of their positions, in bounded memory.
///
/// When there are too many, neighbours are merged in pairs, and from then on each bucket takes twice as many points as
/// before. A bucket keeps its least and its greatest value, so that no peak is lost.
package struct SampledSeries: Sendable, Equatable {
    package struct Point: Sendable, Equatable {
        /// The place on the horizontal axis.
        package let position: Double
        package let value: Double
    }

    /// Neighbouring points.
    package struct Bucket: Sendable, Equatable {
        package fileprivate(set) var least: Point
        package fileprivate(set) var greatest: Point
        package fileprivate(set) var count = 1
        /// Whether points are missing before the first one.
        let followsGap: Bool

        fileprivate init(_ point: Point, followsGap: Bool) {
            (least, greatest) = (point, point)
            self.followsGap = followsGap
        }

        /// Merges another bucket: only the extremes of both are kept.
        fileprivate mutating func add(_ other: Bucket) {
            if other.least.value < least.value { least = other.least }
            if other.greatest.value > greatest.value { greatest = other.greatest }
            count += other.count
        }

        /// The extremes in the order of their positions.
        var points: [Point] {
            guard least != greatest else { return [least] }
            return least.position <= greatest.position ? [least, greatest] : [greatest, least]
        }
    }

    /// The greatest magnitude that is drawn, so that the difference of two values is a number.
    private static let magnitude = 1e150

    /// The maximum number of buckets: twice as many as there are after merging.
    package let limit: Int
    /// The buckets from left to right.
    package private(set) var buckets: [Bucket] = []
    package private(set) var count = 0
    /// The number of values that are too large to be drawn.
    private(set) var omittedCount = 0
    package private(set) var last: Point?
    private var size = 1
    /// Whether the next point follows a gap.
    private var isInterrupted = false

    /// - Parameter limit: The most buckets, at least two.
    package init(limit: Int = 1_024) { self.limit = max(2, limit) }

    /// The number of points that have no bucket of their own.
    var mergedCount: Int { count - buckets.count }

    /// Adds a point, at the position of the one before or after it.
    package mutating func add(_ value: Double, at position: Double) {
        guard value.isFinite, position.isFinite, abs(value) <= Self.magnitude, abs(position) <= Self.magnitude else {
            omittedCount += 1
            return
        }
        // The line never goes back, even if values are out of order.
        let point = Point(position: max(position, last?.position ?? position), value: value)
        last = point
        count += 1
        let bucket = Bucket(point, followsGap: isInterrupted)
        isInterrupted = false
        if !bucket.followsGap, let index = buckets.indices.last, buckets[index].count < size {
            buckets[index].add(bucket)
            return
        }
        if buckets.count >= limit { merge() }
        buckets.append(bucket)
    }

    /// Points are missing here. No line is drawn across it, unless there are so many points that the gap cannot be
    /// seen.
    package mutating func interrupt() { isInterrupted = !buckets.isEmpty }

    /// Merges neighbouring buckets in pairs. A gap within a pair disappears, because a bucket has one
    /// beginning.
    private mutating func merge() {
        size = size.multipliedReportingOverflow(by: 2).partialValue
        var merged: [Bucket] = []
        for (index, bucket) in buckets.enumerated() {
            if index % 2 == 0 { merged.append(bucket) } else { merged[merged.count - 1].add(bucket) }
        }
        buckets = merged
    }
}
