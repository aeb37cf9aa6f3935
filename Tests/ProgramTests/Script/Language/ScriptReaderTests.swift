// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Scripting
@testable import Toolkit

@Suite("Reading a script")
struct ScriptReaderTests {
    @Test("every construct is read")
    func everything() throws {
        let script = try ScriptText.read(ScriptText.everything)
        #expect(script.devices.map(\.name) == ["strap", "scale"])
        #expect(script.setup.count == 3)
        #expect(script.tests.map(\.name) == ["has charge", "refuses", "beats", "links"])
        #expect(script.tests[0].steps.count == 5)
        #expect(script.tests[1].cleanup.count == 1)
        #expect(script.cleanup.map(\.action) == [.disconnect(device: "strap")])
        guard case .command(.read, device: "strap", let words) = script.tests[0].steps[0].action else {
            Issue.record("the step reads nothing")
            return
        }
        #expect(words.map(\.literal) == ["battery-level"])
        #expect(script.tests[0].steps[0].text == "read strap battery-level expect 20..100 as level")
        #expect(script.tests[0].steps[0].name == "level")
    }

    @Test("a printed script reads back to an equal one")
    func printing() throws {
        let script = try ScriptText.read(ScriptText.everything)
        let printed = ScriptPrinter.text(script)
        let again = try ScriptText.read(printed)
        #expect(ScriptText.content(again) == ScriptText.content(script), "\(printed)")
        #expect(ScriptPrinter.text(again) == printed)
    }

    @Test func `the variables that a text uses or sets are known, even through includes`() throws {
        var reader = ScriptText.reader([
            "rig.blectl": """
            include "${where}.blectl"
            repeat ${often} as round
              decode battery-level "0${digit}" expect ${low}..
            end
            """, "common.blectl": "set limit 20\ndecode battery-level 64 as level",
        ])
        reader.known.definitions = [
            "where": "common", "often": "2", "digit": "1", "low": "1", "limit": "5", "lwo": "9",
        ]
        let names = try reader.readWithVariables("rig.blectl").variables
        #expect(names.sorted() == ["digit", "level", "limit", "low", "often", "round", "where"])
    }
}

/// Scripts for tests.
enum ScriptText {
    /// A script with every construct.
    static let everything = #"""
        #!/usr/bin/env -S blectl run
        language 1
        device strap --name 'Pulse *' --service heart-rate --connect-timeout 5
        device scale -d C8:4B:1D:3A:90:5E
        set low 20
        connect strap within 5 s
        connect scale
        test "has charge"
          read strap battery-level expect 20..100 as level   # a comment
          set wanted "${level} %"
          expect ${level} >= ${low}
          expect ${level.decoded.level} in ${low}..
          write strap heart-rate-control-point "0${low}" \
            expect error 0x80
        test refuses
          repeat 3 as round
            write strap heart-rate-control-point 02 expect error value-not-allowed within 200 ms
            repeat 2
              pause 0.5ms
            end
          end
        cleanup
          read --as hex strap battery-level expect status 0 expect length 1 expect mask 0x80 is 0x00
        test beats
          notify strap heart-rate-measurement as beats
          scan --service heart-rate as ads
          await beats 5 where heart_rate_bpm in 40..180 and (contact is true or not energy present) within 10 s expect rssi > -90 as fifth
          expect ${fifth.rssi} > -90
          never beats where contact is false for 2 s
          count beats 3..5 for 5 s as counted
          count ads ..9 where name contains 'Pulse' for 1m
          order beats heart_rate_bpm < 100 then heart_rate_bpm>=100 then value == 0x0048 within 30 as ordered
          stop beats
          diff ${env:HOME} strap.json expect status expectation-failed
          decode battery-level 64 expect == 100
        test links
          check strap mtu >= 23 and rssi > -80 and connected is true
          inspect scale --values
          disconnect scale
          read scale model-number-string expect matches '^Pulse$' expect is not 'x' expect absent or length ..5
        cleanup all
          disconnect strap
        """#

    /// Reads a script from a text, and others by their names.
    static func read(_ text: String, with files: [String: String] = [:]) throws -> Script {
        do throws(ScriptProblems) {
            return try reader(files).read("rig.blectl", Array(text.utf8))
        } catch {
            throw error.error
        }
    }

    /// A reader of files that are not there.
    static func reader(_ files: [String: String] = [:]) -> ScriptReader {
        var reader = ScriptReader(.all) { path throws(BlectlError) in
            guard let text = files[path] else { throw BlectlError(.cannotOpenInput, "cannot open \(path)") }
            return Array(text.utf8)
        }
        reader.known.environment = ["HOME": "/home/rig"]
        return reader
    }

    /// All of a value but the places and the texts of steps.
    static func content(_ value: Any) -> String {
        if value is ScriptPlace { return "" }
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        let children = mirror.children.map { child in
            value is ScriptStep && child.label == "text" ? "" : "\(child.label ?? ""): \(content(child.value))"
        }
        return "(\(children.joined(separator: ", ")))"
    }
}
