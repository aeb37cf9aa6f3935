// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("blectl doctor", .startsPrograms())
struct DoctorTests {
    /// A state of the simulated adapter: the check that finds it, how, and the command that repairs it.
    struct Case: Sendable, CustomTestStringConvertible {
        let states: [String]
        let check: String
        let state: String
        let status: Int32
        let command: String?

        init(_ states: String..., check: String, _ state: String, status: Int32, command: String? = nil) {
            self.states = states
            self.check = check
            self.state = state
            self.status = status
            self.command = command
        }

        var options: String { states.map { "--simulate-adapter \($0) " }.joined() }
        var testDescription: String { states.joined(separator: " ") }
    }

    private static let grant = "sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blectl)\""

    static let cases = [
        Case("off", check: "power", "failure", status: 69, command: "sudo blectl adapter power on"),
        Case("blocked", check: "rfkill", "failure", status: 69, command: "sudo rfkill unblock bluetooth"),
        Case("hard-blocked", check: "rfkill", "failure", status: 69),
        Case("le-off", check: "low-energy", "warning", status: 0, command: "sudo blectl adapter le on"),
        Case(
            "le-off",
            "unauthorized",
            check: "low-energy",
            "failure",
            status: 77,
            command: "sudo blectl adapter le on"
        ),
        Case("gone", check: "adapter", "failure", status: 69),
        Case("second", check: "adapter", "ok", status: 0),
        Case("unprepared", check: "power", "ok", status: 0),
        Case("coming", check: "power", "ok", status: 0),
        Case("returning", check: "power", "ok", status: 0),
        Case("unauthorized", check: "capability", "failure", status: 77, command: grant),
        Case("full", check: "controller", "ok", status: 0),
        Case("held", check: "controller", "ok", status: 0),
        Case("in-use", check: "power", "failure", status: 69),
        Case("managed", check: "manager", "warning", status: 0, command: "sudo systemctl stop bluetooth"),
        Case("leftover-scan", check: "scan", "warning", status: 0, command: "sudo blectl adapter reset"),
        Case("legacy-commands", check: "commands", "failure", status: 124, command: "sudo blectl adapter reset"),
        Case("no-firmware", check: "firmware", "warning", status: 0),
        Case("suspended", check: "controller", "failure", status: 75, command: "sudo blectl adapter reset"),
        Case(
            "suspended",
            check: "usb",
            "failure",
            status: 75,
            command: "echo on | sudo tee /sys/bus/usb/devices/1-2/power/control"
        ),
        Case("no-driver", check: "driver", "failure", status: 69, command: "sudo modprobe btusb"),
        Case("no-kernel", check: "kernel", "failure", status: 69),
    ]

    @Test(arguments: cases)
    func `each state is found, and the status is that of the scan`(_ row: Case) async throws {
        let run = try await Blectl.simulate("\(row.options)doctor --json")
        #expect(run.status == row.status, "\(run.stderr)")
        let checks = try run.records().filter { $0["type"] == .string("doctor-check") }
        let found = try #require(checks.first { $0["check"] == .string(row.check) })
        #expect(found["state"] == .string(row.state), "\(found)")
        #expect(found["command"]?.string == row.command, "\(found)")
        let verdict = try #require(try run.records().first { $0["type"] == .string("doctor-verdict") })
        let scan = try await Blectl.simulate("\(row.options)scan --count 1")
        #expect(verdict["scan"] == .bool(scan.status == 0), "\(scan.stderr)")
        let read = try await Blectl.simulate(
            "\(row.options)read battery-level -d '\(World.strap)' --address-type random --retries 0"
        )
        #expect(verdict["connection"] == .bool(read.status == 0), "\(read.stderr)")
        #expect(run.status == (scan.status == 0 ? read.status : scan.status), "\(scan.stderr)\(read.stderr)")
        let failures = checks.filter { $0["state"] == .string("failure") }
        #expect(failures.isEmpty == (run.status == 0))
        #expect(verdict["failures"] == .integer(Int64(failures.count)))
    }

    @Test func `every state that can be simulated is covered`() async throws {
        let help = try await Blectl.run(["help", "--json"])
        let options = try #require(try help.records().first?["options"]?.array)
        let option = try #require(options.compactMap(\.object).first { $0["name"] == .string("--simulate-adapter") })
        let states = try #require(option["choices"]?.array).compactMap(\.string)
        #expect(Set(states) == Set(Self.cases.flatMap(\.states)))
    }

    /// The other programs of a hint are not simulated.
    static let mendable = cases.filter {
        $0.command?.hasPrefix("sudo blectl ") == true && !$0.states.contains("unauthorized")
    }

    @Test(arguments: mendable)
    func `the command in a hint of blectl repairs the fault`(_ row: Case) async throws {
        let command = try #require(row.command).dropFirst("sudo ".count)
        let lines = "doctor --json\n\(command) --json\ndoctor --json\n"
        let run = try await Blectl.simulate("\(row.options)shell", input: Array(lines.utf8))
        #expect(run.status == 0, "\(run.stderr)")
        let states = try run.records().filter { $0["check"] == .string(row.check) }.map { $0["state"] }
        #expect(states == [.string(row.state), .string("ok")])
        let last = try #require(try run.records().last { $0["type"] == .string("doctor-verdict") })
        #expect(last["scan"] == .bool(true) && last["connection"] == .bool(true))
        #expect(last["failures"] == .integer(0) && last["warnings"] == .integer(0))
    }

    @Test func `blectl has a hint for each fault that it can repair`() {
        #expect(Self.mendable.count == 5)
    }

    @Test func `all is well, as the last line says`() async throws {
        let run = try await Blectl.simulate("doctor")
        #expect(run.status == 0 && run.stderr.isEmpty)
        #expect(run.stdout.hasSuffix("a scan and a connection would work\n"))
    }

    @Test func `it changes nothing on an adapter whose Low Energy is off`() async throws {
        let run = try await Blectl.simulate(
            "--simulate-adapter le-off shell",
            input: Array("doctor\nadapter show --json\n".utf8)
        )
        #expect(
            try JSON.objects(String(run.stdout.split(separator: "\n").last ?? "")).first?["low_energy"] == .bool(false)
        )
    }

    @Test func `a failure is the last record and the error of a scan`() async throws {
        let run = try await Blectl.simulate("--simulate-adapter off doctor --json")
        let error = try #require(try run.records().last)
        #expect(error["type"] == .string("error") && error["status"] == .integer(69))
        #expect(error["adapter"] == .string("hci0"))
        let scan = try #require(
            try await Blectl.simulate("--simulate-adapter off scan --json").records().last
        )
        for key in ["reason", "hint", "status", "status_name", "adapter", "retryable"] {
            #expect(error[key] == scan[key], "\(key)")
        }
    }

    @Test func `an adapter that does not exist`() async throws {
        let run = try await Blectl.simulate("doctor --adapter hci7")
        #expect(run.status == 69)
        #expect(run.stderr == "blectl: cannot scan or connect: there is no adapter hci7\nhint: blectl adapters\n")
    }

    @Test func `for a socket, a scan would fail and a connection would work`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "s").path
            let run = try await Blectl.run(["--radio", "unix:\(path)", "doctor", "--json"])
            let verdict = try #require(try run.records().first { $0["type"] == .string("doctor-verdict") })
            #expect(verdict["scan"] == .bool(false))
            #expect(run.status != 0)
        }
    }

    @Test func `a damaged file of formats is named with its line, and the command of the hint repairs it`() async throws
    {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "blectl/formats.json")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            let environment = ["XDG_CONFIG_HOME": folder.path]
            func examined() async throws -> (finding: [String: JSON], verdict: [String: JSON], status: Int32) {
                let run = try await Blectl.run(Blectl.virtual + ["doctor", "--json"], environment: environment)
                for record in try run.records() { #expect(RecordCheck.problems(of: record).isEmpty) }
                let finding = try #require(try run.records().first { $0["check"] == .string("formats") })
                let verdict = try #require(try run.records().first { $0["type"] == .string("doctor-verdict") })
                return (finding, verdict, run.status)
            }
            let none = try await examined()
            #expect(none.finding["state"] == .string("ok") && none.status == 0)
            try Data("{\n \"schema\": 1}".utf8).write(to: file)
            let damaged = try await examined()
            #expect(damaged.finding["state"] == .string("failure") && damaged.status == 78)
            #expect(damaged.verdict["scan"] == .bool(false) && damaged.verdict["connection"] == .bool(false))
            let text = damaged.finding["text"]?.string ?? ""
            #expect(text.contains("\(file.path):2: schema: expected 'blectl-formats/1'"), "\(text)")
            let command = "mv \(file.path) \(file.path).old"
            #expect(damaged.finding["hint"]?.string?.contains(command) == true, "\(damaged.finding)")
            #expect(try await Blectl.shell(command, environment: ["PATH": "/usr/bin:/bin"]).status == 0)
            #expect(try await examined().status == 0)
        }
    }

    @Test func `unusable files are named, and the command of the hint repairs them`() async throws {
        try await TemporaryFolder.use { folder in
            let root = folder.appending(path: "blectl").path
            try Data("in the way".utf8).write(to: URL(filePath: root))
            let environment = ["XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path]
            func states() async throws -> [JSON?] {
                let run = try await Blectl.run(["doctor", "--json"], environment: environment)
                let checks = try run.records().filter {
                    [.string("cache"), .string("bonds")].contains($0["check"])
                }
                if let command = checks.first?["command"]?.string {
                    _ = try await Blectl.shell(command, environment: ["PATH": "/usr/bin:/bin"])
                }
                return checks.map { $0["state"] }
            }
            #expect(try await states() == [.string("warning"), .string("warning")])
            #expect(try await states() == [.string("ok"), .string("ok")])
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            try Data("{".utf8).write(to: URL(filePath: "\(root)/bonds"))
            #expect(try await states() == [.string("ok"), .string("failure")])
        }
    }
}
