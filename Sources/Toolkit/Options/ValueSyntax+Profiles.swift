// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import CommandLineInterface
import Terminal

/// Values whose words come from BluetoothProfiles, so that additions there are accepted and completed without a change
/// here.
extension ValueSyntax where Value == ValueFormat {
    /// The name of a format of bytes: `u16be`.
    package static var format: ValueSyntax<ValueFormat> {
        ValueSyntax(name: "FORMAT", completion: .format) { text throws(ValueProblem) in
            do {
                return try ValueFormat(text)
            } catch {
                throw ValueProblem(
                    expectation: "expected a format such as hex, utf8, raw, u8, s16 or u32be",
                    suggestion: Suggestion.closest(to: text, among: ValueFormat.names)
                )
            }
        }
    }
}

extension ValueSyntax where Value == WatchedWord {
    /// The name of a profile, or a characteristic whose values can be decoded.
    package static var profile: ValueSyntax<WatchedWord> {
        ValueSyntax(
            name: "PROFILE",
            choices: { Profile.all.map { Choice(word: $0.name, summary: $0.title) } }
        ) { WatchedWord(text: $0) }
    }
}

/// A profile or characteristic to watch, as the user names it. It is resolved later, when the names of private
/// characteristics are known.
package struct WatchedWord: Hashable, Sendable {
    package let text: String

    package func profile(in formats: FormatCatalogue) throws(ValueProblem) -> Profile {
        if let profile = Profile.named(text) { return profile }
        guard let target = try? AttributeTarget(text, in: formats) else { throw Self.unknown(text) }
        return try Self.profile(of: target, text, formats)
    }

    private static func profile(
        of target: AttributeTarget,
        _ text: String,
        _ formats: FormatCatalogue
    ) throws(ValueProblem) -> Profile {
        guard case .characteristic(let uuid, let service) = target.kind else {
            throw ValueProblem(
                expectation: "expected a profile or a characteristic; other values: blectl notify \(text)"
            )
        }
        guard formats.format(of: uuid) != nil else {
            throw ValueProblem(expectation: "its values have no known format; their octets: blectl notify \(text)")
        }
        return Profile(of: uuid, in: service ?? formats.service(ofCharacteristic: uuid), named: text)
    }

    /// The problem of a word that is neither a profile nor a characteristic, with the nearest words that are.
    private static func unknown(_ text: String) -> ValueProblem {
        let names = Profile.all.map(\.name)
        let words = "expected a characteristic, or a profile: \(Prose.list(names))"
        if let name = Suggestion.closest(to: text, among: names) {
            return ValueProblem(expectation: words, suggestion: name)
        }
        // `watch` prints decoded values, so that only characteristics with a known format are suggested.
        let near = AssignedNumbers.suggestions(for: text, kinds: [.characteristic], limit: 3).first {
            AssignedNumbers.uuids(named: $0, kinds: [.characteristic]).contains { CharacteristicValue.isKnown($0.uuid) }
        }
        return ValueProblem(
            expectation: words,
            suggestion: near,
            hint: near == nil ? AttributeTarget.hint(for: text[...]) : nil
        )
    }
}

extension ValueSyntax where Value == [String] {
    /// Words with commas between them.
    package static func words(_ name: String) -> ValueSyntax<[String]> {
        ValueSyntax(name: name) { text throws(ValueProblem) in
            let words = text.lowercased().split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingSpaces }
            guard words.allSatisfy({ !$0.isEmpty }) else {
                throw ValueProblem(expectation: "expected words with commas between them")
            }
            return words
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

extension ValueSyntax where Value == RecordAccess.Selection {
    /// Some of the records that a device has stored.
    package static var records: ValueSyntax<RecordAccess.Selection> {
        ValueSyntax(name: "WHICH") { text throws(ValueProblem) in
            switch text {
            case "all": return .all
            case "first": return .first
            case "last": return .last
            default:
                guard let number = UInt16(text) else {
                    throw ValueProblem(
                        expectation: "expected all, first, last, or the number of a record from 0 to 65535",
                        suggestion: Suggestion.closest(to: text, among: ["all", "first", "last"])
                    )
                }
                return .since(number)
            }
        }
    }
}

extension ValueSyntax where Value == DeviceIdentifier {
    package static func device(_ name: String) -> ValueSyntax<DeviceIdentifier> {
        ValueSyntax(name: name, completion: .device) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem(expectation: "it is empty") }
            do throws(DeviceIdentifier.Problem) {
                return try DeviceIdentifier(text)
            } catch {
                throw ValueProblem(expectation: error.expectation)
            }
        }
    }
}
