// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Captures", .startsPrograms())
struct CaptureTests {
    /// The records of `trace` for a capture.
    private func packets(_ path: String, _ options: [String] = []) async throws -> [[String: JSON]] {
        let run = try await Blectl.run(["trace", path, "--json"] + options)
        #expect(run.status == 0, "\(run.stderr)")
        return try run.records()
    }

    private func names(_ packets: [[String: JSON]]) -> [String] {
        packets.map { "\($0["direction"]?.string == "sent" ? ">" : "<") \($0["name"]?.string ?? "?")" }
    }

    @Test func `a capture on a full disk does not stop the command`() async throws {
        let run = try await Blectl.simulate("read battery-level -d 'Pulse HR' --capture /dev/full")
        #expect(run.status == 74 && run.stdout == "87 %\n", "\(run)")
        #expect(run.stderr == "blectl: cannot write to /dev/full: No space left on device; the capture ends here\n")
    }

    @Test(arguments: [
        "inspect -d Workbench --values", "watch heart-rate --count 3", "read battery-level -d 'Thermo 1'",
    ])
    func `a capture has the ATT packets of -v, in their order and with their times`(_ command: String) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.simulate("\(command) -v --capture \(path)")
            let seen = Trace(run.stderr).pdus
            #expect(seen.count > 1)
            let att = try await packets(path, ["--att"])
            // The error of a request is named in the same words.
            let expected = seen.map { $0.name.hasPrefix("Error Response") ? "Error Response" : $0.name }
            #expect(names(att) == zip(seen, expected).map { "\($0.isSent ? ">" : "<") \($1)" })
            let times = run.stderr.split(separator: "\n").filter { $0.contains(" att ") }.map { $0.prefix(27) }
            #expect(att.compactMap { $0["time"]?.string } == times.map(String.init))
            #expect(att.allSatisfy { $0["malformed"] == .bool(false) && $0["address"]?.string != nil })
            // Every answer has found its question.
            let answers = att.filter {
                $0["direction"]?.string == "received" && $0["name"]?.string?.contains("Response") == true
            }
            #expect(!answers.isEmpty && answers.allSatisfy { $0["answer_to"] != .null })
        }
    }

    @Test func `it also has the HCI packets of -vv, and a connection that begins and ends`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.simulate("read battery-level -d 'Pulse HR' -vv --capture \(path)")
            let all = try await packets(path)
            let hci = all.filter { $0["kind"] == .string("hci") }
                .map { "\($0["direction"]?.string == "sent" ? ">" : "<") \($0["text"]?.string ?? "")" }
            let links = hci.filter { $0.contains("LE Connection Complete") || $0.contains("Disconnection Complete") }
            #expect(links.count == 2)
            #expect(links.first?.contains(World.strap) == true)
            #expect(hci.filter { !links.contains($0) } == Trace(run.stderr).packets)
            #expect(all.last?["name"] == .string("Disconnection Complete"))
        }
    }

    @Test func `two runs in virtual time have the same capture`() async throws {
        try await TemporaryFolder.use { folder in
            let paths = ["a", "b"].map { folder.appending(path: $0).path }
            for path in paths { _ = try await Blectl.simulate("watch heart-rate --count 2 --capture \(path)") }
            let files = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
            #expect(files[0].count > 100 && files[0] == files[1])
        }
    }

    @Test func `a file that cannot be created is status 73, and nothing is sent`() async throws {
        let run = try await Blectl.simulate("read battery-level -vv --capture /nowhere/run.btsnoop --json")
        #expect(run.status == 73)
        #expect(Trace(run.stderr).packets.isEmpty && Trace(run.stderr).pdus.isEmpty)
        #expect(run.stderr == "blectl: cannot create /nowhere/run.btsnoop: No such file or directory\n")
        #expect(try run.records().map { $0["status"] } == [.integer(73)])
    }

    @Test func `standard output and commands without packets are usage errors`() async throws {
        for line in ["scan --capture -", "decode battery-level 57 --capture run.btsnoop"] {
            let run = try await Blectl.run(TypedCommand(line).arguments)
            #expect(run.status == 64 && run.stdout.isEmpty, "\(line): \(run.stderr)")
        }
    }

    @Test func `a full disk is reported once, and the command goes on`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.shell(
                "(ulimit -f 1; $BLECTL $SIMULATE watch heart-rate --count 30 --json --capture \(path)) | cat; exit ${PIPESTATUS[0]}"
            )
            #expect(run.status == 74)
            #expect(run.stderr == "blectl: cannot write to \(path): File too large; the capture ends here\n")
            let records = try run.records()
            #expect(records.filter { $0["type"] == .string("measurement") }.count == 30)
            #expect(records.last?["type"] == .string("error") && records.last?["status"] == .integer(74))
            // Whole records to the last.
            #expect(try await packets(path).count > 5)
        }
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `the file is whole after a signal`(_ number: Int32) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let line = ["--simulate", "watch", "heart-rate", "--capture", path]
            try await LiveBlectl.start(line) { live in
                try await live.waits(for: "bpm", on: \.stdout)
                live.child.signal(number)
                #expect(try await live.end().status == -number)
            }
            let names = names(try await packets(path))
            #expect(names.contains("< Handle Value Notification"))
            if number == SIGINT { #expect(names.last == "< Disconnection Complete") }
        }
    }

    // MARK: - Several adapters

    /// A script with a device on each of two adapters, whose links have the same handle.
    static let twoAdapters = """
        device a -d 'Pulse HR' -i hci0
        device b -d Workbench -i hci1
        test "both"
          read a battery-level
          read b \(Workbench.counter)
          connect b
        """

    @Test func `with two adapters, each packet has its device and its adapter`() async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            try Data(Self.twoAdapters.utf8).write(to: URL(filePath: path("s.blectl")))
            let run = try await Blectl.simulate(
                "--simulate-adapter second run \(path("s.blectl")) -vv --capture \(path("run.btsnoop")) --diagram \(path("d.txt"))"
            )
            #expect(run.status == 0, "\(run.stderr)")
            let all = try await packets(path("run.btsnoop"))
            let att = all.filter { $0["kind"] == .string("att") }
            #expect(att.allSatisfy { $0["connection"] == att.first?["connection"] }, "the links have the same handle")
            for (adapter, device) in [("hci0", World.strap), ("hci1", World.workbench)] {
                let own = att.filter { $0["adapter"] == .string(adapter) }
                #expect(own.count >= 2 && own.allSatisfy { $0["address"] == .string(device) })
                let ends = all.filter { $0["adapter"] == .string(adapter) }.compactMap { $0["name"]?.string }
                #expect(ends.contains("LE Connection Complete") && ends.contains("Disconnection Complete"))
                // Lines name the adapter from the first packet of a second one on.
                let named = adapter == "hci0" ? "" : "\(adapter) "
                #expect(run.stderr.contains(" att \(named)\(device) Read"))
            }
            #expect(all.allSatisfy { $0["adapter"] != .null && $0["malformed"] == .bool(false) })
            let lines = try await Blectl.run(["trace", path("run.btsnoop"), "--att"]).stdout.split(separator: "\n")
            #expect(
                lines.allSatisfy {
                    $0.contains(" att hci0 \(World.strap)") || $0.contains(" att hci1 \(World.workbench)")
                }
            )
            // Each adapter is a participant.
            let picture = try String(contentsOfFile: path("d.txt"), encoding: .utf8)
            let names = picture.split(separator: "\n").first?.split(separator: " ").map(String.init)
            #expect(names == ["hci0", World.strap, "hci1", World.workbench], "\(picture)")
            let again = try await Blectl.run(["trace", path("run.btsnoop"), "--diagram", path("e.txt")])
            #expect(again.status == 0)
            #expect(try String(contentsOfFile: path("e.txt"), encoding: .utf8) == picture)
        }
    }

    @Test func `a run with one of two adapters has the usual capture`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.simulate(
                "--simulate-adapter second read battery-level -d 'Pulse HR' -i hci1 --capture \(path)"
            )
            #expect(run.status == 0, "\(run.stderr)")
            #expect(try await packets(path).allSatisfy { $0["adapter"] == .null })
        }
    }

    @Test(.enabled("tshark is not installed") { try await Self.isSharkInstalled() })
    func `Wireshark tells the packets of two adapters apart`() async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            try Data(Self.twoAdapters.utf8).write(to: URL(filePath: path("s.blectl")))
            let run = try await Blectl.simulate(
                "--simulate-adapter second run \(path("s.blectl")) --capture \(path("run.btsnoop"))"
            )
            #expect(run.status == 0, "\(run.stderr)")
            let all = try await packets(path("run.btsnoop"))
            let malformed = "(_ws.malformed || _ws.expert.severity >= error) && !(\(Self.fragment))"
            for (index, device) in [World.strap, World.workbench].enumerated() {
                let own = all.count { $0["kind"] == .string("att") && $0["address"] == .string(device) }
                let (lines, counts) = try await shark(
                    path("run.btsnoop"),
                    showing: "btatt && hci_mon.adapter_id == \(index)",
                    counting: ["frame", malformed]
                )
                #expect(counts == [all.count, 0])
                #expect(own >= 2 && lines.count == own)
                #expect(lines.allSatisfy { $0.contains(device.lowercased()) }, "\(lines)")
            }
        }
    }

    // MARK: - Logs that leave the lab

    @Test func `with --redact, no value, name or written octet is in a message, a capture, a diagram or a trace`()
        async throws
    {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let secret = "topsecret"
            for (number, line) in [
                "write \(Workbench.long) text:\(secret) -d Workbench --verify", "read \(Workbench.long) -d Workbench",
                "inspect -d Workbench --values", "read device-name -d Workbench", "read 0xFFF1 -d Workbench",
                "advertise --local-name Workbench --manufacturer-data 0xFFFF:text:\(secret) "
                    + "--duration 1",
            ].enumerated() {
                let end = "-vv --redact --capture \(path("\(number).btsnoop")) --diagram \(path("\(number).txt"))"
                let run = try await Blectl.simulate("\(line) \(end)")
                #expect(!run.stderr.isEmpty)
                let trace = try await Blectl.run(["trace", path("\(number).btsnoop")])
                #expect(trace.status == 0 && !trace.stdout.contains("malformed"), "\(line): \(trace.stdout)")
                let texts = [
                    run.stderr, trace.stdout, try String(contentsOfFile: path("\(number).txt"), encoding: .utf8),
                ]
                let capture = try Data(contentsOf: URL(filePath: path("\(number).btsnoop")))
                for word in [secret, "Workbench"] {
                    let digits = word.utf8.map { String($0, radix: 16) }.joined()
                    #expect(!texts.contains { $0.contains(word) || $0.contains(digits) }, "\(line): \(texts)")
                    #expect(capture.range(of: Data(word.utf8)) == nil, "\(line)")
                }
            }
            // What a log is for is still there.
            let run = try await Blectl.simulate("read battery-level -d 'Pulse HR' -v --redact")
            #expect(run.stdout == "87 %\n")
            #expect(run.stderr.contains("< att \(World.strap) Read By Type Response 0x0018, 3 octets"))
        }
    }

    @Test func `trace --redact shows kinds, handles and lengths of another capture`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            _ = try await Blectl.simulate("read device-name -d Workbench --capture \(path)")
            let records = try await packets(path, ["--redact"])
            #expect(records.allSatisfy { $0["bytes"] == .null })
            let text = records.compactMap { $0["text"]?.string }.joined(separator: "\n")
            #expect(text.contains("Read By Type Response 0x0003, ") && !text.contains("576f726b"))
        }
    }

    @Test func `a capture and a diagram in one file are a usage error`() async throws {
        let run = try await Blectl.simulate("scan --capture same.txt --diagram same.txt")
        #expect(run.status == 64 && run.stderr.contains("same file"))
    }

    @Test func `two options with one file are a usage error, however its path is written`() async throws {
        let run = try await SessionShell.run(
            #"""
            cd $F; mkdir folder; ln -s a.svg link.svg; ln -s ../a.svg folder/b.svg; : >there.svg; ln there.svg hard.svg
            try() { blectl --simulate-time virtual "$@" 2>&1 </dev/null | head -1; }
            echo 'device strap -d Nobody' >s.blectl
            try scan --duration 1 --capture a.svg --diagram ./a.svg
            try scan --duration 1 --chart $PWD/a.svg --capture folder/../a.svg
            try scan --duration 1 --chart a.svg --diagram link.svg
            try notify heart-rate-measurement --count 1 --chart link.svg --diagram folder/b.svg
            try bench read battery-level --chart hard.svg --diagram there.svg
            try run s.blectl --report tap=a.svg --report junit=./a.svg
            try run s.blectl --report tap=a.svg --diagram link.svg
            ls a.svg 2>/dev/null
            try scan --duration 1 --chart one.svg --diagram folder/one.svg --quiet >/dev/null; ls one.svg folder/one.svg
            """#
        )
        let ends = [
            "'--capture' and '--diagram'", "'--capture' and '--chart'", "'--diagram' and '--chart'",
            "'--diagram' and '--chart'", "'--diagram' and '--chart'", "two '--report'", "'--diagram' and '--report'",
        ]
        let expected = ends.map { "blectl: \($0) name the same file" } + ["folder/one.svg", "one.svg"]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `no output replaces an input`() async throws {
        let run = try await SessionShell.run(
            #"""
            cd $F; try() { blectl --simulate-time virtual "$@" 2>&1 | head -1; }
            printf 'device strap -d Nobody\ntest "a"\n  read strap battery-level\n' >s.blectl
            blectl --simulate-time virtual read battery-level -d 'Pulse HR' --capture run.btsnoop >ready
            blectl --simulate-time virtual clone 'Pulse HR' -o - >strap.json 2>ready; md5sum * >sums
            try run s.blectl --report junit=./s.blectl
            try run - --report tap=s.blectl <s.blectl
            try clone --from run.btsnoop -o run.btsnoop
            try serve ./strap.json --capture strap.json
            try write heart-rate-control-point @s.blectl -d 'Pulse HR' --capture s.blectl
            try trace - - <run.btsnoop
            md5sum --quiet -c sums; ls -- -* 2>/dev/null
            """#
        )
        let expected = [
            "'--report' would replace s.blectl", "'--report' would replace standard input",
            "'--output' would replace run.btsnoop", "'--capture' would replace ./strap.json",
            "'--capture' would replace s.blectl",
        ]
        let lines = expected.map { "blectl: \($0), which is read" } + ["blectl: standard input can be read only once"]
        #expect(run.lines == lines, "\(run)")
    }

    // MARK: - Channels

    @Test func `the signals of a channel have names and fields`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.simulate("bench l2cap --psm 128 -d Workbench --count 3 -v --capture \(path)")
            #expect(run.status == 0, "\(run.stderr)")
            let frames = try await packets(path).filter { $0["kind"] == .string("l2cap") }
            let texts = frames.compactMap { $0["text"]?.string }
            #expect(
                texts.first?.hasPrefix("LE Credit Based Connection Request 1: SPSM 0x0080, channel 0x0040, MTU ")
                    == true
            )
            #expect(texts.contains { $0.hasPrefix("LE Credit Based Connection Response 1: channel 0x0040, MTU 512") })
            #expect(texts.contains { $0.wholeMatch(of: /channel 0x0040 of SPSM 0x0080, .+: [0-9a-f]+/) != nil })
            // Only a capture is followed from the opening of a channel on.
            #expect(texts.allSatisfy { $0.hasPrefix("channel ") || run.stderr.contains($0) })
            #expect(frames.contains { $0["name"] == .string("Disconnection Request") })
            // A link of which the program learns no parameters has none made up.
            let link = try await packets(path).first { $0["name"] == .string("LE Connection Complete") }
            #expect(link?["text"]?.string?.hasSuffix("parameters not known") == true)
        }
    }

    // MARK: - Another program

    private static let shark = "tshark"

    /// Wireshark reads each report of a long advertisement by itself, although its data go on in the next one.
    private static let fragment = "bthci_evt.le_meta_subevent == 0x0d && bthci_evt.data_length >= 100"
    /// Wireshark looks for a UUID in every include declaration. That of a service with a UUID of 128 bits has none: Core 5.4,
    /// Vol 3, Part G, 3.2.
    private static let include = "btatt.length == 6 && btatt.uuid16 == 0x2802"

    /// Whether Wireshark's program for terminals is installed.
    private static func isSharkInstalled() async throws -> Bool {
        try await ProgramSlots.use { _ in
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            return try await Blectl.shell("command -v \(shark)", environment: ["PATH": path]).status == 0
        }
    }

    /// Reads a capture once with Wireshark, whose start takes longer than most captures.
    ///
    /// - Parameters:
    ///   - path: The capture.
    ///   - filter: The display filter of the packets to show.
    ///   - counted: The display filters of the packets to count. They have no comma.
    /// - Returns: A line for each packet to show, and the number of packets of each filter in `counted`.
    private func shark(
        _ path: String,
        showing filter: String,
        counting counted: [String]
    ) async throws -> (shown: [Substring], counts: [Int]) {
        let lines = try await shark("-r \(path) -Y '\(filter)' -z 'io,stat,0,\(counted.joined(separator: ","))'")
        // Behind the packets, a table with one row: "| 0.000 <> 2.559 | frames | bytes | frames | bytes … |".
        let start = try #require(lines.firstIndex { $0.hasPrefix("====") }, "\(lines.suffix(3))")
        let shown = Array(lines[..<start])
        guard let row = lines[start...].first(where: { $0.contains("<>") }) else {
            // There is no row if all packets have the same time.
            var counts: [Int] = []
            for filter in counted { counts.append(try await shark("-r \(path) -Y '\(filter)'").count) }
            return (shown, counts)
        }
        let numbers = row.split(separator: "|").dropFirst().map { Int($0.trimmingCharacters(in: .whitespaces)) }
        let counts = stride(from: 0, to: numbers.count, by: 2).compactMap { numbers[$0] }
        try #require(counts.count == counted.count, "\(row)")
        return (shown, counts)
    }

    /// The lines that Wireshark's program for terminals prints.
    private func shark(_ arguments: String) async throws -> [Substring] {
        let run = try await Blectl.shell(
            "\(Self.shark) \(arguments)",
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent",
            ]
        )
        #expect(run.status == 0, "\(run.stderr)")
        return run.stdout.split(separator: "\n")
    }

    @Test(
        .enabled("tshark is not installed") { try await Self.isSharkInstalled() },
        arguments: [
            "scan --duration 3", "inspect -d Workbench --values", "watch heart-rate --count 3",
            "write \(Workbench.long) text:\(String(repeating: "x", count: 300)) -d Workbench",
            "notify heart-rate-measurement -d 'Flaky HR' --reconnect --duration 40", "serve 'Pulse HR' --duration 20",
            "adapters", "bench l2cap --psm 128 -d Workbench --size 500 --count 10",
            "bench l2cap --psm 128 -d Workbench --count 5 --link-phy 2m", "l2cap connect --psm 130 -d Workbench",
        ]
    )
    func `Wireshark finds no malformed packet, and counts the same number`(_ command: String) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.btsnoop").path
            let run = try await Blectl.simulate("\(command) --capture \(path)")
            // One value of the workbench never comes.
            #expect([0, 124].contains(run.status), "\(run.stderr)")
            let all = try await packets(path)
            #expect(all.count > 1)
            let frames = all.count { $0["kind"] == .string("l2cap") }
            let names = names(all)
            // What Wireshark selects, and how many packets there are.
            var expected: [(filter: String, count: Int)] = [
                ("frame", all.count), ("btatt", all.count { $0["kind"] == .string("att") }),
                ("btl2cap && !btatt && !btsmp", frames),
            ]
            if command.contains("l2cap") {
                #expect(frames > 5)
                for (code, name) in [
                    ("0x14", "LE Credit Based Connection Request"), ("0x15", "LE Credit Based Connection Response"),
                    ("0x16", "Flow Control Credit Indication"), ("0x06", "Disconnection Request"),
                ] {
                    expected.append(("btl2cap.cmd_code == \(code)", names.count { $0.dropFirst(2) == name }))
                }
                #expect(names.count { $0.hasSuffix("Connection Complete") } == 1, "\(names)")
                #expect(names.last == "< Disconnection Complete", "\(names.suffix(3))")
            }
            let (malformed, counts) = try await shark(
                path,
                showing: "(_ws.malformed || _ws.expert.severity >= error) && !(\(Self.fragment)) && !(\(Self.include))",
                counting: expected.map(\.filter)
            )
            for (expected, count) in zip(expected, counts) { #expect(count == expected.count, "\(expected.filter)") }
            #expect(malformed.isEmpty, "\(malformed.prefix(5).joined(separator: "\n"))")
        }
    }
}
