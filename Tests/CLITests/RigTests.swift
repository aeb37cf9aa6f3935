// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Carries out what `blectl-rig(7)` recommends: with mosquitto, bats, pytest and a reader of YAML.
@Suite("Rigs", .startsPrograms())
struct RigTests {
    private static func isThere(_ condition: String) async throws -> Bool {
        try await ProgramSlots.use { _ in try await Blectl.shell(condition).status == 0 }
    }

    private static func hasBroker() async throws -> Bool {
        try await isThere("[ -x /usr/sbin/mosquitto ] && type mosquitto_pub setsid ps")
    }

    private static func hasTools() async throws -> Bool {
        try await isThere("type bats && /usr/bin/python3 -c 'import pytest, yaml'")
    }

    @Test func `the page shows the files that are installed`() throws {
        let displays = try ManualText.displays(of: "blectl-rig.7")
        let folder = ManualText.root.appending(path: "man/rig")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 10)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let lines = text.split(separator: "\n").map(String.init)
            let notes = lines.filter { $0.contains("SPDX-License") }
            #expect(notes.count == 1)
            #expect(displays.contains(lines.filter { !notes.contains($0) }), "\(name)")
        }
        for line in displays.joined() { #expect(line.count <= 75, "\(line)") }
        let commands = try RigShell.commands()
        #expect(commands.setup.count == 15 && commands.collecting.count == 3)
    }

    /// What a publisher has sent, and which of that the broker has acknowledged.
    private struct Sent {
        let records: [String]
        let acknowledged: [String]

        /// Reads the log of `mosquitto_pub -d`, in which messages have the numbers of their lines.
        init(_ rig: String, _ stream: String, _ shell: RigShell) throws {
            let lines = try shell.lines("\(rig).sent")
            let numbers = try shell.lines("\(rig).log").compactMap { line -> Int? in
                let parts = line.wholeMatch(of: /Client (\S+) received PUBACK \(Mid: (\d+), RC:(\d+)\)/)
                // A number from 0x80 on is a refusal.
                guard let parts, parts.1 == "\(rig)-\(stream)", let code = Int(parts.3), code < 0x80 else { return nil }
                return Int(parts.2)
            }
            records = lines
            acknowledged = numbers.compactMap { lines.indices.contains($0 - 1) ? lines[$0 - 1] : nil }
            #expect(Set(numbers).count == acknowledged.count)
        }
    }

    @Test(.enabled("mosquitto is not installed") { try await hasBroker() })
    func `three rigs publish, one loses its link, and no acknowledged record is lost`() async throws {
        try await TemporaryFolder.use { folder in
            let shell = RigShell(folder: folder)
            let run = try await shell.run(
                """
                world
                setup
                until_there '[ -s $F/rig-1.sent ]'
                user rig-2; user rig-3; kill -HUP $broker
                collector 0
                collector 1 >$F/received &
                XDG_CONFIG_HOME=$F/collector mosquitto_sub -q 1 -t 'blectl/+/+/status' -F '%t %p' >$F/states &
                echo 'blectl scan --duplicates --json --duration 5' > $F/etc/blectl-rig/short
                echo 'blectl scan --duplicates --json' > $F/etc/blectl-rig/scan
                rig rig-3 scan; third=$rig
                until_there '[ $(grep -c blectl/rig-3/scan/records $F/received) -ge 50 ]'
                rig rig-2 short; wait $rig; echo "rig-2 $?"
                cut_off $third
                until_there 'grep "blectl/rig-3/scan/status lost" $F/states'
                first=${rigs%% rig-*}; set -- $rigs
                kill $1; wait $1; echo "rig-1 $?"
                until_there 'grep "blectl/rig-1/strap/status ended 143" $F/states'
                collector 2 | sort
                # The last one behind all others.
                mosquitto_pub --unix $F/b -u rig-2 -P SECRET -q 1 -t blectl/rig-2/end/records -m end
                until_there 'grep "^blectl/rig-2/end/records end" $F/received'
                """
            )
            #expect(run.status == 0, "\(run.stderr)")
            #expect(
                run.stdout.split(separator: "\n") == [
                    "rig-2 0", "rig-1 143", "blectl/rig-1/strap/status ended 143", "blectl/rig-2/short/status ended 0",
                    "blectl/rig-3/scan/status lost",
                ],
                "\(run.stdout)\(run.stderr)"
            )
            let received = try shell.lines("received")
            for (rig, stream) in [("rig-1", "strap"), ("rig-2", "short"), ("rig-3", "scan")] {
                let sent = try Sent(rig, stream, shell)
                let arrived = received.filter { $0.hasPrefix("blectl/\(rig)/\(stream)/records ") }
                    .map { String($0.drop { $0 != " " }.dropFirst()) }
                #expect(!sent.acknowledged.isEmpty)
                // Records of the strap before the collector was registered have no receiver.
                let expected = sent.acknowledged.drop { rig == "rig-1" && $0 != arrived.first }
                #expect(Set(expected).subtracting(arrived).isEmpty, "\(rig)")
                #expect(Set(arrived).subtracting(sent.records).isEmpty, "\(rig)")
                if rig == "rig-2" { #expect(arrived == sent.records && arrived.count > 50) }
                if rig == "rig-3" { #expect(sent.acknowledged.count >= 50) }
            }
            #expect(try shell.lines("states").contains("blectl/rig-3/scan/status online"))
            let types = try JSON.objects(
                received.map { String($0.drop { $0 != " " }.dropFirst()) }.dropLast().joined(separator: "\n")
            )
            .compactMap { $0["type"]?.string }
            #expect(Set(types).isSubset(of: ["advertisement", "measurement"]))
        }
    }

    @Test(.enabled("mosquitto is not installed") { try await hasBroker() })
    func `a restarted broker and an absent collector miss nothing`() async throws {
        try await TemporaryFolder.use { folder in
            let shell = RigShell(folder: folder)
            let run = try await shell.run(
                """
                world
                export BLECTL_RIG_INTERVAL=1
                setup
                collector 0
                until_there '[ -s $F/rig-1.sent ]'
                user rig-2; kill -HUP $broker
                echo 'blectl scan --duplicates --json' > $F/etc/blectl-rig/scan
                acknowledged() { grep -c 'rig-2-scan received PUBACK' $F/rig-2.log; }
                rig rig-2 scan; second=$rig
                until_there '[ $(acknowledged) -ge 50 ]'
                broker_stop
                size=$(wc -l < $F/rig-2.sent)
                until_there '[ $(wc -l < $F/rig-2.sent) -ge $((size + 50)) ]'
                systemctl restart mosquitto
                until_there '[ $(acknowledged) -ge $((size + 60)) ]'
                until_there 'collector 2 | grep "blectl/rig-2/scan/status online"'
                kill $second; wait $second; echo "rig-2 $?"
                mosquitto_pub --unix $F/b -u rig-2 -P SECRET -q 1 -t blectl/rig-2/end/records -m end
                collector 1 >$F/received &
                until_there 'grep "^blectl/rig-2/end/records end" $F/received'
                mosquitto_pub --unix $F/b -u rig-2 -P SECRET -V 5 -q 1 -t blectl/rig-1/end/records -m end 2>&1
                """
            )
            #expect(run.status == 0 || run.status == 135, "\(run.stdout)\(run.stderr)")
            #expect(run.stdout.hasPrefix("rig-2 143\n"), "\(run.stdout)\(run.stderr)")
            // One rig cannot write for another one.
            #expect(run.stdout.contains("Not authorized"), "\(run.stdout)")
            let sent = try Sent("rig-2", "scan", shell)
            let arrived = try shell.lines("received").filter { $0.hasPrefix("blectl/rig-2/scan/records ") }
                .map { String($0.drop { $0 != " " }.dropFirst()) }
            #expect(sent.acknowledged.count >= 110)
            #expect(Set(sent.acknowledged).subtracting(arrived).isEmpty)
        }
    }

    @Test(.enabled("there is no systemd") { try await isThere("type systemd-analyze") })
    func `systemd accepts the unit`() async throws {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'
                sed 's|/usr/local/bin/blectl-publish|/bin/true|' '\(ManualText.root.path)/man/rig/blectl-rig@.service' \
                    > blectl-rig@strap.service
                systemd-analyze verify --man=no ./blectl-rig@strap.service 2>&1 | grep blectl-rig
                sed -i 's/KillMode/KillMood/' blectl-rig@strap.service
                systemd-analyze verify --man=no ./blectl-rig@strap.service 2>&1 | grep -c KillMood
                """
            )
            #expect(run.stdout == "1\n")
        }
    }

    @Test(.enabled("bats or pytest is not installed") { try await hasTools() })
    func `the tests for bats and pytest pass, and fail where the device does`() async throws {
        try await TemporaryFolder.use { folder in
            let examples = ManualText.root.appending(path: "man/rig").path
            let run = try await RigShell(folder: folder).run(
                """
                world
                tests() {
                    bats --tap '\(examples)/rig.bats' | grep ok
                    cd $F && /usr/bin/python3 -m pytest -p no:cacheprovider -q '\(examples)/test_rig.py' | grep -E '^FAILED|passed|failed'
                }
                export PYTHONDONTWRITEBYTECODE=1
                tests
                blectl simulate set 'Pulse HR' battery-level 12 --socket $F/world >/dev/null
                tests
                """
            )
            let lines = run.stdout.split(separator: "\n").map { String($0.prefix { $0 != "-" && $0 != "," }) }
            let names = ["has charge", "refuses what it does not know", "beats"]
            let passed = names.enumerated().map { "ok \($0 + 1) \($1)" }
            let all = passed + ["3 passed in "]
            let failed = ["not ok 1 has charge"] + passed.dropFirst()
            #expect(lines.count == 9, "\(run.stdout)\(run.stderr)")
            #expect(lines.prefix(3) == all.prefix(3) && lines.dropFirst(3).first?.hasPrefix("3 passed in ") == true)
            #expect(Array(lines.dropFirst(4).prefix(3)) == failed)
            #expect(lines.suffix(2).first?.hasPrefix("FAILED ") == true && lines.last?.hasPrefix("1 failed") == true)
        }
    }

    @Test(.enabled("bats or pytest is not installed") { try await hasTools() })
    func `the tests in a world in virtual time pass, and take no time for a day`() async throws {
        try await TemporaryFolder.use { folder in
            let examples = ManualText.root.appending(path: "man/rig").path
            let run = try await RigShell(folder: folder).run(
                """
                export PYTHONDONTWRITEBYTECODE=1
                cd $F && /usr/bin/python3 -m pytest -p no:cacheprovider -q '\(examples)/test_heater.py'
                """
            )
            #expect(run.status == 0 && run.stdout.contains("62 passed"), "\(run.stdout)\(run.stderr)")
        }
    }

    @Test func `the test with which the page begins passes, and finds the faults that it names`() async throws {
        let displays = try ManualText.displays(of: "blectl-rig.7")
        let first = try #require(displays.first { $0[0].hasPrefix("cd ") && $0.contains { $0.contains("heater") } })
        let faulty = try #require(displays.first { $0[0].hasPrefix("rig=") })
        let folder = ManualText.root.appending(path: "man/rig").path
        func run(_ lines: ArraySlice<String>) async throws -> BlectlRun {
            try await Blectl.shell("blectl() { \"$BLECTL\" \"$@\"; }; cd '\(folder)'\n\(lines.joined(separator: "\n"))")
        }
        let passed = try await run(first.dropFirst())
        #expect(passed.status == 0 && passed.stdout.contains("3 tests: 3 passed"), "\(passed.stdout)\(passed.stderr)")
        let statuses = [0, 76, 1]
        #expect(faulty.count == 5)
        for (line, status) in zip(faulty.dropFirst(2), statuses) {
            let found = try await run(faulty.prefix(2) + [line])
            #expect(found.status == status, "\(line): \(found.stdout)\(found.stderr)")
        }
    }

    @Test(.enabled("python3-yaml is not installed") { try await hasTools() })
    func `the steps of the workflow run`() async throws {
        let reader = """
            import sys, yaml
            for job in yaml.safe_load(open(sys.argv[1]))["jobs"].values():
                for step in job["steps"]:
                    print(step.get("run", step.get("uses")))
            """
        try await TemporaryFolder.use { folder in
            let script = try #require(ManualExample.scripts.first)
            try Data("\(script.text)\n".utf8).write(to: folder.appending(path: script.file))
            let file = ManualText.root.appending(path: "man/rig/rig.yml").path
            let steps = try await Blectl.shell(
                "/usr/bin/python3 -c \"$READER\" '\(file)'",
                environment: ["READER": reader]
            )
            let lines = steps.stdout.split(separator: "\n").map(String.init)
            #expect(lines.count == 7 && lines.filter { $0.hasPrefix("actions/") }.count == 3, "\(steps.stdout)")
            for line in lines where line.hasPrefix("blectl ") {
                // Where there is no radio, the steps of the rig have simulated devices, too.
                let simulate = line.contains("--simulate") ? "" : "$SIMULATE"
                let run = try await Blectl.shell(
                    "cd '\(folder.path)'; blectl() { \"$BLECTL\" \(simulate) \"$@\"; }; \(line)",
                    environment: ["HOME": folder.path]
                )
                #expect(run.status == 0, "\(line): \(run.stdout)\(run.stderr)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(["report.xml", "run.btsnoop"]).isSubset(of: names))
        }
    }
}
