// SPDX-License-Identifier: MIT

import Bluetooth

extension FaultText: CustomStringConvertible {
    /// The sentence, which `init(parsing:)` understands.
    public var description: String {
        (device.map { "device \(FaultRule.quoted($0)): " } ?? "") + rule.description
    }
}

extension FaultRule: CustomStringConvertible {
    /// The sentence: `read battery-level: error 0x0E once`.
    public var description: String {
        let event = [operation.rawValue] + (target.map { [Self.quoted($0.text)] } ?? [])
        return "\(event.joined(separator: " ")): \(([effect.sentence(operation)] + conditions).joined(separator: " "))"
    }

    private var conditions: [String] {
        var words: [String] = []
        if let numbers {
            let last =
                numbers.upperBound == Int.max
                ? "-" : numbers.lowerBound == numbers.upperBound ? "" : "-\(numbers.upperBound)"
            words.append("#\(numbers.lowerBound)\(last)")
        }
        if let every { words.append("every \(every)") }
        if let times { words.append(times == 1 ? "once" : times == 2 ? "twice" : "\(times) times") }
        if let probability { words.append(Self.percentage(probability)) }
        if let window {
            if window.from > .zero || window.until == nil { words.append("from \(Self.time(window.from))") }
            if let until = window.until { words.append("until \(Self.time(until))") }
        }
        if isPerConnection { words.append("per connection") }
        return words
    }

    /// A word, in quotes if it could be taken for something else.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { octet in
            octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_") || octet == UInt8(ascii: "/")
                || (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
        }
        let first = text.utf8.first ?? 0x30
        let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        let isReserved = ["every", "once", "twice", "from", "until", "per"].contains(text.lowercased())
        if isPlain, !isReserved, isLetter || text.count >= 4, !text.isEmpty { return text }
        return text.contains("'") ? "\"\(text)\"" : "'\(text)'"
    }

    /// A probability in percent, with four digits after the point at most.
    private static func percentage(_ probability: Double) -> String {
        guard probability.isFinite else { return "0%" }
        let millionths = Int((max(0, min(1, probability)) * 1_000_000).rounded())
        // The added 10,000 keeps the zeros in front of the fraction.
        let fraction = String(10_000 + millionths % 10_000).dropFirst()
        let digits = fraction.dropLast(fraction.reversed().prefix { $0 == "0" }.count)
        return "\(millionths / 10_000)\(digits.isEmpty ? "" : ".\(digits)")%"
    }

    /// A duration in seconds, or in milliseconds or microseconds if it is not a whole number of the larger unit.
    static func time(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        if microseconds % 1_000 != 0 { return "\(microseconds)us" }
        if microseconds % 1_000_000 != 0 { return "\(microseconds / 1_000)ms" }
        return "\(microseconds / 1_000_000)s"
    }
}

extension FaultEffect {
    fileprivate func sentence(_ operation: FaultRule.Operation) -> String {
        switch self {
        case .delay(let time): return "delay \(FaultRule.time(time))"
        case .error(let code, let delay):
            let words = operation == .connect ? "refuse" : "error"
            let number = code.map { " 0x\(Hex.string($0, minimumDigits: 2))" } ?? ""
            return words + number + (delay > .zero ? " after \(FaultRule.time(delay))" : "")
        case .noAnswer: return "no answer"
        case .wrongOpcode(let opcode): return "wrong opcode 0x\(Hex.string(opcode, minimumDigits: 2))"
        case .truncate(let length): return "truncate to \(length)"
        case .oversize(let length): return "oversize to \(length)"
        case .drop(let drop):
            let delay = drop.delay > .zero ? " \(FaultRule.time(drop.delay))" : ""
            let reason = drop.reason == .remoteUserTerminatedConnection ? "" : " with \(drop.reason.faultWord)"
            return "drop \(drop.moment.rawValue)\(delay)\(reason)"
        case .duplicate: return "duplicate"
        case .reorder: return "reorder"
        case .lose: return "lose"
        case .pause(let time): return "pause" + (time.map { " for \(FaultRule.time($0))" } ?? "")
        case .report(let strength): return "report \(strength)"
        }
    }
}
