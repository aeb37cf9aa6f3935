// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Device files", .startsPrograms())
struct DeviceFileTests {
    /// Runs `body` in a folder with these files.
    private func withFiles(
        _ files: [String: String],
        _ body: (URL) async throws -> Void
    ) async throws {
        try await TemporaryFolder.use { folder in
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try await body(folder)
        }
    }

    private static let good = """
        {
          "schema": "blectl-device/1",
          "services": [{"uuid": "battery", "characteristics": [{"uuid": "battery-level", "properties": ["read"], "value": 7}]}]
        }
        """
    private static let bad = """
        {
          "schema": "blectl-device/1",
          "services": [
            {"uuid": "batery"}
          ],
          "limits": {"mtu": 600}
        }
        """

    @Test func `data that are too long are told with the length of each part`() async throws {
        let name = "A name of twenty-eight char."
        let text = #"""
            {"schema": "blectl-device/1", "advertising": [{"data": {"name": "\#(name)"}}]}
            """#
        try await withFiles(["tag.json": text]) { folder in
            let run = try await Blectl.run(["device", "check", folder.appending(path: "tag.json").path])
            #expect(run.status == 65)
            let why = "the data have 33 octets, but at most 31 can be sent: Flags 3, Complete Local Name 30"
            #expect(run.stderr.contains(why) && run.stderr.contains(#"; "scan_response" has room for more"#), "\(run)")
        }
    }

    // MARK: - list

    @Test func `the devices of blectl are listed with what they are`() async throws {
        let run = try await Blectl.run(["device", "list"])
        #expect(run.status == 0)
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.first == "pulse-strap     a heart rate strap" && lines.count == 28, "\(run.stdout)")
        let records = try await Blectl.run(["device", "list", "--json"]).records()
        #expect(records.count == 28 && records.allSatisfy { RecordCheck.problems(of: $0).isEmpty })
        let files = try await Blectl.run(["device", "list", "pulse-strap"])
        #expect(files.status == 64 && files.stderr.contains("hint: blectl device show pulse-strap"), "\(files)")
        let none = try await Blectl.run(["device", "show"])
        #expect(none.status == 64 && none.stderr.contains("hint: blectl device list"), "\(none)")
    }

    @Test func `a label of the file is a target, in scripts and before assigned names`() async throws {
        let run = try await Blectl.shell(
            """
            F=$(mktemp -d); trap 'rm -r $F' EXIT; cd $F
            cat >heater.json <<'X'
            {"schema": "blectl-device/1", "name": "Heater", "advertising": [{"data": {"name": "Heater"}}],
             "services": [{"uuid": "0xfff0", "label": "heating", "characteristics": [
               {"uuid": "0xfff1", "label": "setpoint", "properties": ["read", "write"], "value": "u16:2100"},
               {"uuid": "0xfff2", "label": "battery-level", "properties": ["read"], "value": "07"}]}]}
            X
            heater() { "$BLECTL" --simulate=heater.json --simulate-time virtual "$@"; }
            export BLECTL_DEVICE=Heater
            heater read setpoint heating/battery-level --format '{characteristic} {value}'
            printf 'write setpoint u16:1900\nread setpoint expect 0x6c07\n' >script
            heater run script >/dev/null; echo "status $?"
            "$BLECTL" --simulate --simulate-time virtual read setpoint -d 'Pulse HR' 2>/dev/null; echo "status $?"
            for clock in real virtual; do
                "$BLECTL" simulate serve heater.json --socket world --simulate-time $clock >served & server=$!
                until [ -s served ] || ! kill -0 $server; do sleep 0.02; done
                "$BLECTL" --simulate=world read heating/setpoint --format '{characteristic} {value}'
                "$BLECTL" --simulate=world run script >/dev/null; echo "status $?"
                "$BLECTL" simulate stop --socket world >/dev/null; wait $server; rm served
            done
            """
        )
        let shared = ["0xFFF1 3408", "status 0"]
        #expect(
            run.stdout.split(separator: "\n").map(String.init)
                == ["0xFFF1 3408", "0xFFF2 07", "status 0", "status 64"] + shared + shared,
            "\(run.stdout)\(run.stderr)"
        )
    }

    @Test(arguments: [("Pulse HR", "pulse-strap"), ("puls-strap", "pulse-strap"), ("Thermo 1", "thermometer")])
    func `a word that is no file is meant as a device`(_ word: String, _ label: String) async throws {
        let run = try await Blectl.run(["device", "show", word])
        #expect(run.status == 66 && run.stderr.contains("did you mean '\(label)'?"), "\(run.stderr)")
    }

    // MARK: - check

    @Test func `a good file is described`() async throws {
        try await withFiles(["tag.json": Self.good]) { folder in
            let path = folder.appending(path: "tag.json").path
            let run = try await Blectl.run(["device", "check", path])
            #expect(run.status == 0)
            #expect(run.stdout == "\(path): tag, 0 advertising sets, 1 service and 1 characteristic\n")
            #expect(run.stderr == "")
        }
    }

    @Test func `all faults of all files are reported, with status 65`() async throws {
        try await withFiles(["a.json": Self.bad, "b.json": "{\n  x", "c.json": Self.good]) { folder in
            let paths = ["a", "b", "c"].map { folder.appending(path: "\($0).json").path }
            let run = try await Blectl.run(["device", "check"] + paths)
            #expect(run.status == 65)
            #expect(run.stdout.hasPrefix("\(paths[2]): c,"))
            #expect(
                run.stderr == """
                    blectl: \(paths[0]):4: services[0].uuid: 'batery' is neither a UUID nor the assigned name of a service; did you mean 'battery'?
                    blectl: \(paths[0]):6: limits.mtu: expected a whole number from 23 to 517, found 600
                    blectl: \(paths[0]) has 2 faults
                    blectl: \(paths[1]):2:4: the file ends where ':' is expected
                    blectl: \(paths[1]) has 1 fault

                    """
            )
            let records = try await Blectl.run(["device", "check", "--json"] + paths).records()
            #expect(
                records.map { $0["type"]?.string } == ["device-file", "error", "device-file", "error", "device-file"]
            )
        }
    }

    @Test func `a file that cannot be opened is status 66`() async throws {
        let run = try await Blectl.run(["device", "check", "/nonexistent/strap.json"])
        #expect(run.status == 66)
        #expect(run.stderr.hasPrefix("blectl: cannot open /nonexistent/strap.json: "))
    }

    @Test func `the error for a word that is not a file lists the devices of blectl`() async throws {
        for action in ["show", "check"] {
            let run = try await Blectl.run(["device", action, "nodevice"])
            #expect(run.status == 66)
            let lines = run.stderr.split(separator: "\n")
            #expect(lines.first == "blectl: cannot open nodevice: No such file or directory")
            let hint = try #require(lines.last)
            #expect(hint == "hint: the devices of blectl: blectl device list")
        }
        let file = try await Blectl.run(["device", "show", "nodevice.json"])
        #expect(file.status == 66 && !file.stderr.contains("hint: "), "\(file.stderr)")
    }

    @Test func `standard input is a file, too`() async throws {
        let run = try await Blectl.run(["device", "check", "-"], input: Array(Self.bad.utf8))
        #expect(run.status == 65)
        #expect(run.stderr.hasPrefix("blectl: standard input:4: services[0].uuid: "))
        #expect(run.stderr.hasSuffix("blectl: standard input has 2 faults\n"), "\(run.stderr)")
        let good = try await Blectl.run(["device", "check", "-"], input: Array(Self.good.utf8))
        #expect(good.stdout.hasPrefix("standard input: "), "\(good)")
    }

    @Test func `a hostile file cannot command the terminal`() async throws {
        let text = "{\"schema\": \"\\u001b]0;owned\\u0007\"}"
        let run = try await Blectl.run(["device", "check", "-"], input: Array(text.utf8))
        #expect(run.status == 65)
        #expect(!run.stderr.utf8.contains(0x1B) && !run.stderr.utf8.contains(0x07))
    }

    // MARK: - show

    @Test func `a device of blectl is shown as a valid file`() async throws {
        let shown = try await Blectl.run(["device", "show", "pulse-strap"])
        #expect(shown.status == 0)
        let checked = try await Blectl.run(["device", "check", "-"], input: shown.stdoutBytes)
        #expect(checked.status == 0)
        #expect(checked.stdout.contains("pulse-strap"))
    }

    @Test func `a file is shown in standard form`() async throws {
        let shown = try await Blectl.run(["device", "show", "-"], input: Array(Self.good.utf8))
        let again = try await Blectl.run(["device", "show", "-"], input: shown.stdoutBytes)
        #expect(shown.status == 0)
        #expect(shown.stdout.contains("\"value\": 7"))
        #expect(again.stdout == shown.stdout)
    }

    // MARK: - --simulate

    @Test func `a file is simulated`() async throws {
        try await withFiles(["tag.json": Self.good, "bad.json": Self.bad]) { folder in
            let path = folder.appending(path: "tag.json").path
            let options = ["--simulate=\(path)", "--simulate-time", "virtual"]
            let scanned = try await Blectl.run(options + ["scan", "--duration", "1"])
            #expect(scanned.status == 0)
            let bad = folder.appending(path: "bad.json").path
            let refused = try await Blectl.run(["--simulate=\(bad)", "scan"])
            #expect(refused.status == 65)
            #expect(refused.stderr.contains("cannot use \(bad): it has 2 faults\n  \(bad):4: services[0].uuid: "))
            let missing = try await Blectl.run(["--simulate=\(folder.path)/none.json", "scan"])
            #expect(missing.status == 66)
        }
    }

    // MARK: - blectl-device(5)

    /// The literal displays of the page, without the escapes of troff.
    private static let displays: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let text = (try? String(contentsOf: root.appending(path: "man/blectl-device.5"), encoding: .utf8)) ?? ""
        let examples = text.components(separatedBy: ".Sh EXAMPLES").last ?? ""
        return examples.components(separatedBy: ".Bd -literal").dropFirst().map { part in
            let display = part.components(separatedBy: "\n.Ed")[0]
            return display.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().map { line in
                String(line).replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"").replacing("\\(ti", with: "~")
                    .replacing("\\(ha", with: "^").replacing("\\-", with: "-").replacing("\\&", with: "")
                    .replacing("\\e", with: "\\")
            }.joined(separator: "\n")
        }
    }()

    @Test func `the page has at least six examples, which are tested`() {
        #expect(ManualExample.devices.count >= 6)
        #expect(Self.displays == ManualExample.devices.flatMap { [$0.text, $0.lines.joined(separator: "\n")] })
    }

    @Test(arguments: ManualExample.devices)
    func `each example is valid and runs`(_ example: ManualExample) async throws {
        try await withFiles([example.file: example.text]) { folder in
            let script = """
                set -e
                cd '\(folder.path)'
                blectl() {
                    case "$1" in
                        device) command "$BLECTL" "$@" ;;
                        *) command "$BLECTL" --simulate-time virtual --deadline 60 "$@" ;;
                    esac
                }
                blectl device check \(example.file)
                \(example.lines.joined(separator: "\n"))
                """
            let run = try await Blectl.shell(script)
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stdout.hasPrefix("\(example.file): "))
        }
    }
}
