// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Scripting
@testable import Toolkit

@Suite("Scripts that include others")
struct ScriptIncludeTests {
    @Test("included steps take the place of the line, and keep their own positions")
    func steps() throws {
        let script = try ScriptText.read(
            "include parts/devices.blectl\ntest a\ninclude parts/step.blectl\npause 2",
            with: [
                "parts/devices.blectl": "device strap -d X\ninclude more.blectl",
                "parts/more.blectl": "device scale -d Y",
                "parts/step.blectl": "# a step\npause 1",
            ]
        )
        #expect(script.devices.map(\.name) == ["strap", "scale"])
        #expect(script.tests.map { $0.steps.map(\.action) } == [[.pause(.seconds(1)), .pause(.seconds(2))]])
        #expect(script.tests[0].steps[0].place == ScriptPlace(file: "parts/step.blectl", line: 2))
    }

    @Test("a file with tests leaves no test open, and every file's final cleanup is kept")
    func tests() throws {
        let files = ["a.blectl": "test a\npause 1\ncleanup all\npause 3", "b.blectl": "device x -d X\ntest b\npause 2"]
        let script = try ScriptText.read("include a.blectl\ninclude b.blectl\ncleanup all\npause 4", with: files)
        #expect(script.tests.map(\.name) == ["a", "b"])
        #expect(script.cleanup.map(\.action) == [.pause(.seconds(3)), .pause(.seconds(4))])
        let error = #expect(throws: BlectlError.self) {
            try ScriptText.read("include a.blectl\npause 5", with: files)
        }
        #expect(error?.details.first == "rig.blectl:2:1: a step after an included file with tests needs a test")
    }

    @Test("a fault names its file")
    func faults() {
        let error = #expect(throws: BlectlError.self) {
            try ScriptText.read(
                "pause 1\ninclude a.blectl\npause x",
                with: ["a.blectl": "pause y\nend\nrepeat 2\npause 1"]
            )
        }
        let places = error?.details.filter { $0.contains("blectl:") }.map { $0.prefix { $0 != " " } }
        #expect(places == ["rig.blectl:3:7:", "a.blectl:1:7:", "a.blectl:2:1:", "a.blectl:3:1:"])
    }

    @Test("an end in an included file closes no block of the including one")
    func blocks() {
        #expect(throws: BlectlError.self) {
            try ScriptText.read(
                "repeat 2\npause 1\ninclude a.blectl\nend",
                with: ["a.blectl": "end\nrepeat 2\npause 1"]
            )
        }
    }

    @Test(
        "a circle of files, and too deep a nesting, are faults",
        arguments: [
            ["a": "include ./b", "./b": "include x/../a"],
            Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0 == 0 ? "a" : "\($0)")", "include \($0 + 1)") }),
            ["a": String(repeating: "include b\n", count: 300), "b": "# nothing"],
        ]
    )
    func circles(_ files: [String: String]) {
        let error = #expect(throws: BlectlError.self) { try ScriptText.read("include a\npause 1", with: files) }
        #expect(
            error?.details.count(where: { $0.contains("itself") || $0.contains("more than") }) == 1,
            "\(error?.details ?? [])"
        )
    }
}
