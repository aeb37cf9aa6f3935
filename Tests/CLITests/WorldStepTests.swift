// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Steps that touch the simulated world", .startsPrograms(isLong: true))
struct WorldStepTests {
    private static let script = """
        device strap -d 'Pulse HR' --connect-timeout 2 --retries 0
        test "fails as told, and once"
          world fault strap 'read battery-level: error 0x0e once'
          read strap battery-level expect error 0x0e
          read strap battery-level expect 87
          world fault list strap expect acted is true
        test "a fault ends with its test"
          world fault 'device "Pulse HR": read battery-level: error 0x0e'
          read strap battery-level expect error 0x0e
        test "is whole again"
          read strap battery-level expect 87
          world fault list strap as faults
        test "a new value is sent"
          notify strap battery-level as levels
          world set strap battery-level 42%
          await levels within 2 s expect 42
          stop levels
          world set strap battery-level 87%
        test "comes back into range"
          notify strap battery-level as levels
          world out-of-range strap expect in_range is false
          check strap connected is false
          world in-range strap
          read strap battery-level expect 87
        test "is silent, and then is not"
          world pause strap
          read strap battery-level expect silence within 1 s
          world release strap
          disconnect strap
          read strap battery-level expect 87
        test "takes no connections"
          disconnect strap
          world connectable strap off expect connectable is false
          read strap battery-level expect status timed-out
        cleanup
          world connectable strap on
        test "has no power"
          world power off
          read strap battery-level expect status bluetooth-unavailable
          world power on
          read strap battery-level expect 87
        """

    @Test func `in a world of the run, the same in two runs`() async throws {
        let run = try await Blectl.simulate(
            "--simulate-time virtual run - --keep-going",
            input: Array(Self.script.utf8)
        )
        #expect(run.status == 0, "\(run)")
        let again = try await Blectl.simulate(
            "--simulate-time virtual run - --keep-going",
            input: Array(Self.script.utf8)
        )
        #expect(again.stdout == run.stdout)
    }

    @Test func `in a world that processes share, which has no fault of the script afterwards`() async throws {
        try await TemporaryFolder.use { folder in
            try Data(Self.script.utf8).write(to: folder.appending(path: "s.blectl"))
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'
                $BLECTL simulate serve --socket s >out & server=$!
                trap 'kill -9 $server 2>/dev/null' EXIT
                until [ -s out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
                timeout 300 $BLECTL --simulate=./s run s.blectl --keep-going; echo "status $?"
                $BLECTL simulate fault list --socket s
                $BLECTL simulate fault add 'Pulse HR' 'read battery-level: error 0x0e once' --socket s
                $BLECTL --simulate=./s read battery-level -d 'Pulse HR'; echo "read $?"
                $BLECTL simulate fault list 'Pulse HR' --socket s --format '{device} {fault} {acted}'
                $BLECTL simulate fault clear --socket s >cleared; $BLECTL simulate fault list --socket s
                $BLECTL simulate fault 'read batery-level: error' --socket s; echo "typo $?"
                """
            )
            let lines = run.stdout.split(separator: "\n").map(String.init)
            #expect(lines.contains("status 0") && lines.contains("read 76") && lines.contains("typo 68"), "\(run)")
            #expect(lines.contains("pulse-strap read battery-level: error 0x0E once true"), "\(run)")
        }
    }

    @Test func `an answer is no silence, and neither is a device that cannot be reached`() async throws {
        let script = """
            device strap -d 'Pulse HR' --connect-timeout 1 --retries 0
            test "answers"
              read strap battery-level expect silence within 1 s
            test "refuses"
              write strap heart-rate-control-point 02 expect silence within 1 s
            test "is away"
              world out-of-range strap
              read strap battery-level expect silence within 1 s
            """
        let run = try await Blectl.simulate("--simulate-time virtual run - --keep-going", input: Array(script.utf8))
        #expect(run.stdout.contains("3 tests: 0 passed, 3 failed"), "\(run)")
        #expect(run.stdout.contains("  expected  silence for 1 s\n      got       87 %\n"), "\(run)")
        #expect(run.stdout.contains("(ATT 0x80 Heart Rate: control point not supported)"), "\(run)")
    }

    @Test func `on the air it is refused before the run, with the reason`() async throws {
        let script = "device strap -d 'Pulse HR'\nworld out-of-range strap\n"
        for option in ["--dry-run", ""] {
            let run = try await Blectl.run(["run", "-"] + (option.isEmpty ? [] : [option]), input: Array(script.utf8))
            #expect(run.status == 65, "\(run)")
            #expect(run.stderr.contains(":2:1: there is no world to touch: the run is on air"), "\(run)")
        }
        #expect(try await Blectl.simulate("run - --dry-run", input: Array(script.utf8)).status == 0)
    }
}
