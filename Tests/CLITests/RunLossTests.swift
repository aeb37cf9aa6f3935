// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Runs of scripts that lose what they write to, or their links.
@Suite("blectl run: losses", .startsPrograms(isLong: true))
struct RunLossTests {
    /// A script whose test fails or passes, and has a subscription and a cleanup.
    private static func script(passes: Bool) -> String {
        """
        device strap -d 'Pulse HR'
        test "is charged"
          notify strap heart-rate-measurement as beats
          read strap battery-level expect \(passes ? 20 : 90)..100
        cleanup
          write strap heart-rate-control-point 01

        """
    }

    private struct Outcome {
        let run: BlectlRun
        /// The content of the report in a file; `nil` if there is none.
        let junit: String?
    }

    /// Runs a script with a JUnit report in a file, and returns the status of blectl.
    ///
    /// - Parameters:
    ///   - end: What stands behind the command line in the shell: a redirection or a reader.
    private func run(_ script: String, _ options: String, inVirtualTime: Bool, _ end: String) async throws -> Outcome {
        try await TemporaryFolder.use { folder in
            try Data(script.utf8).write(to: folder.appending(path: "s.blectl"))
            let time = inVirtualTime ? "--simulate-time virtual" : ""
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'
                $BLECTL --simulate \(time) run s.blectl \(options) --report junit=j.xml \(end)
                exit ${PIPESTATUS[0]}
                """
            )
            return Outcome(run: run, junit: try? String(contentsOf: folder.appending(path: "j.xml"), encoding: .utf8))
        }
    }

    @Test(arguments: ["-v", "-v --json", "-v --report tap=-"], [false, true])
    func `a closed reader ends no run`(_ options: String, _ inVirtualTime: Bool) async throws {
        for (passes, status) in [(false, Int32(1)), (true, 0)] {
            let outcome = try await run(Self.script(passes: passes), options, inVirtualTime: inVirtualTime, "| true")
            #expect(outcome.run.status == status, "\(outcome)")
            #expect(outcome.junit?.contains("failures=\"\(passes ? 0 : 1)\"") == true, "\(outcome)")
            #expect(!outcome.run.stderr.contains("cannot write to standard output"), "\(outcome)")
            // The cleanup, and the end of the subscription.
            let writes = Trace(outcome.run.stderr).writes.map(\.value)
            #expect(writes.contains("01") && writes.last == "0000", "\(outcome)")
        }
    }

    @Test(arguments: ["-v", "-v --json", "-v --report tap=-"], [false, true])
    func `a full disk ends no run, and is the status of one that passes`(
        _ options: String,
        _ inVirtualTime: Bool
    ) async throws {
        for (passes, status) in [(false, Int32(1)), (true, 74)] {
            let script = Self.script(passes: passes)
            let outcome = try await run(script, options, inVirtualTime: inVirtualTime, ">/dev/full")
            #expect(outcome.run.status == status, "\(outcome)")
            #expect(outcome.junit?.contains("failures=\"\(passes ? 0 : 1)\"") == true, "\(outcome)")
            let told = "blectl: cannot write to standard output: No space left on device"
            #expect(outcome.run.stderr.split(separator: "\n").count { $0 == told } == 1, "\(outcome)")
            let writes = Trace(outcome.run.stderr).writes.map(\.value)
            #expect(writes.contains("01") && writes.last == "0000", "\(outcome)")
        }
    }

    @Test func `a report that cannot be written affects no other`() async throws {
        let outcome = try await run(Self.script(passes: true), "--report tap=/dev/full", inVirtualTime: true, "")
        #expect(outcome.run.status == 74, "\(outcome)")
        #expect(outcome.run.stderr == "blectl: cannot write to /dev/full: No space left on device\n")
        #expect(outcome.junit?.contains("failures=\"0\"") == true, "\(outcome)")
    }

    /// What a test does with a stream whose link is lost after two seconds, and the line of the step that fails.
    static let streams = [
        ("pause 5\nstop b", 6), ("pause 5\nnotify d heart-rate-measurement as b", 6), ("pause 5", 3),
        ("pause 5\nread d battery-level", 3), ("pause 5\ncleanup\ndisconnect d", 3), ("pause 5\ncleanup\nstop b", 7),
    ]

    @Test("a stream that has lost its link fails its test", arguments: Self.streams)
    func lostStream(_ steps: String, _ line: Int) async throws {
        let script = "device d -d 'Pulse HR'\ntest x\nnotify d heart-rate-measurement as b\nawait b\n\(steps)\n"
        let run = try await Blectl.simulate(
            "--fault 'connect: drop after 2s' run --report tap=- -",
            input: Array(script.utf8)
        )
        #expect(run.status == 75, "\(run)")
        #expect(run.stdout.contains("not ok 1 - x\n") && run.stdout.contains("    line: \(line)\n"), "\(run)")
        #expect(run.stdout.contains("  message: \"b has ended: cannot listen to Pulse HR "), "\(run)")
        #expect(!run.stdout.contains("  cleanup:"), "\(run)")
    }

    @Test func `a stream whose link an expected failure costs has not failed`() async throws {
        let script = """
            device d -d Workbench
            test x
              notify d \(Workbench.numbered("0107")) as s
              read d \(Workbench.silent) expect status 124
              read d device-name
            """
        let run = try await Blectl.simulate("run --timeout 2 -", input: Array("\(script)\n".utf8))
        #expect(run.status == 0, "\(run)")
    }

    @Test func `a link that is made again is reported, unless a step has closed it`() async throws {
        func run(_ between: String, _ option: String) async throws -> BlectlRun {
            let script = "device d -d 'Pulse HR'\nread d battery-level\n\(between)\nread d battery-level\n"
            return try await Blectl.simulate(
                "--fault 'connect: drop after 2s' run \(option) -",
                input: Array(script.utf8)
            )
        }
        let told = "the link to d was lost, and was made again"
        let lost = try await run("pause 5", "-v")
        #expect(lost.status == 0, "\(lost)")
        #expect(lost.stdout.split(separator: "\n").count { $0 == "        \(told)" } == 1, "\(lost)")
        let records = try await run("pause 5", "--json").records()
        #expect(records.filter { $0["messages"] == .array([.string(told)]) }.count == 1, "\(records)")
        let closed = try await run("disconnect d\npause 5", "-v")
        #expect(closed.status == 0 && !closed.stdout.contains("was lost"), "\(closed)")
    }
}
