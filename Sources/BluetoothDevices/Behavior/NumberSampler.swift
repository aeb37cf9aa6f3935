// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// Why a value is computed.
enum Look: Hashable, Sendable {
    /// A client reads it.
    case reading
    /// It is sent.
    case sending
}

/// The state of one number generator.
struct NumberSampler: Hashable, Sendable {
    /// The last number of a walk, or the number of the last step.
    private var last: Double?
    private var index = 0

    /// The next number of a generator.
    ///
    /// Counters and steps do not advance if a characteristic that is sent regularly is read, because a read then
    /// returns what was sent last.
    mutating func next(
        _ generator: NumberGenerator,
        now: Instant,
        advances: Bool,
        _ random: inout SeededGenerator
    ) -> Double {
        let seconds = Double((now - .zero).clampedNanoseconds) / 1e9
        switch generator {
        case .ramp(let from, let to, let over, let repeats):
            var part = over > .zero ? seconds / over.seconds : 1
            part = repeats ? part - part.rounded(.down) : min(part, 1)
            return from.double + (to.double - from.double) * part
        case .sine(let low, let high, let period):
            let turns = period > .zero ? seconds / period.seconds : 0
            return (low.double + high.double) / 2 + (high.double - low.double) / 2 * Self.sine(turns: turns)
        case .walk(let low, let high, let step, let start):
            let (low, high) = (low.double, max(low.double, high.double))
            let next = last.map { $0 + (random.unit() * 2 - 1) * step.double } ?? start?.double ?? (low + high) / 2
            let held = max(low, min(high, next))
            last = held
            return held
        case .random(let low, let high):
            return low.double + random.unit() * (high.double - low.double)
        case .steps(let numbers, let every):
            guard !numbers.isEmpty else { return 0 }
            if let every, every > .zero {
                return numbers[Int((seconds / every.seconds).truncatingRemainder(dividingBy: Double(numbers.count)))]
                    .double
            }
            defer { if advances { index = (index + 1) % numbers.count } }
            return numbers[index].double
        case .timetable(let entries, let repeats):
            guard let first = entries.first, let end = entries.last?.at else { return 0 }
            let moment = now - .zero
            let elapsed =
                repeats && end > .zero
                ? Duration.nanoseconds(moment.clampedNanoseconds % max(1, end.clampedNanoseconds)) : moment
            return (entries.last { $0.at <= elapsed } ?? first).number.double
        case .counter(let from, let step, let limit):
            let value = last ?? from.double
            if advances {
                let next = value + step.double
                last = limit.map { next > $0.double ? from.double : next } ?? next
            }
            return value
        case .clock(let unit):
            return unit > .zero ? (seconds / unit.seconds).rounded(.down) : 0
        }
    }

    /// The sine of a number of turns, with additions and multiplications only, because these round the same way on
    /// every machine. It differs from the true one by less than 0.0002.
    static func sine(turns: Double) -> Double {
        guard turns.isFinite else { return 0 }
        let phase = turns - turns.rounded(.down)
        // The quarter from 0 to 1/4 turn, in radians.
        let folded = phase < 0.25 ? phase : phase < 0.75 ? 0.5 - phase : phase - 1
        let x = folded * 2 * Double.pi
        let square = x * x
        return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)))
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(clampedNanoseconds) / 1e9 }
}
