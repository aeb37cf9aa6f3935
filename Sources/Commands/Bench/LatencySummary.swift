// SPDX-License-Identifier: GPL-2.0-or-later

struct LatencySummary: Sendable, Equatable {
    /// A part of the histogram: from `lower` on, and below `upper`, or up to it in the last part.
    struct Bin: Sendable, Equatable {
        /// Where the part begins. A duration of exactly this length belongs to it.
        let lower: Duration
        /// Where the part ends, which is where the next one begins.
        let upper: Duration
        let count: Int
    }

    /// The number of parts of the histogram, unless all durations are the same.
    static let binCount = 10

    let least: Duration
    let greatest: Duration
    let mean: Duration
    /// The histogram: parts of equal width from the shortest to the longest duration.
    let bins: [Bin]
    /// All durations in ascending order, for the percentiles.
    private let sorted: [Duration]

    /// Summarizes durations; `nil` if there are none.
    init?(_ durations: [Duration]) {
        let sorted = durations.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        self.sorted = sorted
        (least, greatest) = (first, last)
        mean = sorted.reduce(.zero, +) / sorted.count
        guard first < last else {
            bins = [Bin(lower: first, upper: last, count: sorted.count)]
            return
        }
        let width = (last - first) / Self.binCount
        var counts = [Int](repeating: 0, count: Self.binCount)
        for duration in sorted {
            // The width is zero if the durations differ by less than ten attoseconds, the unit of Duration.
            let place = width > .zero ? Int((duration - first) / width) : 0
            // The longest duration is at the upper end of the last part, which belongs to it.
            counts[min(place, Self.binCount - 1)] += 1
        }
        bins = counts.enumerated().map { index, count in
            let isLast = index == Self.binCount - 1
            return Bin(lower: first + width * index, upper: isLast ? last : first + width * (index + 1), count: count)
        }
    }

    /// The least duration that at least that share of all durations does not exceed (nearest rank).
    ///
    /// - Parameter percent: 1 to 100.
    func percentile(_ percent: Int) -> Duration {
        let rank = (sorted.count * min(max(percent, 1), 100) + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
