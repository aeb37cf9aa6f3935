// SPDX-License-Identifier: GPL-2.0-or-later

import TestProcesses
import Testing

/// What users see of each fault that a simulated device can show: `blectl(1)`, FAULTS.
@Suite("Faults", .startsPrograms())
struct FaultTests {
    /// A fault and a command, with the status and the words with which it ends.
    struct Row: Sendable, CustomTestStringConvertible {
        let fault: String
        let line: String
        let status: Int32
        let words: String

        init(_ fault: String, _ line: String, _ status: Int32, _ words: String = "") {
            (self.fault, self.line, self.status, self.words) = (fault, line, status, words)
        }

        var testDescription: String { "\(fault) | \(line)" }
    }

    private static let read = "read battery-level -d 'Pulse HR'"
    private static let inspect = "inspect -d 'Pulse HR'"
    private static let write = "write heart-rate-control-point 0x01 -d 'Pulse HR'"
    private static let notify = "notify heart-rate-measurement -d 'Pulse HR' --count 4"
    private static let scan = "scan --duration 3"

    private static func simulate(_ fault: String, _ line: String) async throws -> BlectlRun {
        try await Blectl.run(Blectl.virtual + ["--fault", fault] + TypedCommand(line).arguments)
    }

    private static let reads: [Row] = [
        Row("read: error 0x80", read, 76, "the device refused (ATT 0x80"),
        Row("read battery-level: error insufficient-encryption", read, 76, "the device requires pairing"),
        Row("read: error after 2s once", read, 76, "ATT 0x0E unlikely error"),
        Row("read: delay 3s", read, 0, "87 %"),
        Row("read: delay 12s", read, 124, "timed out after 10 s"),
        Row("read: no answer", read, 124, "timed out after 10 s"),
        Row("read: lose", read, 124, "timed out after 10 s"),
        Row("read: reorder", read, 124, "timed out after 10 s"),
        Row("read: pause", read, 124, "timed out after 10 s"),
        Row("read: pause for 3s", read, 0, "87 %"),
        Row("read: wrong opcode 0x0d", read, 76, "invalid answer to Read By Type Request: Read Blob Response"),
        Row("read: truncate to 3", read, 76, "invalid answer to Read By Type Request"),
        Row("read: oversize to 600", read, 76, "600 octets where at most 517 are allowed"),
        Row("read: duplicate", read, 0, "87 %"),
        Row("read: drop", read, 75, "the device closed the connection"),
        Row("read: drop once", read, 0, "87 %"),
        Row("read: drop after", read, 0, "87 %"),
        Row("read: drop with connection-timeout", read, 75, "the connection was lost (HCI connection timeout"),
        Row("request: error 0x05", read, 76, "ATT 0x05 insufficient authentication"),
    ]

    private static let others: [Row] = [
        Row("discover-services: error", inspect, 76, "the device refused"),
        Row("discover-services: no answer", inspect, 124, "(discovery)"),
        Row("discover-services: truncate to 5", inspect, 76, "invalid answer to Read By Group Type Request"),
        Row("discover-services: drop #2", inspect, 75, "the device closed the connection"),
        Row("discover-services: delay 300ms", inspect, 0, "Heart Rate Measurement"),
        Row("discover-characteristics: error", inspect, 76, "the device refused"),
        Row("discover-characteristics: no answer", inspect, 124, "(discovery)"),
        Row("discover-characteristics: oversize to 600", inspect, 76, "600 octets where at most 517"),
        Row("write: error 0x80", write, 76, "control point not supported"),
        Row("write: no answer", write, 124, "timed out after 10 s"),
        Row("write: lose", write, 124, "timed out after 10 s"),
        Row("write: drop", write, 75, "the device closed the connection"),
        Row("write: delay 2s", write, 0),
        Row("write: oversize to 40", write, 76, "39 octets left over"),
        Row("subscribe: error 0x80", notify, 76, "the device refused"),
        Row("subscribe: drop", notify, 75, "the device closed the connection"),
        Row("notify: lose", notify, 1, "0 of 4 values received"),
        Row("notify: pause", notify, 1, "0 of 4 values received"),
        Row("notify #3: drop", notify, 75, "the device closed the connection"),
        Row("notify #3: drop with connection-timeout", notify, 75, "the connection was lost"),
        Row("notify #3: drop", notify + " --reconnect", 0, "connected again"),
        Row("notify #2: wrong opcode 0x1c", notify, 0),
        Row("notify #2: oversize to 600", notify, 0),
        Row("connect: refuse", read, 75, "connection failed to be established (0x3E)) (3 attempts)"),
        Row("connect: refuse 2 times", read, 0, "87 %"),
        Row("connect: refuse 0x3b", read, 75, "unacceptable connection parameters (0x3B)"),
        Row("connect: refuse 0x0c", read, 75, "could not be established (HCI command disallowed (0x0C))"),
        Row("connect: delay 3s", read, 0, "87 %"),
        Row("connect: delay 30s", read, 124, "the device did not answer"),
        Row("connect: no answer", read, 124, "the device did not answer"),
        Row("connect: pause", read, 124, "the device did not answer"),
        Row("connect: pause for 3s", read, 0, "87 %"),
        Row("connect: drop", read, 75, "(3 attempts)"),
        Row("connect: drop after 4s", notify, 75, "the device closed the connection"),
        Row("scan: lose", read, 68, "no device named 'Pulse HR' was found in 10 s, nor any other"),
        Row("scan: lose", scan, 0, "0 reports from 0 devices"),
        Row("device 'Pulse HR': scan: lose", scan + " --name 'Pulse*' --count 1", 1, "0 of 1 device found"),
        Row("scan: pause for 5s", read, 0, "87 %"),
        Row("scan: delay 1s", read, 0, "87 %"),
    ]

    @Test("each fault ends a command with its status and the reason", arguments: reads + others)
    func outcome(_ row: Row) async throws {
        let run = try await Self.simulate(row.fault, row.line)
        #expect(run.status == row.status, "\(run.stdout)\(run.stderr)")
        #expect((run.stdout + run.stderr).contains(row.words), "\(run.stdout)\(run.stderr)")
        #expect(!run.stderr.contains("never acted"))
    }

    @Test("the error for a link made and lost does not deny that it was made")
    func lostAttempt() async throws {
        let lost = try await Self.simulate("read: drop once", Self.read)
        let words = "blectl: attempt 1 of 3: cannot keep the link to Pulse HR (\(World.strap)): the device closed the"
        #expect(lost.stderr.hasPrefix(words), "\(lost.stderr)")
        let missed = try await Self.simulate("connect: refuse once", Self.read)
        #expect(missed.stderr.hasPrefix("blectl: attempt 1 of 3: cannot connect to Pulse HR"), "\(missed.stderr)")
    }

    // MARK: - Values

    /// The rates that four notifications bring, by their times after the first one in seconds.
    private static func moments(_ fault: String) async throws -> [Int64] {
        let run = try await simulate(fault, notify + " --json")
        let times = try run.records().compactMap { $0["monotonic_ns"]?.integer }
        return times.map { ($0 - (times.first ?? 0) + 500_000_000) / 1_000_000_000 }
    }

    @Test func `notifications are late, doubled, reordered, missing, or come together`() async throws {
        let ordinary = try await Blectl.simulate(Self.notify).stdout.split(separator: "\n")
        #expect(try await Self.moments("notify: delay 500ms") == [0, 1, 2, 3])
        #expect(try await Self.moments("notify: lose #2") == [0, 2, 3, 4])
        #expect(try await Self.moments("notify: duplicate #2") == [0, 1, 1, 2])
        #expect(try await Self.moments("notify: reorder #2") == [0, 2, 2, 3])
        #expect(try await Self.moments("notify #2-3: pause for 3s") == [0, 3, 4, 4])
        let cut = try await Self.simulate("notify #2: truncate to 4", Self.notify).stdout.split(separator: "\n")
        #expect(cut[1].hasSuffix(": 0x16") && cut[2] == ordinary[2])
    }

    @Test func `advertisements are cut, doubled, and changed in strength`() async throws {
        func reports(_ options: String) async throws -> [[String: JSON]] {
            try await Blectl.simulate("scan --duration 2 --name 'Pulse*' --duplicates --json \(options)").records()
                .filter { $0["type"]?.string == "advertisement" }
        }
        let once = try await reports("")
        let unknown = try await reports("--fault 'scan: report 127'")
        #expect(!unknown.isEmpty && unknown.allSatisfy { $0["rssi_dbm"] == .null })
        let loud = try await reports("--fault 'scan: report -12'")
        #expect(!loud.isEmpty && loud.allSatisfy { $0["rssi_dbm"]?.integer == -12 })
        #expect(try await reports("--fault 'scan: duplicate'").count > once.count * 3 / 2)
        let cut = try await reports("--fault 'scan: truncate to 3'").filter { $0["scan_response"] == .bool(false) }
        #expect(!cut.isEmpty && cut.allSatisfy { $0["data"]?.string == "020106" })
    }

    @Test func `malformed notifications are reported and counted`() async throws {
        let one = try await Self.simulate("notify #2: oversize to 600", Self.notify)
        #expect(one.status == 0 && one.stdout.split(separator: "\n").count == 4)
        let told = "dropped Handle Value Notification of 600 octets where at most 517 are allowed"
        #expect(one.stderr == "blectl: \(World.strap): \(told)\n", "\(one.stderr)")
        let several = try await Self.simulate("notify #2-4: truncate to 2", Self.notify)
        #expect(several.status == 0)
        let lines = several.stderr.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("dropped malformed Handle Value Notification"), "\(lines)")
        #expect(
            lines.last?.hasSuffix(
                "3 notifications or indications of Pulse HR (\(World.strap)) were malformed, and dropped"
            ) == true,
            "\(lines)"
        )
    }

    // MARK: - Chance

    @Test(arguments: [
        "notify heart-rate-measurement -d 'Pulse HR' --count 50 --json --fault 'notify: lose 30%' --fault 'notify: duplicate 10%'",
        "scan --duration 5 --json --fault 'scan: lose 50%'",
        "inspect -d Workbench --values --json --fault 'read: error 30%'",
    ])
    func `the same seed gives the same bytes, and another seed others`(_ line: String) async throws {
        let first = try await Blectl.simulate(line)
        let second = try await Blectl.simulate(line)
        #expect(first.stdoutBytes == second.stdoutBytes && first.status == second.status && !first.stdout.isEmpty)
        let other = try await Blectl.simulate(line + " --simulate-seed 2")
        #expect(other.stdoutBytes != first.stdoutBytes)
    }

    // MARK: - Usage

    @Test func `a fault that never acted is reported, and changes nothing`() async throws {
        let run = try await Self.simulate("device 'Thermo 1': read: lose", Self.read)
        #expect(run.status == 0 && run.stdout == "87 %\n")
        #expect(run.stderr.hasSuffix("the fault 'device 'Thermo 1': read: lose' never acted\n"), "\(run.stderr)")
    }

    @Test(arguments: [
        Row("raed: lose", read, 64, "column 1: expected an operation"),
        Row("read: loose", read, 64, "did you mean 'lose'?"),
        Row("scan: no answer", read, 64, "column 7: scan cannot have the effect no-answer"),
        Row(
            "read batery-level: lose",
            read,
            64,
            "no characteristic is called 'batery-level'; did you mean 'battery-level'?"
        ),
        Row(
            "device 'Pulse HR': read nope: lose",
            read,
            64,
            "hint: what a device has: blectl --simulate inspect -d 'Pulse HR'"
        ),
        Row("device Nobody: read: lose", read, 64, "no device is called 'Nobody'"),
    ])
    func `an invalid fault is a usage error`(_ row: Row) async throws {
        let run = try await Self.simulate(row.fault, row.line)
        #expect(run.status == row.status && run.stdout.isEmpty)
        #expect(run.stderr.contains(row.words), "\(run.stderr)")
    }

    @Test func `faults apply to simulated devices and to served ones`() async throws {
        let run = try await Blectl.run(["read", "battery-level", "-d", "X", "--fault", "read: lose"])
        #expect(run.status == 64 && run.stderr.contains("'--fault' is for simulated devices and for 'serve'"))
        let served = try await Self.simulate("connect: refuse once", "serve pulse-strap --count 2")
        #expect(
            served.status == 0 && served.stderr.contains("a central was disconnected: a fault, connect: refuse once")
        )
        let radio = try await Self.simulate("scan: lose", "serve pulse-strap --duration 2")
        #expect(radio.stderr.contains("only a simulated radio can show the fault: scan: lose"))
        let unmet = try await Self.simulate("write #9999: lose", "serve pulse-strap --duration 2")
        #expect(unmet.stderr.contains("the fault 'write: lose #9999' never acted"))
    }
}
