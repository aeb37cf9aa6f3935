// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Random command lines")
struct RandomArgumentsTests {
    /// The pieces of random command lines: all words of the table, and words that must be refused.
    static let pieces: [String] = {
        let options = CommandSet.all.table.options.flatMap(\.forms)
        let choices = CommandSet.all.table.options.compactMap(\.value).flatMap { $0.choices.map(\.word) }
        let odd = [
            "", "-", "--", "---", "--=", "-=", "=", "-5", "-.5", "-.", "5", "0", "1.5", "500ms", "9e99", "nan", "x=y",
            "\u{1B}[31m", "\u{202E}", "\u{0}", "é", "🛜", "handle:0x0018", "battery-level", "99999999999999999999h",
            String(repeating: "9", count: 400), String(repeating: "-", count: 400),
        ]
        return options + choices + odd + CommandSet.all.table.names.map(\.rawValue)
    }()

    static func line(_ random: inout SeededGenerator) -> [String] {
        // Words that begin with those of a command come further.
        let starts: [[String]] = [["version"], ["scan"], ["read", "battery-level"], [], [], []]
        let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            var text = pieces.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<8, using: &random) {
            case 0: text += "=" + (pieces.randomElement(using: &random) ?? "")
            case 1: text += pieces.randomElement(using: &random) ?? ""
            case 2:
                let scalars = (0..<4).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
                }
                text.unicodeScalars.append(contentsOf: scalars)
            default: break
            }
            return text
        }
        return (starts.randomElement(using: &random) ?? []) + words
    }

    @Test("no command line traps, and every error is two printable lines", arguments: 0..<8 as Range<UInt64>)
    func neverTraps(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var commands = 0
        for _ in 0..<250 {
            let arguments = Self.line(&random)
            do throws(UsageError) {
                let invocation = try Invocation(arguments) { name in name == "BLECTL_DEVICE" ? "Strap" : nil }
                guard case .run(let parsed) = invocation else { continue }
                commands += 1
                #expect(parsed[GlobalSpec.timeout] > .zero)
                #expect(!(parsed[GlobalSpec.quiet] && parsed[GlobalSpec.verbose] > 0))
            } catch {
                guard error.reason != .nothingGiven else { continue }
                #expect(error.text.hasPrefix("blectl: "), "\(arguments)")
                #expect(error.text.split(separator: "\n", omittingEmptySubsequences: false).count == 3, "\(arguments)")
                let isPrintable = error.text.unicodeScalars.allSatisfy {
                    $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
                }
                #expect(isPrintable, "\(arguments)")
            }
        }
        #expect(commands > 0, "the lines are all wrong, which tests only half")
    }

    @Test("no line that is completed traps, and each option that is offered is one", arguments: 0..<8 as Range<UInt64>)
    func completions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let offers = CompletionOffers(devices: { _ in [] }, database: { _ in nil })
        for _ in 0..<250 {
            var words = Self.line(&random)
            let last = words.popLast() ?? ""
            guard let answer = offers.answer(to: CompletionRequest(after: words, last)) else { continue }
            #expect(answer.before + answer.typed == last)
            guard answer.name == "option" else { continue }
            for word in answer.fitting {
                let scanner = ArgumentScanner([word])
                #expect(scanner.occurrences.count == 1 || scanner.awaiting != nil, "\(word)")
            }
        }
    }
}
