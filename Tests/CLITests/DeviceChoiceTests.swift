// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("Choosing a device", .startsPrograms())
struct DeviceChoiceTests {
    @Test(arguments: ["pulse hr", "PULSE HR", "c84b1d3a905e", "c8-4b-1d-3a-90-5e", "dev_C8_4B_1D_3A_90_5E"])
    func `a device is found by its name in any case, and by its address in any spelling`(_ text: String) async throws {
        let run = try await Blectl.simulate("read battery-level -d '\(text)' --json")
        let device = try run.records().first?["device"]?.object
        #expect(device?["address"]?.string == World.strap, "\(run.stderr)")
        let scan = try await Blectl.simulate("scan -d '\(text)' --count 1 --json")
        #expect(try scan.records().first?["address"]?.string == World.strap, "\(scan.stderr)")
    }

    @Test(arguments: ["C8:4B:1D:3A:90:5G", "C8:4B:1D:3A:90", "c8-4b-1d-3a-90", "Pulse*"])
    func `a word that can be neither is refused at once`(_ text: String) async throws {
        for line in ["read battery-level -d '\(text)'", "inspect '\(text)'", "scan -d '\(text)'"] {
            let run = try await Blectl.simulate(line)
            #expect(run.status == 64, "\(line)")
            #expect(run.stderr.contains("--name"), "\(run.stderr)")
        }
        let variable = try await Blectl.simulate("read battery-level", environment: ["BLECTL_DEVICE": text])
        #expect(variable.status == 64)
        #expect(variable.stderr.contains("for $BLECTL_DEVICE: "), "\(variable.stderr)")
    }

    @Test func `the error for a name that was not heard has one that was`() async throws {
        let run = try await Blectl.simulate("read battery-level -d Thermo --timeout 3")
        #expect(run.status == 68)
        #expect(run.stderr.contains("no device named 'Thermo' was found in 3 s; did you mean 'Thermo 1'?"))
        #expect(run.stderr.contains("hint: -d 'Thermo 1'\n"))
    }

    @Test(arguments: [
        "read battery-level -d 'Puls HR'", "diff 'Puls HR' pulse-strap", "diff pulse-strap 'device:Puls HR'",
    ])
    func `with --redact, both names are hidden`(_ line: String) async throws {
        let run = try await Blectl.simulate("\(line) --timeout 3 --redact")
        #expect(run.status == 68)
        #expect(run.stderr.contains("; did you mean "), "\(run.stderr)")
        #expect(!run.stderr.contains("Puls"), "\(run.stderr)")
        let record = try #require(try await Blectl.simulate("\(line) --timeout 3 --redact --json").records().last)
        #expect(record["status"]?.integer == 68 && !"\(record)".contains("Puls"), "\(record)")
    }

    @Test func `with --redact, the record of an error has the address of the device, and not its name`() async throws {
        let line = "read battery-level 0xFFFF -d 'Pulse HR' --json"
        let all = try await Blectl.simulate(line).records()
        let records = try await Blectl.simulate("\(line) --redact").records()
        try #require(all.count == 2 && records.count == 2, "\(records)")
        #expect(records[0] == all[0])
        let record = records[1]
        #expect(!"\(record)".contains("Pulse"), "\(record)")
        #expect(RecordCheck.problems(of: record).isEmpty)
        let subject = "read 0xFFFF from … (\(World.strap))"
        #expect(record["message"]?.string == "cannot \(subject): the device has no characteristic 0xFFFF")
        #expect(record["action"]?.string == subject)
        for key in ["characteristic", "hint", "reason", "retryable", "status", "target"] {
            #expect(record[key] != nil && record[key] == all[1][key], "\(key)")
        }
    }

    @Test(arguments: [
        "read battery-level -d 'Puls*'", "inspect Heart Puls", "scan --fault 'device Puls: read: lose'",
        "serve pulse-strap --fault 'device Puls: read: lose'",
    ])
    func `with --redact, a usage error has no name either`(_ line: String) async throws {
        #expect(try await Blectl.simulate(line).stderr.contains("Puls"))
        let run = try await Blectl.simulate("\(line) --redact")
        #expect(run.status == 64 && run.stderr.hasPrefix("blectl: "), "\(run.stderr)")
        #expect(!run.stderr.contains("Puls"), "\(run.stderr)")
        // Nor does its record.
        let record = try #require(try await Blectl.simulate("\(line) --redact --json").records().last)
        #expect(!"\(record)".contains("Puls"), "\(record)")
        let message = try #require(record["message"]?.string)
        #expect(run.stderr.hasPrefix("blectl: \(message)\n"), "\(run.stderr)")
    }

    @Test(arguments: [World.iBeacon, "Weather Mast North"])
    func `a device that takes no connection is neither absent nor busy`(_ device: String) async throws {
        let run = try await Blectl.simulate("read device-name -d '\(device)' --timeout 3")
        #expect(run.status == 76)
        #expect(run.stderr.contains("it advertises, but accepts no connection"), "\(run.stderr)")
    }

    @Test func `a terminal shows the device that is used, and the messages of a script do not`() async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 24)
        let drawn = try await terminal.run(Blectl.virtual + ["read", "battery-level"]).drawn
        #expect(drawn.contains("blectl: using Pulse HR (\(World.strap))\n"))
        #expect(try await Blectl.simulate("read battery-level").stderr == "")
    }

    @Test(arguments: [["read", "battery-level", "-q"], ["read", "battery-level", "--json"], ["inspect", "Pulse HR"]])
    func `nor does a quiet command, or one whose results name the device`(_ arguments: [String]) async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 24)
        let drawn = try await terminal.run(Blectl.virtual + arguments).drawn
        #expect(!drawn.contains("using"), "\(drawn)")
    }
}

@Suite("Arguments that are not UTF-8", .startsPrograms())
struct ForeignArgumentTests {
    @Test(arguments: [
        (#"write handle:3 $'text:\xff\xfe'"#, #"argument 3 is not UTF-8: 'text:\xff\xfe'"#, "0xfffe"),
        (#"write handle:3 $'@/tmp/\xe4'"#, #"argument 3 is not UTF-8: '@/tmp/\xe4'"#, "- < FILE"),
        (#"--radio $'unix:/tmp/\xe4' read handle:3"#, #"argument 2 is not UTF-8: 'unix:/tmp/\xe4'"#, "hint: "),
        (#"read -d $'caf\xe9' handle:3"#, #"argument 3 is not UTF-8: 'caf\xe9'"#, "hint: "),
    ])
    func `are refused, and never replaced`(_ line: String, _ message: String, _ hint: String) async throws {
        let run = try await Blectl.shell("$BLECTL \(line)")
        #expect(run.status == 64)
        #expect(run.stderr.contains(message) && run.stderr.contains(hint), "\(run.stderr)")
    }

    @Test func `a variable that names the device is refused, too`() async throws {
        let run = try await Blectl.shell(#"BLECTL_DEVICE=$'caf\xe9' $BLECTL $SIMULATE read battery-level"#)
        #expect(run.status == 64)
        #expect(run.stderr.contains(#"$BLECTL_DEVICE is not UTF-8: 'caf\xe9'"#), "\(run.stderr)")
    }

    @Test func `text in UTF-8 arrives as it is`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) 'text:ä€😀' -d Workbench -v")
        #expect(run.stderr.contains("c3a4e282acf09f9880"), "\(run.stderr)")
    }
}

@Suite("Words of errors", .startsPrograms())
struct ErrorWordsTests {
    private static let workbench = "Workbench (D3:6F:10:2C:84:B7)"

    /// A command with a part of its message and a part of its hint.
    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        let message: String
        let hint: String

        init(_ line: String, _ message: String, hint: String = "") {
            (self.line, self.message, self.hint) = (line, message, hint)
        }

        var testDescription: String { line }
    }

    @Test(arguments: [
        // What, on what, why, what next.
        Case(
            "read \(Workbench.authenticated) -d Workbench",
            "from \(workbench): the device requires pairing (ATT 0x05 insufficient authentication)",
            hint: "blectl pair D3:6F:10:2C:84:B7"
        ),
        Case(
            "read heart-rate-control-point -d 'Pulse HR'",
            "from Pulse HR (\(World.strap)): the device refused (ATT 0x02 read not permitted)",
            hint: "what it allows: blectl inspect -d \(World.strap)"
        ),
        Case(
            "write \(Workbench.silent) 01 -d Workbench --timeout 3",
            "to \(workbench): timed out after 3 s",
            hint: "--timeout allows more time"
        ),
        Case(
            "read \(Workbench.silent) -d Workbench --deadline 3",
            "cannot read \(Workbench.silent) from \(workbench): timed out after 3 s (--deadline)",
            hint: "--deadline allows more time"
        ),
        Case(
            "notify \(Workbench.fixed) -d Workbench",
            "cannot subscribe to \(Workbench.fixed) of \(workbench): it neither notifies nor indicates, only: ",
            hint: "blectl read \(Workbench.fixed) -d D3:6F:10:2C:84:B7"
        ),
        Case(
            "write \(Workbench.commandOnly) 01 -d Workbench",
            "to \(workbench): it accepts only writes without response",
            hint: "use --no-response"
        ),
        Case("read 0xFFF1 -d Workbench", "the device has no", hint: "what it has: blectl inspect -d D3:6F:10:2C:84:B7"),
        // Errors of services, and lengths.
        Case("write heart-rate-control-point 02", "(ATT 0x80 Heart Rate: control point not supported)"),
        Case(
            "write heart-rate-control-point hex:0102",
            "a value of 2 octets (ATT 0x0D invalid attribute value length)"
        ),
        Case("write \(Workbench.fixed) 0x1 -d Workbench", "refused a value of 1 octet (ATT 0x0D "),
        Case("write \(Workbench.fixed) 500 -d Workbench", "the bytes are written 0500, the number u16:500"),
    ])
    func `have what failed, on what, why, and the remedy`(_ test: Case) async throws {
        let run = try await Blectl.simulate(test.line)
        #expect(run.status != 0)
        let lines = run.stderr.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("blectl: ") && $0.contains(test.message) }, "\(run.stderr)")
        if !test.hint.isEmpty {
            #expect(lines.contains { $0.hasPrefix("hint: ") && $0.contains(test.hint) }, "\(run.stderr)")
        }
    }

    @Test func `a descriptor is named by its short name, and one digit after 0x is an octet`() async throws {
        let read = try await Blectl.simulate("read heart-rate-measurement/cccd -d 'Pulse HR'")
        #expect(read.status == 0, "\(read.stderr)")
        let write = try await Blectl.simulate("write heart-rate-control-point 0x1 -v")
        #expect(write.status == 0 && write.stderr.contains(/Write Request 0x[0-9A-F]{4} 01\n/), "\(write.stderr)")
    }

    @Test func `a missing file name is reported as such`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) @ -d Workbench")
        #expect(run.status == 64 && run.stderr.contains("a file name is missing after @"), "\(run)")
    }

    @Test func `the hint for a name with invisible characters has its address`() async throws {
        let run = try await Blectl.shell(
            #"""
            cat >"$HOME/evil.json" <<'END'
            {
              "schema": "blectl-device/1", "name": "\u202eevil lamp", "address": "C0:00:00:00:00:41", "address_type": "random",
              "advertising": [{ "interval": "100 ms", "data": { "name": "\u202eevil lamp" } }]
            }
            END
            $BLECTL --simulate="$HOME/evil.json" --simulate-time virtual read device-name -d evil --timeout 2
            """#
        )
        #expect(run.status == 68, "\(run)")
        #expect(run.stderr.contains("hint: -d C0:00:00:00:00:41"), "\(run)")
    }

    @Test func `a socket has no address, so that no hint is about pairing with it`() async throws {
        let run = try await Blectl.shell(
            """
            S=$HOME/s
            $BLECTL --radio unix:$S serve pulse-strap >$S.out 2>&1 & server=$!
            trap "kill $server" EXIT
            until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
            timeout 300 $BLECTL --radio unix:$S read battery-level --security medium; echo $?
            """
        )
        #expect(run.stdout == "76\n", "\(run)")
        #expect(!run.stderr.contains("blectl pair 00:00"), "\(run)")
    }

    @Test(arguments: [("-d Nope", "one named 'Nope'"), ("--name 'No*'", "one with a name like 'No*'")])
    func `a name that nobody compares at a socket is said to be none`(_ option: String, _ words: String) async throws {
        let run = try await Blectl.shell(
            """
            S=$HOME/s
            $BLECTL --radio unix:$S serve pulse-strap >$S.out 2>&1 & server=$!
            trap "kill $server" EXIT
            until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
            for device in "\(option)" "" "-d C8:4B:1D:3A:90:5E"; do
                eval timeout 300 $BLECTL --radio unix:$S read battery-level "$device"
            done
            """
        )
        #expect(run.stdout == "87 %\n87 %\n87 %\n", "\(run)")
        let notes = run.stderr.split(separator: "\n")
        #expect(notes.count == 1 && notes.first?.hasSuffix("nobody looks whether it is \(words)") == true, "\(run)")
    }

    @Test(arguments: [
        ("raw \(String(repeating: "00", count: 31))", "advertising octets \(String(repeating: "00", count: 31)) on "),
        ("raw 0201", "advertising octets 0201 on "),
    ])
    func `data that are not elements are shown as octets`(_ line: String, _ text: String) async throws {
        let run = try await Blectl.simulate("advertise \(line) --duration 1")
        #expect(run.status == 0 && run.stdout.contains(text), "\(run)")
        let empty = try await Blectl.simulate("advertise raw - --duration 1")
        #expect(empty.status == 64 && empty.stdout.isEmpty, "\(empty)")
    }
}
