// SPDX-License-Identifier: MIT

public import Bluetooth

/// A heart that rests and works in turn. The time between beats drifts towards the rate that the effort demands, with a
/// small variation. From time to time the strap loses contact for some seconds.
public struct Heart: Hashable, Sendable {
    /// The beats since the previous call.
    public struct Beats: Hashable, Sendable {
        /// Times between beats in 1/1024 s, oldest first; empty without contact.
        public var intervals: [UInt16]
        /// Whether the electrodes touch the skin.
        public var hasContact: Bool
    }

    /// The unit of times between beats in the Heart Rate Service: 1/1024 s.
    private static let unitsPerSecond: Int64 = 1_024
    /// The rate at rest, in beats per minute.
    private static let restRate = 66.0
    /// The rate under effort, in beats per minute.
    private static let effortRate = 128.0
    /// The maximum number of intervals that fit into a measurement of 20 octets beside a rate and an energy.
    private static let mostIntervals = 8

    /// The present rate in beats per minute, before the variation from beat to beat.
    private var pace = 66.0
    /// The rate that the pace drifts towards.
    private var target = 66.0
    /// When rest and effort change next.
    private var phaseEnd = Instant.zero
    /// The last beat, in units of 1/1024 s since the start of the clock.
    private var lastBeat: Int64 = 0
    /// The next beat, in the same units.
    private var nextBeat: Int64 = 0
    /// The last intervals, at most five, for the averaged rate.
    private var recent: [Int64] = []
    /// The energy since the last reset, in joules.
    private var joules = 0.0
    /// When the strap touches the skin again.
    private var contactLostUntil = Instant.zero
    /// When beats were asked for last.
    private var lastLook = Instant.zero

    /// A heart at rest.
    public init() {}

    /// Beats per minute, averaged over the last five beats.
    public var rate: UInt16 {
        let sum = recent.reduce(0, +)
        guard sum > 0 else { return UInt16(pace.rounded()) }
        return UInt16((60 * Self.unitsPerSecond * Int64(recent.count) + sum / 2) / sum)
    }

    /// Kilojoules since the last reset, limited to the range of the field.
    public var energy: UInt16 { UInt16(min(65_535, joules / 1_000)) }

    /// Counts the energy from zero.
    public mutating func resetEnergy() { joules = 0 }

    /// Starts a measurement. Beats since the last one are not reported, because nothing has counted them.
    public mutating func wake(_ now: Instant) {
        lastLook = now
        lastBeat = Self.units(now)
        nextBeat = lastBeat + 60 * Self.unitsPerSecond / Int64(pace)
    }

    /// The beats since the previous call.
    public mutating func beats(until now: Instant, _ random: inout SeededGenerator) -> Beats {
        changePace(now, &random)
        let end = Self.units(now)
        var intervals: [UInt16] = []
        while nextBeat <= end {
            let interval = nextBeat - lastBeat
            intervals.append(UInt16(clamping: interval))
            recent = recent.suffix(4) + [interval]
            lastBeat = nextBeat
            let mean = 60 * Double(Self.unitsPerSecond) / pace
            let factor = 1 + max(-0.1, min(0.1, random.bell() * 0.025))
            // At least 256 units, which are 240 beats per minute, so that the loop always moves on.
            nextBeat += max(256, Int64((mean * factor).rounded()))
        }
        let seconds = Double((now - lastLook).clampedNanoseconds) / 1e9
        joules += max(0, pace - 50) * 9 * seconds
        lastLook = now
        // With a value each second, the contact is lost every 15 minutes on average.
        if contactLostUntil <= now, random.happens(1.0 / 900) {
            contactLostUntil = now + .seconds(2) + random.duration(below: .seconds(3))
        }
        let hasContact = contactLostUntil <= now
        return Beats(intervals: hasContact ? intervals.suffix(Self.mostIntervals) : [], hasContact: hasContact)
    }

    /// Rest and effort last two to six minutes each. The rate follows within about half a minute.
    private mutating func changePace(_ now: Instant, _ random: inout SeededGenerator) {
        if phaseEnd <= now {
            // The first phase is a rest.
            let isRest = target > (Self.restRate + Self.effortRate) / 2 || phaseEnd == .zero
            target = (isRest ? Self.restRate : Self.effortRate) + random.bell() * 5
            phaseEnd = now + .seconds(120) + random.duration(below: .seconds(240))
        }
        pace += (target - pace) * 0.05 + random.bell() * 0.6
        pace = max(45, min(185, pace))
    }

    /// A moment in units of 1/1024 s. Seconds and the rest are multiplied separately, so that nothing
    /// overflows.
    private static func units(_ instant: Instant) -> Int64 {
        let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * unitsPerSecond + rest * unitsPerSecond / 1_000_000_000
    }
}
