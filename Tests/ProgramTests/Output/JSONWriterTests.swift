// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Foundation
import Testing

@testable import Records
@testable import Terminal

/// The reference for the writer: Foundation's encoder, with additional escaping.
private struct Encoded: Encodable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let integer = Int64(value.description) {
                try container.encode(integer)
            } else if let integer = UInt64(value.description) {
                try container.encode(integer)
            } else {
                try container.encode(Double(value.description))
            }
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values.map { Encoded(value: $0) })
        case .object(let members):
            let values = members.map { ($0.key, Encoded(value: $0.value)) }
            try container.encode(Dictionary(uniqueKeysWithValues: values))
        }
    }
}

@Suite("JSONWriter")
struct JSONWriterTests {
    private func written(_ value: JSONValue) -> String {
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func encoded(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text = ""
        for scalar in String(decoding: try encoder.encode(Encoded(value: value)), as: UTF8.self).unicodeScalars {
            guard scalar.value >= 0x7F, TerminalText.isUnsafe(scalar) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }

    private func randomText(_ generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let ranges: [ClosedRange<UInt32>] = [
                0...0x1F, 0x20...0x7F, 0x20...0x7F, 0x80...0xFF, 0x300...0x36F, 0x2000...0x206F, 0xE000...0xF8FF,
                0xFE00...0xFFFF, 0x1F300...0x1F6FF, 0xE0000...0x10FFFF,
            ]
            let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
            let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) ?? "\u{FFFD}"
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private func randomNumber(_ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...5, using: &generator) {
        case 0: .number(Int64.random(in: .min ... .max, using: &generator))
        case 1: .number(UInt64.random(in: .min ... .max, using: &generator))
        case 2: .number(Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator)))
        case 3: .number(Double(Int.random(in: -100_000...100_000, using: &generator)) / 100)
        case 4: .number(Double.random(in: -0.001...0.001, using: &generator))
        default: .number(Int64.random(in: -300...300, using: &generator))
        }
    }

    private func randomValue(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2, 3: return .string(randomText(&generator))
        case 4: return randomNumber(&generator)
        case 5:
            var elements: [JSONValue] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                elements.append(randomValue(&generator, depth: depth - 1))
            }
            return .array(elements)
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let keys = ["a", "a_b", "ab", "name", "name_raw", "service_data", "services", "t1", "t10", "t2"]
                members[keys[Int.random(in: 0..<keys.count, using: &generator)]] = randomValue(
                    &generator,
                    depth: depth - 1
                )
            }
            return .object(members)
        }
    }

    @Test("it writes the same octets as the encoder", arguments: 0..<20)
    func encoder(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let value = randomValue(&generator, depth: 3)
            let expected = try encoded(value)
            #expect(written(value) == expected)
        }
    }

    @Test(
        "numbers are written as the encoder does",
        arguments: [
            0.0, -0.0, 1.0, -1.0, 0.1, 36.6, 1e15, 1e16, 1e17, 1e-4, 1e-5, Double.leastNonzeroMagnitude,
            Double.greatestFiniteMagnitude,
            Double.nan, Double.infinity,
        ]
    )
    func numbers(number: Double) throws {
        let expected = try encoded(.number(number))
        #expect(written(.number(number)) == expected)
    }

    @Test("a number of 64 bits stays exact")
    func exact() throws {
        let values: [(UInt64, String)] = [
            (.max, "18446744073709551615"), (1 << 63, "9223372036854775808"), (7, "7"),
        ]
        for (value, text) in values {
            #expect(written(.number(value)) == text)
        }
        #expect(written(.number(Int64.min)) == "-9223372036854775808")
    }
}
