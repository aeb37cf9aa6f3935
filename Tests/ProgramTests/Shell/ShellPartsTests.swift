// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Terminal

@Suite("Parts of the shell")
struct ShellPartsTests {
    @Test func `job numbers are used again when no higher one runs`() throws {
        var jobs = ShellJobs()
        #expect(jobs.add("a") == 1)
        #expect(jobs.add("b") == 2)
        #expect(jobs.add("c") == 3)
        #expect(jobs.end(2, .success)?.line == "b")
        #expect(jobs.end(2, .success) == nil)
        #expect(jobs.add("d") == 4)
        #expect(jobs.running.map(\.number) == [1, 3, 4])
        for number in [1, 3, 4] { #expect(jobs.end(number, .success) != nil) }
        #expect(jobs.add("e") == 1)
        for _ in 1..<ShellJobs.limit { #expect(jobs.add("x") != nil) }
        #expect(jobs.add("too many") == nil)
        #expect(ShellJob(number: 7, line: "a\u{1B}").text("done") == "[7] done  a\\u{1B}")
    }

    @Test func `an ended job keeps its status until it is taken, once`() {
        var jobs = ShellJobs()
        for (line, status) in [("a", ExitStatus.success), ("b", .notFound), ("c", .timedOut)] {
            _ = jobs.add(line)
            #expect(jobs.isKnown(1))
            _ = jobs.end(1, status)
        }
        #expect(jobs.isKnown(1) && !jobs.isKnown(2))
        // The last one with the number, and then the first failure of all the others.
        #expect(jobs.takeStatus(of: 1) == .timedOut)
        #expect(!jobs.isKnown(1))
        #expect(jobs.takeStatus() == .notFound)
        #expect(jobs.takeStatus() == .success)
    }

    @Test func `the first failure of many unawaited jobs is kept`() {
        for first in [ExitStatus.success, .notFound] {
            var jobs = ShellJobs()
            for status in [first, .notFound] + Array(repeating: .timedOut, count: 1_000) {
                _ = jobs.add("x")
                _ = jobs.end(1, status)
            }
            #expect(jobs.takeStatus() == .notFound)
        }
    }

    @Test(arguments: [
        (nil, false, "blectl> "), ("Pulse HR", true, "Pulse HR> "), ("Pulse HR", false, "Pulse HR (not connected)> "),
        ("\u{1B}[2J\n", true, "\\u{1B}[2J\\n> "),
        (String(repeating: "x", count: 40), true, String(repeating: "x", count: 23) + "…> "),
    ])
    func `a prompt has the device's name, escaped and cut`(_ name: String?, _ isConnected: Bool, _ prompt: String) {
        #expect(ShellPrompt.text(name, isConnected: isConnected) == prompt)
    }

    @Test func `a prompt for a terminal without Unicode is ASCII`() {
        let prompt = ShellPrompt.text("é" + String(repeating: "x", count: 40), isConnected: true, usesUnicode: false)
        #expect(prompt.utf8.allSatisfy { $0 < 0x7F })
        #expect(prompt.count == 26)
    }

    @Test(arguments: [
        ("", 10, 0, 0), ("abc", 10, 0, 3), ("0123456789", 10, 1, 0), ("01234567890", 10, 1, 1), ("ab\u{1}", 10, 0, 4),
        ("012345678界", 10, 1, 2), ("e\u{301}", 10, 0, 1), ("a\tb", 20, 0, 9), ("a\nb", 10, 1, 1), ("abc", 0, 3, 0),
    ])
    func `the position after a text`(_ text: String, _ columns: Int, _ row: Int, _ column: Int) {
        let place = CursorPosition(behind: text, columns: columns)
        #expect(place.row == row && place.column == column, "\(place)")
    }

    @Test(arguments: [
        ([0x61, 0x0D] as [UInt8], "a\r"), ([0xC3, 0xA4, 0x0D], "ä\r"), ([0xE2, 0x82, 0xAC], "€"),
        ([0xF0, 0x9F, 0x98, 0x80], "😀"),
        ([0xC3, 0x0D], "\u{FFFD}\r"), ([0xE2, 0x82, 0x0D], "\u{FFFD}\r"), ([0xFF, 0x0D], "\u{FFFD}\r"),
        ([0xC3, 0xC3, 0xA4], "\u{FFFD}ä"), ([0xC3], ""),
    ])
    func `a key after an invalid octet is not lost`(_ octets: [UInt8], _ expected: String) {
        var typed = TypedOctets()
        var text = ""
        for octet in octets {
            typed.append(octet)
            while let scalar = typed.character() { text.unicodeScalars.append(scalar) }
        }
        #expect(text == expected)
    }

    @Test func `the history keeps the last lines, without repetitions in a row or secrets`() throws {
        var bytes: [UInt8] = []
        for number in 0..<(ShellHistory.limit + 5) {
            bytes = try #require(ShellHistory.adding("read \(number)", to: bytes))
        }
        let lines = ShellHistory.lines(bytes)
        #expect(lines.count == ShellHistory.limit)
        #expect(lines.first == "read 5" && lines.last == "read \(ShellHistory.limit + 4)")
        #expect(ShellHistory.adding("read \(ShellHistory.limit + 4)", to: bytes) == nil)
        for line in ["", " read x", "a\nb", String(repeating: "x", count: 5_000)] {
            #expect(!ShellHistory.isKept(line))
        }
    }

    @Test func `a damaged history is read up to the damage, and keeps its size limit`() throws {
        let damaged: [UInt8] = [0xFF, 0xFE, 0x0A] + Array("read a\n\n\u{0}\nread b".utf8)
        #expect(ShellHistory.lines(damaged) == ["read a", "\u{0}", "read b"])
        let long = String(repeating: "x", count: 4_000)
        var bytes: [UInt8] = []
        for number in 0..<600 { bytes = try #require(ShellHistory.adding("\(number)\(long)", to: bytes)) }
        #expect(bytes.count <= ShellHistory.limit * 1_024)
        #expect(ShellHistory.lines(bytes).last?.hasPrefix("599") == true)
    }

    @Test func `output during typing waits for the terminal, within bounds`() {
        let control = LineControl()
        #expect(!control.post(.output([1])), "nobody reads a line")
        control.begin()
        #expect(control.post(.output([1])))
        #expect(control.post(.interrupt))
        #expect(control.take().count == 2)
        for _ in 0..<300 { #expect(control.post(.output([UInt8](repeating: 0x78, count: 1_024)))) }
        let octets: [[UInt8]] = control.finish().map { event in if case .output(let bytes) = event { bytes } else { [] }
        }
        #expect(octets.count == 257)
        #expect(octets.last.map { String(decoding: $0, as: UTF8.self) } == "blectl: 44 messages dropped\n")
        #expect(!control.post(.output([1])))
    }
}
