// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Scripting
@testable import Toolkit

/// What a reader of a script says about each kind of fault.
@Suite("Faults of scripts")
struct ScriptFaultTests {
    /// The beginning of each script: two declared devices, a stream and a variable. The faulty lines follow as line 5.
    private static let start = """
        device strap --name Pulse
        device scale --name Scale
        notify strap heart-rate-measurement as beats
        read strap battery-level as level

        """

    /// Faulty lines, and the place and the message of each fault.
    static let faults: [(lines: String, faults: [String])] = [
        // Words.
        ("set a 'b", ["5:7: the quote is not closed on its line"]),
        ("set a \"b", ["5:7: the quote is not closed on its line"]),
        ("set a \"\\q\"", ["5:8: an unknown escape in double quotes"]),
        ("set a $level", ["5:7: a variable needs braces"]),
        ("set a ${level", ["5:7: '${' has no '}'"]),
        ("set a ${1x}", ["5:7: '${1x}' is not a variable"]),
        ("set a ${env:NONE}", ["5:7: there is no environment variable 'NONE'"]),
        ("set a x${leval}", ["5:8: nothing has set the variable 'leval'; did you mean 'level'?"]),
        ("set a \u{1B}", ["5:7: a control character, U+1B"]),
        ("stop beats \\", ["5:12: the backslash continues the line, and no line follows"]),
        // Statements.
        ("'read' strap battery-level", ["5:1: a statement begins with a keyword or a command, not quoted"]),
        ("reed strap battery-level", ["5:1: unknown statement 'reed'; did you mean 'read'?"]),
        ("sleep 5", ["5:1: unknown statement 'sleep'; did you mean 'pause'?"]),
        (
            "serve strap.json",
            ["5:1: 'serve' is not a step: it goes on until it is interrupted: run it beside the script"]
        ),
        (
            "simulate list",
            ["5:1: 'simulate' is not a step: 'world' touches the world of the script; 'blectl simulate serve'"]
        ),
        ("world serve", ["5:1: 'serve' is not a step: it goes on until it is interrupted, so that it runs beside the"]),
        ("world stop", ["5:1: 'stop' is not a step: it would end the world of the run"]),
        ("world pause", ["5:7: 'pause' needs more"]),
        ("world fault 'read batery-level: explode'", ["5:13: invalid value"]),
        ("help", ["5:1: 'help' is not a step: it is for the command line"]),
        ("language 1", ["5:1: 'language' stands before all other statements"]),
        ("end", ["5:1: there is no 'repeat' or 'for' for this 'end'"]),
        ("for x in 1 2\npause 1", ["5:1: 'for' has no 'end'"]),
        ("for x 1 2\npause 1\nend", ["5:10: missing 'in'"]),
        ("for x in\npause 1\nend", ["5:9: missing VALUE"]),
        ("for 2 in 1\npause 1\nend", ["5:5: '2' is not a name"]),
        ("for x in 1\ntest a\nend", ["6:1: 'test' within a repetition"]),
        (
            "for place in battery-level batery-level\nread strap ${place}\nend",
            ["6:12: invalid value 'batery-level' for TARGET: "]
        ),
        ("for level in 1 300\nwrite strap battery-level u8:${level}\nend", ["6:27: "]),
        (
            "for word in 0x01 @key\nwrite strap heart-rate-control-point ${word}\nend",
            ["6:38: the value of ${word} is '@key', and would be a file"]
        ),
        (
            "for x in battery-level 0x2A38\nfor form in hex octets\nread strap --as ${form} ${x}\nend\nend",
            ["7:17: invalid value 'octets' for '--as FORMAT': "]
        ),
        (
            "for x in battery-level body-sensor-location\nread strap ${x} expect battery_level > 20\nend",
            ["6:24: no result of the step can meet this: no field 'battery_level'"]
        ),
        ("for x in 1 2\nset x 3\nend", ["6:5: 'x' is the variable of the 'for' of line 5"]),
        ("for x in 1 2\nfor x in 3\npause 1\nend\nend", ["6:5: 'x' is the variable of the 'for' of line 5"]),
        (
            "repeat 2 as n\nread strap battery-level as n\nend",
            ["6:29: 'n' is the variable of the 'repeat' of line 5"]
        ),
        (
            "notify strap heart-rate-measurement as s expect jitter < 5",
            ["5:42: a step in the background has no result yet"]
        ),
        ("read strap battery-level expect jitter < 5", ["5:26: 'read' has no results with jitter"]),
        (
            "await beats 5 expect jitter < 5 and contact is true",
            ["5:22: 'jitter' has an 'expect' of its own"]
        ),
        ("lookup battery expect silence", ["5:16: only a declared device can be silent"]),
        (
            "read strap battery-level expect silence expect 5",
            ["5:41: beside 'expect silence', nothing can be expected"]
        ),
        ("scan --summary --duration 5 expect intervall_ms < 20", ["5:36: no result of the step can meet this: "]),
        ("read strap battery-level expect banana", ["5:33: no result of the step is 'banana'"]),
        ("read strap battery-level expect not (20 or banana)", ["5:44: no result of the step is 'banana'"]),
        ("read strap battery-level expect battery_level != '50 %'", ["5:33: no result of the step is '50 %'"]),
        ("read strap body-sensor-location expect chist", ["5:40: no result of the step is 'chist'"]),
        (
            "notify strap heart-rate-measurement --count 1 expect contact is yes",
            ["5:54: no result of the step is 'yes'"]
        ),
        ("await beats where conact is true", ["5:19: no result of the step can meet this: no field 'conact'"]),
        ("never beats where contact is maybe for 1", ["5:19: no result of the step is 'maybe'"]),
        ("await beats 2 expect heart_rate_bpm is high", ["5:22: no result of the step is 'high'"]),
        (
            "await beats 2 expect heart_rate_bpm is high\nnever beats where contact is maybe for 1",
            ["5:22: no result of the step is 'high'", "6:19: no result of the step is 'maybe'"]
        ),
        ("order beats contact is true then contact is no", ["5:34: no result of the step is 'no'"]),
        ("device bare -d X --no-pair\npair bare", ["6:1: --no-pair contradicts the command"]),
        ("repeat 2\npause 1", ["5:1: 'repeat' has no 'end'"]),
        ("repeat 0\npause 1\nend", ["5:8: '0' is not a number of rounds"]),
        ("repeat 2\nend", ["5:1: nothing is repeated"]),
        ("repeat ${n}\npause 1\nend", ["5:8: nothing has set the variable 'n'"]),
        (
            "write strap heart-rate-control-point 02 expect error expect 5",
            ["5:54: a step that is expected to fail has no result"]
        ),
        (
            "read strap battery-level expect 5 expect status 68",
            ["5:26: a step that is expected to fail has no result"]
        ),
        ("read strap battery-level expect rssi not in 1..5", ["5:38: 'not' stands before the field, not after it"]),
        ("repeat 2\npause 1\ntest a\nend", ["7:1: 'test' within a repetition"]),
        ("test a b\npause 1", ["5:8: a name of several words is quoted"]),
        ("test a\npause 1\ntest a\npause 1", ["7:6: there is a test 'a' already, at rig.blectl:5:1"]),
        ("test a", ["5:1: the test has no step"]),
        ("cleanup", ["5:1: 'cleanup' belongs to a test"]),
        ("cleanup now", ["5:9: unexpected 'now'"]),
        ("device strap -d X", ["5:8: the device 'strap' is declared already, at rig.blectl:1:1"]),
        ("device 7up -d X", ["5:8: '7up' is not a name"]),
        ("device third", ["5:1: no device is named"]),
        ("device third --nam X", ["5:14: unknown option '--nam'; did you mean '--name'?"]),
        ("device third --values", ["5:14: option '--values' does not apply"]),
        ("test a\npause 1\ndevice x -d X", ["7:1: devices are declared before the first test"]),
        ("include missing.blectl", ["5:9: cannot open missing.blectl"]),
        ("include rig.blectl", ["5:9: 'rig.blectl' includes itself"]),
        // Steps.
        ("set level", ["5:10: missing VALUE"]),
        ("set a b c", ["5:9: a value of several words is quoted"]),
        ("connect strip", ["5:9: no device 'strip' is declared; did you mean 'strap'?"]),
        ("connect", ["5:8: the device is not named, and there are several"]),
        (
            "connect strap within soon",
            ["5:22: 'soon' is not a time: expected a time such as 5, 1.5, 500ms, 2s, 1m or 8h"]
        ),
        ("await beat", ["5:7: no step before is the stream 'beat'; did you mean 'beats'?"]),
        ("await level", ["5:7: 'level' is not a stream"]),
        ("await beats many", ["5:13: 'many' is not a number"]),
        ("await beats within 5 s within 6 s", ["5:24: a second 'within'"]),
        ("await beats as 5", ["5:16: '5' is not a name"]),
        ("never beats as x for 1", ["5:13: unexpected 'as'"]),
        ("expect level matches '[a'", ["5:22: '[a': not a regular expression: "]),
        (
            "expect level matches 'a{9}{99}{9}'",
            ["5:22: 'a{9}{99}{9}': the counts in braces may multiply to 1000 at most"]
        ),
        ("await beats expect error", ["5:13: 'await' has no error of a device to expect"]),
        ("never beats", ["5:12: missing 'for TIME'"]),
        ("count beats few for 5", ["5:13: 'few' is not a range of numbers"]),
        ("order beats present", ["5:20: missing 'then'"]),
        ("expect ${level}", ["5:16: missing condition"]),
        ("expect level > 20", ["5:8: 'level' is a text here, and not the variable"]),
        ("pause", ["5:6: missing TIME"]),
        ("pause 5 minutes", ["5:9: unexpected 'minutes' after a time"]),
        ("pause ${level}", ["5:7: '${level}' has to be known before the script runs"]),
        (
            "check strap mtu",
            ["5:13: 'check' compares fields of the link, and this comparison names none"]
        ),
        (
            "check strap connected is true or not encrypted",
            ["5:38: 'check' compares fields of the link, and this comparison names none"]
        ),
        ("check strap absent", ["5:13: 'check' compares fields of the link, and this comparison names none"]),
        // Commands.
        ("read strap batery-level", ["5:12: invalid value 'batery-level' for TARGET: "]),
        ("read strap --as octets battery-level", ["5:17: invalid value 'octets' for '--as FORMAT': "]),
        ("read strap", ["5:11: missing TARGET for 'read'"]),
        ("read battery-level", ["5:5: the device is not named, and there are several"]),
        ("read strap battery-level --json", ["5:26: a step cannot have the option '--json'"]),
        ("read strap battery-level --timeout=5", ["5:26: a step cannot have the option '--timeout'"]),
        (
            "notify strap heart-rate-measurement --reconnect as b",
            ["5:37: a step cannot have the option '--reconnect'"]
        ),
        ("watch strap heart-rate --count 3 --reconnect", ["5:34: a step cannot have the option '--reconnect'"]),
        ("read strap battery-level -h", ["5:26: a step cannot have the option '--help'"]),
        ("read strap --name X battery-level", ["5:12: option '--name' belongs to the declaration of the device"]),
        ("read strap battery-level --count 3", ["5:26: '--count' needs '--every'"]),
        ("read strap battery-level --cuont 3", ["5:26: unknown option '--cuont' for 'read'"]),
        ("write strap battery-level u8:300", ["5:27: "]),
        (
            "write strap battery-level 1 2",
            ["5:29: cannot write battery-level: battery_level_percent: '1 2' is not a number"]
        ),
        ("notify strap heart-rate-measurement", ["5:1: 'notify' has no end"]),
        ("advertise --local-name X", ["5:1: 'advertise' has no end"]),
        ("advertise --local-name X as beacon", ["5:1: 'advertise' has no end"]),
        ("link strap --signal as signal", ["5:1: 'link' has no end"]),
        (
            "notify strap heart-rate-measurement as b expect present",
            ["5:42: a step in the background has no result yet"]
        ),
        ("read strap battery-level as 5", ["5:29: '5' is not a name"]),
        (
            "set dashed --json\nread strap ${dashed}",
            ["6:12: the value of ${dashed} is '--json', and would be an option"]
        ),
        (
            "set file @key\nwrite strap heart-rate-control-point ${file}",
            ["6:38: the value of ${file} is '@key', and would be a file"]
        ),
        ("set file @key\ndecode battery-level ${file}", ["6:22: the value of ${file} is '@key', and would be a file"]),
        (
            "set file @key\nwrite strap heart-rate-control-point -- ${file}",
            ["6:41: the value of ${file} is '@key', and would be a file"]
        ),
        (
            "set input -\nwrite strap heart-rate-control-point ${input}",
            ["6:38: the value of ${input} is '-', and would be standard input"]
        ),
        (
            "set input -\nencode alert-level ${input}\ndecode alert-level ${input}",
            [
                "6:20: the value of ${input} is '-', and would be standard input",
                "7:20: the value of ${input} is '-', and would be standard input",
            ]
        ),
        ("set input -\ndiff strap ${input}", ["6:12: the value of ${input} is '-', and would be standard input"]),
        (
            "set input -\npair strap --oob ${input}\npair strap --oob=${input}",
            [
                "6:18: the value of ${input} is '-', and would be standard input",
                "7:12: the value of --oob=${input} is '--oob=-', and would be standard input",
            ]
        ),
        // Expectations.
        ("read strap battery-level expect", ["5:32: missing condition"]),
        ("read strap battery-level expect error 0x00", ["5:39: '0x00' is not an ATT error"]),
        (
            "read strap battery-level expect error write-not-permited",
            ["5:39: 'write-not-permited' is not an ATT error; did you mean"]
        ),
        ("read strap battery-level expect status 256", ["5:40: '256' is not an exit status"]),
        (
            "read strap battery-level expect status not-fuond",
            ["5:40: 'not-fuond' is not an exit status; did you mean 'not-found'?"]
        ),
        // Conditions.
        ("expect 5 = 5", ["5:10: '=' is written '=='"]),
        ("expect 5 == 5 6", ["5:15: unexpected '6' after a condition"]),
        ("expect 5 (== 5", ["5:10: there is no ')' for this '('"]),
        ("expect 5 == 5)", ["5:14: there is no '(' for this ')'"]),
        ("expect 5 == 5 and", ["5:18: missing condition"]),
        ("expect 5 > low", ["5:12: 'low' is not a number"]),
        ("expect 5 in 5", ["5:13: '5' is not a range"]),
        ("expect 5 9..5", ["5:10: the range is empty: its ends are in the wrong order"]),
        ("expect 5 == for", ["5:13: missing VALUE; found 'for'"]),
        ("expect 5 mask 0x0F", ["5:19: missing 'is'"]),
        ("expect 5 length many", ["5:17: 'many' is not a number of octets"]),
        ("expect 5 'rssi' > 5", ["5:10: 'rssi' is not the name of a field"]),
        ("expect 5 \(String(repeating: "(", count: 40))5", ["5:26: a condition of more than 16 levels"]),
        // Several faults, and names that a faulty line was to give.
        (
            "reed\nreads",
            [
                "5:1: unknown statement 'reed'; did you mean 'read'?",
                "6:1: unknown statement 'reads'; did you mean 'read'?",
            ]
        ),
        (
            "read strap battery-levle as charge\nexpect ${charge} > 5",
            ["5:12: invalid value 'battery-levle' for TARGET: "]
        ),
        ("set a 'x\nexpect 5 > ${level", ["5:7: the quote is not closed on its line", "6:12: '${' has no '}'"]),
    ]

    @Test("each fault has its place and its message", arguments: Self.faults.indices)
    func messages(_ index: Int) throws {
        let (lines, expected) = Self.faults[index]
        let found = Self.faults(of: Self.start + lines)
        #expect(found.count == expected.count, "\(lines): \(found)")
        for (found, expected) in zip(found, expected) {
            #expect(found.hasPrefix("rig.blectl:\(expected)"), "\(found)")
        }
    }

    @Test(
        "a value with the sign of a file is no fault if it comes from a variable of the script",
        arguments: ["@${text}", "text:${text}"]
    )
    func allowed(_ value: String) {
        for text in ["@key", "-"] {
            let lines = "set text \(text)\nwrite strap 0xFF01 \(value)"
            let found = Self.faults(of: Self.start + lines)
            #expect(found.isEmpty, "\(found)")
        }
    }

    @Test(
        "the values of a list are no faults for what is known only when the step runs",
        arguments: [
            "for x in battery-level 0x2A37\nnotify strap ${x} as values\nend\nawait values where heart_rate_bpm > 0",
            "for x in ${level} 5\nwrite strap 0xFF01 u8:${x}\nend",
            "for x in a\npause 1\nend\nset x 5\nfor x in b\npause 1\nend",
        ]
    )
    func lists(_ lines: String) {
        let found = Self.faults(of: Self.start + lines)
        #expect(found.isEmpty, "\(found)")
    }

    @Test("a report shows the line, marks the word, and names the alternatives")
    func report() throws {
        let text = """
            device strap --name Pulse
            test "é"
            \tread strap --as\thexx battery-level
            """
        let error = #expect(throws: BlectlError.self) { try ScriptText.read(text) }
        #expect(
            error?.text == """
                blectl: cannot run rig.blectl: it has 1 fault
                  rig.blectl:3:18: invalid value 'hexx' for '--as FORMAT': \(Self.formatFault)
                      read strap --as hexx battery-level
                                      ^~~~
                      (see 'blectl read --help')

                """
        )
        #expect(error?.status == .badData)
    }

    @Test(
        "the remedy fits the step",
        arguments: [
            (
                "notify strap battery-level",
                "'as NAME' runs it in the background; --count NUMBER or --duration TIME ends it"
            ),
            ("link strap --signal", "--count NUMBER or --duration TIME ends it"),
            ("advertise --local-name X", "--count NUMBER or --duration TIME ends it"),
            ("notify strap battery-level as level --count 3", "options stand before 'expect', 'as' and 'within'"),
            ("read strap battery-level within 5 s --as hex", "options stand before 'expect', 'as' and 'within'"),
            ("read strap battery-level expect 5 --as hex", "options stand before 'expect', 'as' and 'within'"),
            ("notify strap battery-level as level 3", "as NAME"),
            ("read strap battery-level expct 20..100", "is 'expect' meant?"),
            ("read strap battery-level withn 5 s", "is 'within' meant?"),
        ]
    )
    func remedy(_ step: String, _ hint: String) {
        let text = "device strap --name Pulse\n\(step)\n"
        do {
            _ = try ScriptText.reader(["rig.blectl": text]).read("rig.blectl", Array(text.utf8))
            Issue.record("the step was read")
        } catch {
            #expect(error.problems.map(\.hint) == [hint])
        }
    }

    private static var formatFault: String {
        guard case .failure(let error) = Result(catching: { try Invocation(["read", "--as", "hexx", "x"]) }),
            let message = (error as? UsageError)?.message
        else { return "" }
        return String(message.dropFirst("invalid value 'hexx' for '--as FORMAT': ".count))
    }

    @Test("octets that are not text are a fault with a place")
    func octets() {
        let octets = Array("test a\npause 1 # é".utf8) + [0xFF, 0x0A] + Array("pause x".utf8)
        let reader = ScriptText.reader()
        let found = #expect(throws: ScriptProblems.self) { try reader.read("rig.blectl", octets) }
        #expect(found?.problems.map(\.place.text) == ["rig.blectl:2:12", "rig.blectl:3:7"])
    }

    @Test("at most twenty faults are reported")
    func bounded() {
        let found = Self.faults(of: String(repeating: "reed\n", count: 1_000))
        #expect(found.count == ScriptLimits.problems)
    }

    @Test("a step does not keep the names of thousands of devices")
    func namesOfDevices() throws {
        let text = "device strap --name Pulse\ndevice scale --name X\nread strap battery-level\n"
        var lexer = ScriptLexer(ScriptSource(Array(text.utf8), named: "rig.blectl"))
        var parser = ScriptParser("rig.blectl", known: ScriptConstants(commands: .all))
        while let statement = try lexer.next() { parser.read(statement) }
        #expect(parser.problems.isEmpty && parser.commands.count == 3)
        var kept = ""
        dump(parser.commands.last, to: &kept)
        #expect(kept.contains("strap") && !kept.contains("scale"), "\(kept)")
    }

    @Test("a newer language version is refused before anything else is read")
    func language() {
        let found = Self.faults(of: "language 2\nwhatever that means\n")
        #expect(found == ["rig.blectl:1:10: the script needs a newer blectl: this one knows the language 1"])
    }

    @Test(
        "exceeding a limit is a fault",
        arguments: [
            ("pause \(String(repeating: "x", count: 20_000))", "a line of more than 16384 octets"),
            ("set a \(String(repeating: "x ", count: 600))", "more than 512 words in a line"),
            (String(repeating: "repeat 1\n", count: 20), "more than 16 nested blocks"),
            (
                "repeat 1000000\nrepeat 1000000\nrepeat 1000000\npause 1\nend\nend\nend",
                "more than 1000000 steps with all rounds"
            ),
            (String(repeating: "pause 1\n", count: 20_001), "more than 20000 statements"),
            (String(repeating: "#", count: 2_000_000), "more than 1 MiB of text"),
            ("", "the script has no step"),
        ]
    )
    func tooMuch(_ text: String, _ message: String) {
        let found = Self.faults(of: text)
        #expect(found.contains { $0.hasSuffix(message) }, "\(found.first ?? "")")
    }

    @Test func `standard input is named as such`() {
        do {
            _ = try ScriptText.reader([:]).read("-", [])
            Issue.record("a script without a step was read")
        } catch {
            #expect(error.problems.map(\.place.file) == ["standard input"])
        }
    }

    @Test func `a fault of 'world' has the words of a script`() {
        #expect(Self.problems(of: "world").map(\.message) == ["missing ACTION"])
        #expect(Self.problems(of: "world set").map(\.hint) == ["world set DEVICE TARGET VALUE"])
    }

    @Test(arguments: [
        "read strap battery-level expect 50", "read strap battery-level expect '50 %'",
        "read strap battery-level expect 0x32", "read strap battery-level expect hex:32 or beef",
        "read strap temperature expect 'not known'", "read strap body-sensor-location expect chest",
        "read strap body-sensor-location expect 1", "read strap alert-level expect high",
        "read strap heart-rate-measurement expect contact is true", "read strap 0xFFF1 expect banana",
        "set level 50\nread strap battery-level expect ${level}",
        "read strap battery-level temperature expect 'not known'",
        "read strap body-sensor-location expect body_sensor_location is 'ear lobe'",
        "read strap device-name expect banana", "read strap battery-level expect matches banana",
    ])
    func `a comparison that a value can meet is none`(_ step: String) {
        let found = Self.faults(of: "device strap -d X\n\(step)")
        #expect(found == [], "\(step)")
    }

    /// The places and messages of the faults of a script.
    private static func faults(of text: String) -> [String] {
        problems(of: text).map { "\($0.place.text): \($0.message)" }
    }

    private static func problems(of text: String) -> [ScriptProblem] {
        do {
            var reader = ScriptText.reader(["rig.blectl": text])
            reader.known.checksFields = true
            _ = try reader.read("rig.blectl", Array(text.utf8))
            return []
        } catch {
            return error.problems
        }
    }
}
