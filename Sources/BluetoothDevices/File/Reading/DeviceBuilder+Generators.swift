// SPDX-License-Identifier: MIT

import BluetoothProfiles

extension DeviceBuilder {
    /// The members that decide the kind of generator, in the order of the search.
    private static let generatorKeys = [
        "ramp", "sine", "walk", "random", "steps", "timetable", "counter", "clock", "follows",
    ]

    /// The member that determines the kind of generator; `nil` if the object is not a generator.
    func generatorKey(_ cursor: JSONCursor) -> String? {
        Self.generatorKeys.first { key in
            guard let value = cursor[key] else { return false }
            // A field of a characteristic may have the same name, but not the same kind of content.
            switch key {
            case "counter": return value.number != nil
            case "clock": return value.string?.first?.isNumber == true
            case "follows": return value.string != nil
            default: return value.elements != nil
            }
        }
    }

    /// The generator of an object; `nil` if it is none, or if a part of it is wrong.
    mutating func generator(_ cursor: JSONCursor) -> NumberGenerator? {
        switch generatorKey(cursor) {
        case "ramp":
            guard let (from, to) = pair(cursor["ramp"]), let over = duration(cursor["over"]) else { return nil }
            return .ramp(from: from, to: to, over: over, repeats: cursor["repeat"]?.bool ?? false)
        case "sine":
            guard let (low, high) = range(cursor["sine"]), let period = duration(cursor["period"]) else { return nil }
            return .sine(low: low, high: high, period: period)
        case "walk": return walk(cursor)
        case "random": return range(cursor["random"]).map { .random(low: $0, high: $1) }
        case "steps":
            var numbers: [DecimalNumber] = []
            for element in cursor["steps"]?.elements ?? [] {
                if let number = number(element) { numbers.append(number) }
            }
            return numbers.isEmpty ? nil : .steps(numbers, every: duration(cursor["every"]))
        case "timetable": return timetable(cursor)
        case "counter":
            guard let from = number(cursor["counter"]) else { return nil }
            let limit = cursor["limit"].flatMap { number($0) }
            if let limit, let member = cursor["limit"], limit.double < from.double {
                faults.add(member, "the limit, \(limit), is less than the first number, \(from)")
            }
            return .counter(from: from, step: cursor["step"].flatMap { number($0) } ?? DecimalNumber(1), limit: limit)
        case "clock": return duration(cursor["clock"]).map { .clock(unit: $0) }
        case "follows": return follower(cursor).map { .follower($0) }
        default: return nil
        }
    }

    private mutating func follower(_ cursor: JSONCursor) -> NumberFollower? {
        guard let source = reference(cursor["follows"]) else { return nil }
        let format = cursor["from"]?.string.flatMap { FileName.numberFormat($0) }
        var follower = NumberFollower(source, field: cursor["field"]?.string, format: format)
        if let factor = number(cursor["factor"]) { follower.factor = factor }
        if let offset = number(cursor["offset"]) { follower.offset = offset }
        follower.rate = number(cursor["rate"])
        follower.start = number(cursor["start"])
        if let rate = follower.rate, rate.isNegative || rate == .zero, let member = cursor["rate"] {
            faults.add(member, "expected a number greater than 0, found \(rate)")
        }
        if follower.rate == nil, let member = cursor["start"] {
            faults.add(member, "the first number is used by 'rate', which is missing")
        }
        return follower
    }

    /// A random walk. A step of zero would never move, and a start outside of the range would jump.
    private mutating func walk(_ cursor: JSONCursor) -> NumberGenerator? {
        guard let (low, high) = range(cursor["walk"]), let step = cursor["step"].flatMap({ number($0) }) else {
            return nil
        }
        if step.isNegative || step == .zero, let member = cursor["step"] {
            faults.add(member, "expected a number greater than 0, found \(step)")
        }
        let start = cursor["start"].flatMap { number($0) }
        if let start, let member = cursor["start"], !(low.double...high.double).contains(start.double) {
            faults.add(member, "expected a number from \(low) to \(high), found \(start)")
        }
        return .walk(low: low, high: high, step: step, start: start)
    }

    /// A timetable, whose times must not go back.
    private mutating func timetable(_ cursor: JSONCursor) -> NumberGenerator? {
        var entries: [NumberGenerator.TimedNumber] = []
        for entry in cursor["timetable"]?.elements ?? [] {
            guard let pair = entry.elements, pair.count == 2, let at = duration(pair[0]), let number = number(pair[1])
            else { continue }
            if let last = entries.last, at < last.at { faults.add(pair[0], "the time is before the one before it") }
            entries.append(.init(at: at, number))
        }
        return entries.isEmpty ? nil : .timetable(entries, repeats: cursor["repeat"]?.bool ?? false)
    }

    private mutating func pair(_ cursor: JSONCursor?) -> (DecimalNumber, DecimalNumber)? {
        guard let elements = cursor?.elements, elements.count == 2, let first = number(elements[0]),
            let second = number(elements[1])
        else { return nil }
        return (first, second)
    }

    /// Two numbers, the first of which is not greater.
    private mutating func range(_ cursor: JSONCursor?) -> (DecimalNumber, DecimalNumber)? {
        guard let cursor, let (low, high) = pair(cursor) else { return nil }
        guard low.double <= high.double else {
            faults.add(cursor, "the first number, \(low), is greater than the second one, \(high)")
            return nil
        }
        return (low, high)
    }

    /// A number with which generators can compute.
    private mutating func number(_ cursor: JSONCursor?) -> DecimalNumber? {
        guard let cursor, let number = cursor.number else { return nil }
        // Differences and products of such numbers stay finite.
        guard number.double.magnitude <= 1e100 else {
            faults.add(cursor, "\(number) is too large")
            return nil
        }
        return number
    }
}

extension NumberGenerator {
    /// The least and the greatest number that it is known to make.
    var bounds: [DecimalNumber] {
        let numbers: [DecimalNumber] =
            switch self {
            case .ramp(let from, let to, _, _): [from, to]
            case .sine(let low, let high, _), .walk(let low, let high, _, _), .random(let low, let high): [low, high]
            case .steps(let numbers, _): numbers
            case .timetable(let entries, _): entries.map(\.number)
            case .counter(let from, _, let limit): [from, limit ?? from]
            // The clock and a follower are limited by their format, not by the file.
            case .clock: [.zero]
            case .follower(let follower): [follower.start ?? .zero]
            }
        let sorted = numbers.sorted { $0.double < $1.double }
        guard let low = sorted.first, let high = sorted.last else { return [] }
        return low == high ? [low] : [low, high]
    }
}
