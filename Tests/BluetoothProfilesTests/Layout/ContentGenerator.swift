// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

@testable import BluetoothProfiles

/// Generates valid contents of formats, and what they are once they are encoded and decoded.
struct ContentGenerator {
    typealias Content = DecodedValue.Content

    /// A content as a person may write it, and as it is decoded.
    struct Sample {
        let written: Content
        let decoded: Content

        init(_ content: Content) { self.init(content, decodedAs: content) }

        init(_ written: Content, decodedAs decoded: Content) {
            self.written = written
            self.decoded = decoded
        }
    }

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// `nil` for formats that are hand-written.
    mutating func sample(of format: CharacteristicFormat) -> Sample? {
        switch format.layout {
        case .fields(let group): members(of: group)
        case .text: Sample(.string(word(upTo: 20)))
        case .editions(let editions):
            sample(of: editions.current).map { Sample($0.written, decodedAs: editions.unified($0.decoded)) }
        case .models(let formats): formats.usual.flatMap { sample(of: $0) }
        case .handWritten: nil
        }
    }

    private mutating func members(of group: FieldGroup) -> Sample {
        let flags = flags(of: group)
        var word: UInt64? = flags
        var written: [DecodedValue.Member] = []
        var decoded: [DecodedValue.Member] = []
        for field in group.fields {
            let isPresent = field.condition.isMet(by: flags)
            if case .word = field.kind { word = isPresent ? random.next() : nil }
            guard !field.key.isEmpty else { continue }
            var sample = Sample(.null)
            if let part = part(field, flags: flags, word: word) {
                sample = part
            } else if isPresent, field.mayBeMissing, Bool.random(using: &random) {
                let content = Content.string("")
                if case .hex = field.kind { sample = Sample(.null, decodedAs: content) }
            } else if isPresent {
                sample = value(of: field, flags: flags)
            } else if case .series(_, let series) = field.kind, series.isEmptyWhenAbsent {
                sample = Sample(.array([]))
            }
            // An absent member may be missing or `null`.
            if sample.written != .null || Bool.random(using: &random) {
                written.append(.init(field.key, sample.written))
            }
            decoded.append(.init(field.key, sample.decoded))
        }
        // The order of the members does not matter.
        written.shuffle(using: &random)
        return Sample(.object(written), decodedAs: .object(decoded))
    }

    /// Flags without reserved values in their parts.
    private mutating func flags(of group: FieldGroup) -> UInt64 {
        var flags = random.next()
        for field in group.fields {
            switch field.kind {
            case .word: return flags
            case .part(let bits, let names):
                let mask: UInt64 = ((1 << UInt64(bits.count)) - 1) << UInt64(bits.lowerBound)
                flags =
                    flags & ~mask | (names.keys.sorted().randomElement(using: &random) ?? 0) << UInt64(bits.lowerBound)
            default: break
            }
        }
        return flags
    }

    private mutating func part(_ field: Field, flags: UInt64, word: UInt64?) -> Sample? {
        switch field.kind {
        case .flag(let bit):
            return Sample(.bool(flags.part(bit...bit) == 1))
        case .supportedBit(let bit, let supported, _):
            return Sample(flags.part(supported...supported) == 1 ? .bool(flags.part(bit...bit) == 1) : .null)
        case .bit(let bit):
            return Sample(word.map { .bool($0.part(bit...bit) == 1) } ?? .null)
        case .partNumber(let bits):
            return Sample(word.map { .number($0.part(bits)) } ?? .null)
        case .part(let bits, let names):
            guard let word else { return Sample(.null) }
            let value = word.part(bits)
            let name = Content.string(names[value] ?? "reserved (\(value))")
            return Bool.random(using: &random) ? Sample(name) : Sample(.number(value), decodedAs: name)
        default:
            return nil
        }
    }

    private mutating func value(of field: Field, flags: UInt64) -> Sample {
        let special = field.kind.special.map(\.name)
        if field.kind != .dateUTC, let name = special.randomElement(using: &random),
            Int.random(in: 0..<8, using: &random) == 0
        {
            return Sample(.string(name), decodedAs: .null)
        }
        switch field.kind {
        case .number(let number): return Sample(self.number(number))
        case .series(let number, _):
            return Sample(.array((0...Int.random(in: 0...3, using: &random)).map { _ in self.number(number) }))
        case .sfloat(let exponent):
            let mantissa = Int.random(in: -2_045...2_045, using: &random)
            let power = Int.random(in: -8...7, using: &random)
            return Sample(.number(DecimalNumber(mantissa, exponent: power + exponent)))
        case .medicalFloat:
            let mantissa = Int.random(in: -8_388_605...8_388_605, using: &random)
            return Sample(.number(DecimalNumber(mantissa, exponent: Int.random(in: -9...9, using: &random))))
        case .float32:
            return Sample(.number(DecimalNumber(Float.random(in: -1e6...1e6, using: &random)) ?? .zero))
        case .timeExponential:
            return Sample(.number(ExponentialTime.seconds(UInt8.random(in: 0...0xFD, using: &random))))
        case .timeZone:
            return Sample(.number(15 * Int.random(in: -48...56, using: &random)))
        case .handle:
            return Sample(.number(UInt16.random(in: .min ... .max, using: &random)))
        case .elapsedTime:
            let count = UInt64.random(in: 0..<1 << 48, using: &random)
            return Sample(.number(DecimalNumber(count, exponent: ElapsedTime.exponent(flags: flags))))
        case .choice(_, let names):
            let numbers = names.keys.sorted().filter { number in
                field.mark.map { flags.part($0...$0) == (number == 0 ? 0 : 1) } ?? true
            }
            let number = numbers.randomElement(using: &random) ?? 0
            let name = Content.string(names[number] ?? "reserved (\(number))")
            return Bool.random(using: &random) ? Sample(name) : Sample(.number(number), decodedAs: name)
        case .bits(let integer, let names):
            let word = random.next() & (UInt64.max >> UInt64(64 - 8 * integer.octets))
            let found = Content.array(names.names(in: word).map { .string($0) })
            return Bool.random(using: &random) ? Sample(found) : Sample(.number(word), decodedAs: found)
        case .repeated(let element):
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(of: element, flags: flags) }
            return Sample(.array(elements.map(\.written)), decodedAs: .array(elements.map(\.decoded)))
        case .object(let group):
            return members(of: group)
        default:
            return Sample(.string(text(of: field, flags: flags)))
        }
    }

    private mutating func number(_ number: NumberFormat) -> Content {
        let format = number.wider?.integer ?? number.integer
        while true {
            let ends = [number.integers.lowerBound, number.integers.upperBound]
            let isAtEnd = Int.random(in: 0..<8, using: &random) == 0
            let drawn = isAtEnd ? ends.randomElement(using: &random) : nil
            let integer = drawn ?? Int128.random(in: number.integers, using: &random)
            if number.special[format.bits(of: integer)] == nil { return .number(number.scaled(DecimalNumber(integer))) }
        }
    }

    private mutating func text(of field: Field, flags: UInt64) -> String {
        switch field.kind {
        case .dateTime: return "\(date(in: 1582...9999))T\(clock())"
        case .date: return date(in: 1582...9999)
        case .dateUTC: return date(in: 1971...9999)
        case .epochTime:
            let isRecent = flags.part(EpochTime.recentBit...EpochTime.recentBit) == 1
            return "\(date(in: isRecent ? 2000...2135 : 1900...1999))T\(clock())"
        case .hex(let octets): return Hex.string(bytes(octets ?? Int.random(in: 0...5, using: &random)))
        case .address: return BluetoothAddress(rawValue: random.next()).description
        case .eui64: return bytes(8).map { Hex.string($0, minimumDigits: 2) }.joined(separator: ":")
        case .hidVersion: return "0\(Int.random(in: 1...9, using: &random)).\(Int.random(in: 10...99, using: &random))"
        case .unit:
            return AssignedNumbers.unit(BluetoothUUID(UInt16.random(in: 0x2700...0x2707, using: &random)))?.name ?? ""
        case .uuid, .uuid16: return BluetoothUUID(UInt16.random(in: 0x2A00...0x2AFF, using: &random)).description
        case .text(let octets, _): return word(upTo: octets ?? 20)
        default: return word(upTo: 10)
        }
    }

    private mutating func date(in years: ClosedRange<Int>) -> String {
        let (year, month) = (Int.random(in: years, using: &random), Int.random(in: 1...12, using: &random))
        return CivilDate(year: year, month: month, day: Int.random(in: 1...28, using: &random)).description
    }

    private mutating func clock() -> String {
        [23, 59, 59].map { CivilDate.padded(Int.random(in: 0...$0, using: &random), 2) }.joined(separator: ":")
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    private mutating func word(upTo count: Int) -> String {
        String(
            (0..<Int.random(in: 0...count, using: &random)).map { _ in "abc 123".randomElement(using: &random) ?? "a" }
        )
    }
}
