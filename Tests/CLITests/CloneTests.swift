// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Clone and diff", .startsPrograms())
struct CloneTests {
    /// Runs lines of bash in an empty folder; `blectl` is the program with the simulated world in virtual time.
    private func shell(_ script: String) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let functions = "cd '\(folder.path)'\nblectl() { \"$BLECTL\" $SIMULATE \"$@\"; }\n"
            return try await Blectl.shell(functions + script)
        }
    }

    @Test(arguments: [
        "C8:4B:1D:3A:90:5E", "'Thermo 1'", "'UART Echo'", "Workbench", "Shapeshifter", "Museum", "'Sports Watch'",
        "E2:0D:77:41:C3:19",
    ])
    func `a clone is a device file, and equals the device`(_ device: String) async throws {
        let run = try await shell(
            """
            blectl clone \(device) --values --listen-time 10 -o first.json || echo "clone $?"
            blectl clone \(device) --values --listen-time 10 > second.json || echo "second $?"
            blectl diff first.json second.json || echo "files $?"
            blectl diff first.json device:\(device) --ignore-values || echo "live $?"
            """
        )
        #expect(run.status == 0 && run.stdout == "", "\(run.stdout)\n\(run.stderr)")
    }

    @Test func `without room for a clone, no new file is left, and an old one keeps its content`() async throws {
        let run = try await shell(
            """
            echo old >old.json
            for file in new old; do
                (ulimit -f 0; blectl clone 'Pulse HR' -o $file.json) 2>&1 | cat >&2; echo "$file ${PIPESTATUS[0]}"
            done
            ls; cat old.json
            """
        )
        #expect(run.stdout == "new 74\nold 74\nold.json\nold\n", "\(run)")
        #expect(run.stderr.contains("cannot write to new.json: File too large"), "\(run.stderr)")
    }

    @Test(arguments: [("--name 'Weather*'", true), ("--service 0xFEAA", true), ("--name '*'", false)])
    func `criteria select a beacon if no other device meets them`(_ criteria: String, _ isBeacon: Bool) async throws {
        let run = try await Blectl.simulate("clone \(criteria)")
        #expect(run.status == 0 && run.stdout.contains("\"advertising\""), "\(run)")
        #expect(run.stderr.contains("it accepts no connections") == isBeacon, "\(run.stderr)")
    }

    @Test(arguments: [true, false])
    func `a device on LE Coded alone is heard there`(_ isConnectable: Bool) async throws {
        let run = try await shell(
            #"""
            cat >far.json <<'END'
            { "schema": "blectl-device/1", "label": "far", "name": "Far Sensor", "address": "C8:4B:1D:3A:90:77",
              "advertising": [
                { "type": "extended", "connectable": \#(isConnectable), "interval": "500 ms",
                  "primary_phy": "coded", "secondary_phy": "coded", "data": { "name": "Far Sensor" } }
              ],
              "services": [
                { "uuid": "battery",
                  "characteristics": [{ "uuid": "battery-level", "properties": ["read"], "value": "0x57" }] }
              ] }
            END
            SIMULATE="--simulate=far.json --simulate-time virtual"
            blectl clone 'Far Sensor'
            """#
        )
        #expect(run.status == 0 && run.stdout.contains("\"primary_phy\": \"coded\""), "\(run)")
        #expect(!run.stderr.contains("none of its advertisements"), "\(run.stderr)")
        #expect(run.stderr.contains("it accepts no connections") == !isConnectable, "\(run.stderr)")
    }

    @Test func `a recording is reported, and is in the file`() async throws {
        let run = try await shell("blectl clone 'Pulse HR' --values --record 20s | grep -c '\"replay\"'")
        #expect(
            Int(run.stdout.split(separator: "\n").first ?? "").map { $0 > 0 } == true,
            "\(run.stdout)\n\(run.stderr)"
        )
        #expect(run.stderr.contains("recorded values"), "\(run.stderr)")
    }

    @Test func `a difference is a line, a record and a status`() async throws {
        let run = try await shell(
            """
            blectl clone 'Pulse HR' --values -o a.json
            sed 's/"battery_percent": *87/"battery_percent": 88/; s/"value": 87/"value": 88/; s/"0x57"/"0x58"/' a.json > b.json
            cmp -s a.json b.json && cat a.json
            blectl diff a.json a.json; echo $?
            blectl diff a.json b.json; echo $?
            blectl diff a.json b.json --ignore-values; echo $?
            blectl diff a.json b.json --json
            """
        )
        let lines = run.stdout.split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(run.stdout)\n\(run.stderr)")
        #expect(lines.prefix(4) == ["0", "~ battery/battery-level  value  87 % → 88 %", "1", "0"])
        let difference = try #require(try JSON.objects(lines[4]).first)
        #expect(difference["type"] == .string("difference") && difference["first_value"] == .string("57"))
        #expect(difference["path"] == .string("battery/battery-level") && difference["aspect"] == .string("value"))
        let comparison = try #require(try JSON.objects(lines[5]).first)
        #expect(comparison["type"] == .string("comparison") && comparison["differences"] == .integer(1))
        for record in [difference, comparison] { #expect(RecordCheck.problems(of: record).isEmpty) }
    }

    @Test func `two live devices differ`() async throws {
        let run = try await shell("blectl diff device:Workbench 'Pulse HR' --ignore-handles; echo $?")
        #expect(run.stdout.hasSuffix("\n1\n"))
        #expect(run.stdout.contains("\n+ heart-rate "), "\(run.stdout)")
    }

    @Test func `values that are not compared are counted`() async throws {
        let run = try await shell(
            """
            blectl diff pulse-strap 'Thermo 1' >/dev/null
            blectl clone 'Pulse HR' -o strap.json 2>/dev/null
            blectl diff strap.json pulse-strap
            """
        )
        #expect(run.stderr.contains("blectl: 1 value not compared, because one side generates it\n"), "\(run.stderr)")
        let unknown = run.stderr.contains(" values not compared, because one side does not state them\n")
        #expect(unknown, "\(run.stderr)")
    }

    @Test func `each failure has its status`() async throws {
        let run = try await shell(
            """
            blectl diff nowhere.json 'Pulse HR'; echo $?
            echo '{' > broken.json; blectl diff broken.json broken.json; echo $?
            blectl diff Nobody Nobody --timeout 1; echo $?
            blectl diff C8:4B:1D:3A:90 'Pulse HR'; echo $?
            blectl clone 'Pulse HR' -o nowhere/strap.json; echo $?
            echo kept > old.json; blectl clone Nobody --timeout 1 -o old.json; echo $?; cat old.json
            blectl clone Nobody --timeout 1 -o new.json; echo $?; ls new.json 2>/dev/null
            blectl diff - - <old.json; echo $?
            """
        )
        #expect(
            run.stdout.split(separator: "\n") == ["66", "65", "68", "64", "73", "68", "kept", "68", "64"],
            "\(run.stdout)\n\(run.stderr)"
        )
        #expect(run.stderr.contains("standard input can be read only once"), "\(run.stderr)")
    }
}
