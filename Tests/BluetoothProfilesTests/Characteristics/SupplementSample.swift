// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Foundation

/// Octets of a characteristic, and what they mean by the reading of an independent program, `Tests/Supplement`.
struct SupplementSample {
    enum Verdict: Equatable {
        case valid
        /// Some numbers are special values that mean that there is none.
        case special
        case short
        /// The number of octets that belong to the format.
        case surplus(Int)
        /// A number is out of its range.
        case range
    }

    let uuid: BluetoothUUID
    let octets: [UInt8]
    let verdict: Verdict
    private let items: [Substring]

    init?(_ line: some StringProtocol) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 4, let uuid = BluetoothUUID(String(parts[0])), let octets = Hex.bytes(String(parts[1]))
        else {
            return nil
        }
        self.uuid = uuid
        self.octets = octets
        switch parts[2].split(separator: " ") {
        case ["valid"]: verdict = .valid
        case ["special"]: verdict = .special
        case ["short"]: verdict = .short
        case ["range"]: verdict = .range
        case let words where words.count == 2 && words[0] == "surplus":
            guard let count = Int(words[1]) else { return nil }
            verdict = .surplus(count)
        default: return nil
        }
        items = String(parts[3]).split(separator: " ")
    }

    /// The samples in a file.
    static func all(in file: URL) throws -> [SupplementSample] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return try lines.filter { !$0.hasPrefix("#") }.map { line in
            guard let sample = SupplementSample(line) else { throw Malformed(line: String(line)) }
            return sample
        }
    }

    struct Malformed: Error { let line: String }

    /// The numbers in the order of the octets.
    private var numbers: [DecimalNumber?] {
        items.filter { $0.hasPrefix("n") }.map { DecimalNumber(String($0.dropFirst())) }
    }

    /// Texts, times and octets in their order.
    private var texts: [String] {
        items.compactMap { item in
            switch item.first {
            case "t", "h": String(item.dropFirst())
            case "s": Hex.bytes(String(item.dropFirst())).map { String(decoding: $0, as: UTF8.self) }
            default: nil
            }
        }
    }

    /// What the format makes of the octets that the supplement does not, or the other way round; empty if they agree.
    func differences(from format: CharacteristicFormat) -> [String] {
        let value = format.decodeAsFarAsPossible(octets)
        let fault = value.fault.map { "\($0.reason.name), \($0)" } ?? "no fault"
        switch verdict {
        case .short:
            return value.fault?.isEnd == true ? [] : ["too short, but \(fault)"]
        case .range:
            switch value.fault?.reason {
            case .outOfRange, .reserved: return []
            default: return ["out of range, but \(fault)"]
            }
        case .surplus(let count):
            guard value.surplus.count == octets.count - count else {
                return ["\(octets.count - count) surplus octets, but \(fault), \(value.surplus.count)"]
            }
            return contentDifferences(value)
        case .valid, .special:
            if value.fault != nil { return ["valid, but \(fault)"] }
            return contentDifferences(value) + encodingDifferences(value, format)
        }
    }

    private func contentDifferences(_ value: DecodedValue) -> [String] {
        let leaves = Leaves(value.content)
        var differences: [String] = []
        if leaves.numbers != numbers {
            differences.append(
                "numbers \(numbers.map { $0?.description ?? "?" }), but \(leaves.numbers.map(\.description))"
            )
        }
        var rest = leaves.texts[...]
        for text in texts {
            guard let index = rest.firstIndex(of: text) else {
                differences.append("'\(text)', but \(leaves.texts)")
                break
            }
            rest = rest[(index + 1)...]
        }
        return differences
    }

    private func encodingDifferences(_ value: DecodedValue, _ format: CharacteristicFormat) -> [String] {
        do {
            let again = try format.encode(value.content)
            if again == octets { return [] }
            // Several special values are all decoded as `null`.
            if verdict == .special, format.decodeAsFarAsPossible(again).content == value.content { return [] }
            return ["encoded as \(Hex.string(again))"]
        } catch {
            // Special values other than "not known" have texts, which the content does not have.
            return verdict == .special ? [] : ["not encoded: \(error)"]
        }
    }
}

/// The parts of a content in their order.
private struct Leaves {
    private(set) var numbers: [DecimalNumber] = []
    private(set) var texts: [String] = []

    init(_ content: DecodedValue.Content) { append(content) }

    private mutating func append(_ content: DecodedValue.Content) {
        switch content {
        case .null, .bool: break
        case .number(let number): numbers.append(number)
        case .string(let text): texts.append(text)
        case .array(let elements): for element in elements { append(element) }
        case .object(let members): for member in members { append(member.value) }
        }
    }
}
