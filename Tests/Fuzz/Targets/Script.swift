// SPDX-License-Identifier: GPL-2.0-or-later

@testable import CommandLineInterface
@testable import Commands
@testable import Scripting
@testable import Terminal
@testable import Toolkit

/// An even first octet: the rest is the text of a script that includes itself. An odd one: each further octet is a word of
/// scripts, so that much of it is accepted.
func fuzz(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    checkScript(choice & 1 == 0 ? rest : Array(text(of: rest).utf8))
}

private func reader(_ octets: [UInt8]) -> ScriptReader {
    var reader = ScriptReader(.all) { path throws(BlectlError) in
        if path == "other" { return octets }
        throw BlectlError(.cannotOpenInput, "cannot open it")
    }
    reader.known.environment = ["HOME": "/home", "DASHED": "--output=/x"]
    reader.known.definitions = ["rounds": "3"]
    return reader
}

private func checkScript(_ octets: [UInt8]) {
    do throws(ScriptProblems) {
        let script = try reader(octets).read("script", octets)
        check(
            ScriptStep.runs(script.setup + script.cleanup + script.tests.flatMap { $0.steps + $0.cleanup }) > 0,
            "no step"
        )
        let printed = ScriptPrinter.text(script)
        do throws(ScriptProblems) {
            let again = try reader([]).read("printed", Array(printed.utf8))
            check(content(again) == content(script), "read differently: \(printed)")
        } catch {
            check(false, "not read again: \(error.error.text)\n\(printed)")
        }
    } catch {
        check(
            !error.problems.isEmpty && error.problems.count <= ScriptLimits.problems,
            "\(error.problems.count) faults"
        )
        let text = error.error.text
        check(text.hasPrefix("blectl: cannot run script: "), "\(text)")
        check(
            text.unicodeScalars.allSatisfy { $0 == "\n" || !TerminalText.isUnsafe($0) },
            "a report that a terminal obeys"
        )
        for problem in error.problems { check(problem.place.line >= 1 && problem.place.column >= 1, "no place") }
    }
}

/// All of a value but the places and the texts of steps.
private func content(_ value: Any) -> String {
    if value is ScriptPlace { return "" }
    let mirror = Mirror(reflecting: value)
    guard !mirror.children.isEmpty else { return "\(value)" }
    let children = mirror.children.map { child in
        let isText = value is ScriptStep && child.label == "text" || value is Script && child.label == "name"
        return isText ? "" : "\(child.label ?? ""): \(content(child.value))"
    }
    return "(\(children.joined(separator: ", ")))"
}

private let words = [
    "\n", "\n", "\n", "device a -d X\n", "device b --name Y\n", "test ", "cleanup\n", "cleanup all\n", "repeat 2\n",
    "end\n", "set ", "connect ",
    "await ", "never ", "count ", "order ", "stop ", "expect ", "check ", "pause ", "include other\n", "read ",
    "write ", "notify ",
    "scan ", "watch ", "decode ", "inspect ", "a ", "b ", "x ", "battery-level ", "heart-rate-measurement ", "02 ",
    "--as hex ", "as x ",
    "as y ", "within 5 s ", "for 1.5ms ", "where ", "then ", "and ", "or ", "not ", "( ", ") ", "is ", "in ",
    "matches ", "contains ",
    "mask 0x0F is ", "length 2.. ", "present ", "absent ", "== ", "!= ", "< ", ">=", "5 ", "-60..", "20..100 ", "rssi ",
    "decoded.level ",
    "${x} ", "${x.value} ", "${env:HOME}", "${env:DASHED} ", "${rounds} ", "'it is' ", "\"a$$\\n\" ",
    "expect error 0x80 ", "expect status 75 ",
    "\\\n", "# no\n", "--count 3 ", "--", "y ", "repeat ${rounds} as y\n", "\\#", "''",
]

/// A script of words.
private func text(of octets: [UInt8]) -> String { octets.reduce(into: "") { $0 += words[Int($1) % words.count] } }
