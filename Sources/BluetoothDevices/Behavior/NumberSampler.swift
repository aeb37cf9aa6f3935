// SPDX-License-Identifier: MIT

import Bluetooth

struct NumberSampler: Hashable, Sendable {
    /// The last number; `nil` before the first one.
    private var last: Double?
    /// Whether the last number was used. One that was only read is used when the next one is wanted.
    private var isUsed = false
    /// The number of the next step.
    private var index = 0
    /// The number that it follows, and the time after the start of the device since which it does.
    private var goal = Goal(since: .zero)

    private struct Goal: Hashable {
        var number: Double?
        var since: Duration
    }

    /// The next number of a generator.
    ///
    /// - Parameters:
    ///   - uptime: The time since the start of the device.
    ///   - advances: Whether a generator without a time goes on; otherwise it returns its last number again.
    ///   - followed: The number that a follower follows; `nil` if it is not known.
    ///   - limits: The numbers that the format of the value holds; `nil` if it has no limits. Counters and clocks begin
    ///     again beyond them.
    mutating func next(
        _ generator: NumberGenerator,
        at uptime: Duration,
        advances: Bool,
        following followed: Double? = nil,
        within limits: NumberLimits? = nil,
        _ random: inout SeededGenerator
    ) -> Double {
        if case .follower(let follower) = generator {
            let number = follow(follower, followed, at: uptime)
            return limits?.nearest(to: number) ?? number
        }
        if let number = generator.number(at: uptime) {
            guard case .clock = generator, let limits else { return number }
            return limits.wrapped(number)
        }
        // A number that a client has read before the stream begins is the first one that is sent.
        if let last, !advances || !isUsed {
            isUsed = isUsed || advances
            return last
        }
        let number = following(generator, within: limits, &random)
        last = number
        isUsed = advances
        return number
    }

    /// The number that follows another one. One with a rate has moved towards the number that it followed until now.
    private mutating func follow(_ follower: NumberFollower, _ followed: Double?, at uptime: Duration) -> Double {
        let former = goal
        goal = Goal(
            number: followed.map { $0 * follower.factor.double + follower.offset.double } ?? former.number,
            since: uptime
        )
        guard let rate = follower.rate else { return goal.number ?? 0 }
        guard let number = last, let towards = former.number else {
            last = last ?? follower.start?.double ?? goal.number
            return last ?? 0
        }
        // The uptime goes back after a restart, which also forgets the number.
        let step = rate.double.magnitude * max(0, (uptime - former.since).seconds)
        let next = number + max(-step, min(step, towards - number))
        last = next
        return next
    }

    /// The number after the last one, for generators with a state. The others are functions of time, and need no last
    /// number.
    private mutating func following(
        _ generator: NumberGenerator,
        within limits: NumberLimits?,
        _ random: inout SeededGenerator
    ) -> Double {
        switch generator {
        case .walk(let low, let high, let step, let start):
            // A definition in Swift is not checked: bounds in the wrong order count as the first number alone.
            let (low, high) = (low.double, max(low.double, high.double))
            let next = last.map { $0 + (random.unit() * 2 - 1) * step.double } ?? start?.double ?? (low + high) / 2
            return max(low, min(high, next))
        case .random(let low, let high):
            return low.double + random.unit() * (high.double - low.double)
        case .steps(let numbers, _):
            // A definition in Swift may have no numbers, and the remainder by zero would trap.
            guard !numbers.isEmpty else { return 0 }
            defer { index = (index + 1) % numbers.count }
            return numbers[index].double
        case .counter(let from, let step, let limit):
            guard let last else { return from.double }
            let next = last + step.double
            let isBeyond = limit.map { next > $0.double } ?? false || limits.map { !$0.contains(next) } ?? false
            return isBeyond ? from.double : next
        case .ramp, .sine, .timetable, .clock, .follower: return 0
        }
    }
}

extension NumberGenerator {
    /// The number at a time after the start of the device; `nil` if it depends on the earlier ones instead.
    fileprivate func number(at uptime: Duration) -> Double? {
        switch self {
        case .ramp(let from, let to, let over, let repeats):
            var part = over > .zero ? uptime.seconds / over.seconds : 1
            part = repeats ? part - part.rounded(.down) : min(part, 1)
            return from.double + (to.double - from.double) * part
        case .sine(let low, let high, let period):
            let turns = period > .zero ? uptime.seconds / period.seconds : 0
            return (low.double + high.double) / 2 + (high.double - low.double) / 2 * Self.sine(turns: turns)
        case .steps(let numbers, let every?) where every > .zero:
            guard !numbers.isEmpty else { return 0 }
            // The uptime is negative for a moment after a restart, which puts the start into the future.
            let step = max(0, uptime.clampedNanoseconds) / max(1, every.clampedNanoseconds)
            return numbers[Int(step % Int64(numbers.count))].double
        case .timetable(let entries, let repeats):
            guard let first = entries.first, let end = entries.last?.at else { return 0 }
            var time = uptime
            if repeats, end > .zero {
                // A duration greater than zero may still be zero in whole nanoseconds.
                time = .nanoseconds(uptime.clampedNanoseconds % max(1, end.clampedNanoseconds))
            }
            return (entries.last(atOrBefore: time, \.at) ?? first).number.double
        case .clock(let unit): return unit > .zero ? (uptime.seconds / unit.seconds).rounded(.down) : 0
        case .walk, .random, .steps, .counter, .follower: return nil
        }
    }

    /// The sine of a number of turns, with additions and multiplications only, because these round the same way on
    /// every machine. It differs from the true one by less than 0.000004.
    static func sine(turns: Double) -> Double {
        guard turns.isFinite else { return 0 }
        let phase = turns - turns.rounded(.down)
        // Folded to -1/4 to 1/4 turn, where the series below is accurate.
        let folded = phase < 0.25 ? phase : phase < 0.75 ? 0.5 - phase : phase - 1
        let x = folded * 2 * Double.pi
        let square = x * x
        // The Taylor series up to x⁹ in the form of Horner. Its error is greatest at a quarter turn.
        return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
    }
}

extension Duration {
    /// The duration in seconds. Beyond 292 years it is clamped.
    var seconds: Double { Double(clampedNanoseconds) / 1e9 }
}
