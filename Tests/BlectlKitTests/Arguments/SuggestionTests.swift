// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import BlectlKit

@Suite("Did you mean")
struct SuggestionTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let first: String
        let second: String
        let distance: Int?

        var testDescription: String { "\(first) \(second)" }
    }

    @Test(
        "the distance counts letters added, dropped, replaced and swapped",
        arguments: [
            Vector(first: "scan", second: "scan", distance: 0),
            Vector(first: "", second: "abc", distance: 3),
            Vector(first: "scn", second: "scan", distance: 1),
            Vector(first: "sccan", second: "scan", distance: 1),
            Vector(first: "sxan", second: "scan", distance: 1),
            Vector(first: "csan", second: "scan", distance: 1),
            Vector(first: "scna", second: "scan", distance: 1),
            Vector(first: "kitten", second: "sitting", distance: 3),
            Vector(first: "abcd", second: "wxyz", distance: nil),
            Vector(first: "ab", second: "abcdef", distance: nil),
        ]
    )
    func distance(_ vector: Vector) {
        #expect(Suggestion.distance(from: vector.first, to: vector.second, limit: 3) == vector.distance)
        #expect(Suggestion.distance(from: vector.second, to: vector.first, limit: 3) == vector.distance)
    }

    static let words = ["duration", "count", "name", "as", "device", "deadline", "json"]

    struct Guess: Sendable, CustomTestStringConvertible {
        let typed: String
        let word: String?

        var testDescription: String { typed }
    }

    @Test(
        "the nearest word is suggested, if any is near",
        arguments: [
            Guess(typed: "durtion", word: "duration"),
            Guess(typed: "dur", word: "duration"),
            Guess(typed: "de", word: "device"),
            Guess(typed: "cuont", word: "count"),
            Guess(typed: "jsn", word: "json"),
            Guess(typed: "nmae", word: "name"),
            Guess(typed: "at", word: "as"),
            Guess(typed: "xy", word: nil),
            Guess(typed: "j", word: nil),
            Guess(typed: "", word: nil),
            Guess(typed: "colour", word: nil),
        ]
    )
    func guesses(_ guess: Guess) {
        #expect(Suggestion.closest(to: guess.typed, among: Self.words) == guess.word)
    }

    @Test("an argument of any length is compared in no time")
    func longArgument() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(Suggestion.closest(to: long, among: Self.words) == nil)
    }
}
