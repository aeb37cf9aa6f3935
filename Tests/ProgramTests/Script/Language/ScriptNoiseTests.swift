// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Commands
import Testing

@testable import Scripting
@testable import Toolkit

@Suite("Scripts of noise")
struct ScriptNoiseTests {
    private static let words = [
        "device a -d X", "device b --name Y", "test ", "cleanup", "cleanup all", "repeat 2", "end", "set ", "connect ",
        "await ", "never ", "count ", "order ", "stop ", "expect ", "check ", "pause ", "include other", "read ",
        "write ", "notify ", "scan ", "decode ", "a ", "b ", "x ", "battery-level ", "02 ", "--as hex ", "as x ",
        "as y ",
        "within 5 s ", "for 1.5ms ", "where ", "then ", "and ", "or ", "not ", "( ", ") ", "is ", "in ", "matches ",
        "'[a-' ", "contains ", "mask 0x0F is ", "length 2.. ", "present ", "== ", "!= ", ">= ", "5 ", "-60..",
        "20..100 ",
        "rssi ", "${x} ", "${x.value} ", "${env:HOME} ", "${rounds} ", "'it is' ", "\"a$$\\n\" ", "expect error 0x80 ",
        "\\\n", "# no", "-- ",
    ]

    /// The text of a script with eight random lines. A reader stops after a number of faults, so that it is short.
    private static func script(_ generator: inout SeededGenerator) -> String {
        var text = "device strap -d X\n"
        for _ in 0..<8 {
            for _ in 0..<(1 + generator.next() % 6) {
                if generator.next().isMultiple(of: 8) {
                    text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: generator.next())))
                } else {
                    text += words[Int(generator.next() % UInt64(words.count))]
                }
            }
            text += "\n"
        }
        return text
    }

    @Test(arguments: 14..<18 as Range<UInt64>)
    func `a hundred thousand random lines are read or refused, with places`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (lines, scripts, faults) = (0, 0, 0)
        while lines < 25_000 {
            let text = Self.script(&generator)
            lines += 8
            scripts += 1
            var reader = ScriptReader(.all) { _ throws(BlectlError) in
                throw BlectlError(.cannotOpenInput, "cannot open it")
            }
            reader.known.environment = ["HOME": "/home/rig"]
            reader.known.definitions = ["rounds": "3"]
            do throws(ScriptProblems) {
                _ = try reader.read("noise", Array(text.utf8))
            } catch {
                faults += 1
                let hasPlaces = error.problems.allSatisfy { $0.place.line >= 1 && $0.place.column >= 1 }
                #expect(hasPlaces && (1...ScriptLimits.problems).contains(error.problems.count))
            }
        }
        #expect(lines >= 25_000 && faults > scripts / 2)
    }
}
