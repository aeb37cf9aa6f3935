// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Usage errors with --redact")
struct ConcealedWordsTests {
    struct Line: Sendable, CustomTestStringConvertible {
        let words: [String]
        let message: String
        let hint: String

        init(_ words: [String], _ message: String, hint: String) {
            (self.words, self.message, self.hint) = (words, message, hint)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    /// The text of the error of a line that cannot be parsed.
    private func text(_ words: [String], device: String? = nil) throws -> String {
        do throws(UsageError) {
            _ = try Invocation(words) { $0 == "BLECTL_DEVICE" ? device : nil }
        } catch {
            return error.text(onLine: words, of: CommandSet.all.table)
        }
        Issue.record("the line is valid")
        return ""
    }

    @Test(
        "typed values and names are not shown",
        arguments: [
            Line(
                ["inspect", "Anna's", "strap", "--redact"],
                "unexpected argument for 'inspect': '…'",
                hint: "a name of several words is quoted, as in 'My Sensor'"
            ),
            Line(
                ["read", "battery-level", "-d", "Anna's*", "--redact"],
                "invalid value '…' for '--device ADDRESS|NAME': "
                    + "expected a whole name; a pattern is given as --name '…'",
                hint: "see 'blectl read --help'"
            ),
            Line(
                ["scan", "Anna's strap", "--redact"],
                "unexpected argument for 'scan': '…'",
                hint: "only devices with that name: --name '…'"
            ),
            Line(["--redact", "Anna's strap", "read"], "unknown command '…'", hint: "see 'blectl --help'"),
            Line(["scna", "--redact"], "unknown command '…'; did you mean 'scan'?", hint: "see 'blectl --help'"),
            Line(
                ["read", "battery-level", "-d", "-Anna", "--redact"],
                "missing value for '--device ADDRESS|NAME'; found '…'",
                hint: "a value that begins with '-' is written '…'"
            ),
            Line(
                ["read", "battery-level", "-d", "--json", "--redact"],
                "missing value for '--device ADDRESS|NAME'; found '--json'",
                hint: "a value that begins with '-' is written '--device=--json'"
            ),
            Line(
                ["scan", "--durtion", "5", "--redact"],
                "unknown option '--durtion' for 'scan'; did you mean '--duration'?",
                hint: "see 'blectl scan --help'"
            ),
        ]
    )
    func concealed(_ line: Line) throws {
        #expect(try text(line.words) == "blectl: \(line.message)\nhint: \(line.hint)\n")
    }

    @Test("the value of a variable is not shown either")
    func variable() throws {
        let text = try text(["read", "battery-level", "--redact"], device: "Anna's*")
        #expect(text.contains("invalid value '…' for $BLECTL_DEVICE"), "\(text)")
        #expect(!text.contains("Anna"), "\(text)")
    }

    @Test("the words of the table stay")
    func table() throws {
        let text = try text(["help", "scn", "--redact"])
        #expect(text.contains("invalid value '…' for TOPIC: expected a command, or a topic: device"), "\(text)")
        #expect(text.contains("did you mean 'scan'?"), "\(text)")
    }

    @Test("a quoted part of a value and the names that an error lists are not shown")
    func parts() {
        let value = UsageError(.badData("cannot write: 'Anna' is not a number"), command: .write)
        #expect(
            value.text(onLine: ["write", "battery-level", "u8:Anna", "--redact"], of: CommandSet.all.table)
                == "blectl: cannot write: '…' is not a number\nhint: see 'blectl write --help'\n"
        )
        let names = UsageError(
            .impossible("no device is called 'Anna'", hint: "there are 'Berta' and 'Carla's strap'"),
            command: .scan
        )
        let line = ["scan", "--fault", "Anna: read fails", "--redact"]
        #expect(
            names.text(onLine: line, of: CommandSet.all.table, names: ["Berta", "Carla's strap"])
                == "blectl: no device is called '…'\nhint: there are '…' and '…'\n"
        )
    }

    @Test("without --redact the text is that of the error")
    func unredacted() throws {
        #expect(try text(["scna"]).contains("unknown command 'scna'"))
    }
}
