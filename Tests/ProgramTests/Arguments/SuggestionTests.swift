// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Terminal

@Suite("Did you mean")
struct SuggestionTests {
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

    @Test(
        "the nearest name of a device is suggested, if any is near",
        arguments: [
            Guess(typed: "thermo", word: "Thermo 1"), Guess(typed: "Termo 1", word: "Thermo 1"),
            Guess(typed: "*hermo*", word: "Thermo 1"), Guess(typed: "pulse", word: "Pulse HR"),
            Guess(typed: "my pulse hr", word: "Pulse HR"), Guess(typed: "lamp", word: nil), Guess(typed: "", word: nil),
            Guess(typed: "*", word: nil), Guess(typed: "x", word: nil),
        ]
    )
    func names(_ guess: Guess) {
        #expect(Suggestion.name(closestTo: guess.typed, among: ["Pulse HR", "Thermo 1", "X"]) == guess.word)
    }

    @Test("a very long argument is compared at once")
    func longArgument() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(Suggestion.closest(to: long, among: Self.words) == nil)
    }
}
