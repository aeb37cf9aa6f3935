// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("blectl l2cap", .startsPrograms())
struct ChannelTests {
    /// Runs a script of bash in a folder, with `blectl` in virtual time.
    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        let run = try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                cd \(folder.path)
                blectl() { timeout 300 $BLECTL --simulate --simulate-time virtual l2cap connect -d Workbench "$@"; }

                """ + script
            )
        }
        return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
    }

    @Test func `any octets come back unchanged from an echo`() async throws {
        let run = try await shell(
            """
            head -c 100000 /dev/urandom >sent; blectl --psm 0x80 <sent >received; echo "status $?"
            cmp sent received && echo same
            printf 'ping\\n' | blectl --psm 128
            printf '00 0a ff\\n\\n01:02\\nxyz\\n' | blectl --psm 128 --hex
            """
        )
        #expect(run.lines == ["status 0", "same", "ping", "000aff", "0102"], "\(run)")
        #expect(run.errors.contains("not octets in hex: 'xyz'"))
    }

    @Test func `lines of hex that are not sent are an error, and the others are sent`() async throws {
        let run = try await shell(
            """
            printf 'hello\\n0x01 0X02\\n' | blectl --psm 128 --hex -q; echo "status $?"
            printf '%060000d\\n0304\\n' 0 | blectl --psm 128 --hex -q; echo "status $?"
            printf 'hello\\n0x1 0x2\\n' | blectl --psm 128 --hex --count 1 -q; echo "status $?"
            """
        )
        #expect(run.lines == ["0102", "status 65", "0304", "status 65", "status 65"], "\(run)")
        let errors = run.errors.split(separator: "\n")
        let tooLong = "a line of the input was not sent, because the device takes units of at most "
        #expect(errors.count == 3 && errors[1].contains(tooLong), "\(run.errors)")
        #expect(errors.first?.hasSuffix("a line of the input was not sent, because it is not octets in hex") == true)
        #expect(errors.last?.contains("2 lines of the input were not sent, the first one because") == true)
    }

    @Test func `a service that no device offers is an error in words`() async throws {
        let run = try await Blectl.simulate("l2cap listen --psm 128 --json")
        let why = "cannot use the channel 0x0080: nothing more can happen in the simulated world"
        #expect(run.status == 124 && run.stderr.contains(why), "\(run.stderr)")
        let failure = try run.records().last
        #expect(failure?["action"] != .string("l2cap"))
        // Another try would end in the same way.
        #expect(failure?["retryable"] == .bool(false))
    }

    @Test func `a source is read to its end, and a count of units ends the command`() async throws {
        let run = try await shell(
            """
            blectl --psm 130 </dev/null >received; echo "status $?"
            wc -c <received; od -An -v -tu1 -w256 received | sort -u | wc -l
            blectl --psm 130 --count 2 --mtu 50 --hex </dev/null | cut -c 1-8,95-
            blectl --psm 128 --count 2 --hex <<<'01' >/dev/null; echo "status $?"
            """
        )
        #expect(run.lines == ["status 0", "65536", "1", "000102032f3031", "32333435616263", "status 1"], "\(run)")
    }

    @Test(arguments: [
        (131, 76, "L2CAP 0x0005 insufficient authentication"), (132, 75, "L2CAP 0x0004 no resources available"),
        (134, 68, "L2CAP 0x0002 SPSM not supported"), (133, 124, "no credits for 2"),
    ])
    func `each reason for a refusal has its message and status`(psm: Int, status: Int, words: String) async throws {
        let run = try await shell("echo x | blectl --psm \(psm) --timeout 2; echo \"status $?\"")
        #expect(run.lines == ["status \(status)"])
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func `a failed attempt is retried as for attributes, with the same pauses and messages`() async throws {
        let run = try await shell(
            """
            blectl --psm 130 --count 1 --hex --fault 'connect: refuse 2 times' </dev/null >/dev/null; echo "status $?"
            blectl --psm 130 --count 1 --fault 'connect: refuse' </dev/null; echo "status $?"
            blectl --psm 130 --count 1 --retries 0 --fault 'connect: refuse' </dev/null; echo "status $?"
            """
        )
        #expect(run.lines == ["status 0", "status 75", "status 75"], "\(run)")
        let notes = run.errors.split(separator: "\n").filter { $0.contains("trying again") }
        let pauses = notes.map { $0.split(separator: " ").suffix(2).joined(separator: " ") }
        #expect(pauses == ["0.2 seconds", "0.4 seconds", "0.2 seconds", "0.4 seconds"], "\(run.errors)")
        #expect(notes.first?.contains("attempt 1 of 3: cannot open the channel 0x0082 to Workbench") == true)
        #expect(run.errors.components(separatedBy: "(3 attempts)").count == 2, "\(run.errors)")
    }

    @Test(arguments: ["0", "256", "0x100", "-1", "0x", "otz"])
    func `an invalid service number is refused before anything is sent`(psm: String) async throws {
        let run = try await Blectl.simulate("l2cap connect -d Workbench --psm=\(psm)")
        #expect(run.status == 64, "\(run)")
        #expect(run.stderr.contains("expected 1 to 255"))
    }

    @Test func `the records of a channel`() async throws {
        let run = try await shell("echo 0102 | blectl --psm 128 --hex --json")
        let records = try JSON.objects(run.lines.joined(separator: "\n"))
        #expect(records.map { $0["type"]?.string } == ["channel", "sdu", "sdu", "channel-end"])
        #expect(records.dropFirst().prefix(2).map { $0["direction"]?.string } == ["sent", "received"])
        #expect(records.last?["reason"] == .string("input"))
        #expect(records.last?["received"] == .integer(2) && records.last?["sent"] == .integer(2))
    }

    @Test func `one command listens and another one connects, in one world`() async throws {
        let run = try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                cd \(folder.path); export BLECTL_SIMULATE=$PWD/s
                $BLECTL simulate serve --socket $PWD/s >world & server=$!
                trap 'kill $server $listener 2>/dev/null' EXIT
                until [ -s world ]; do sleep 0.02; done
                head -c 20000 /dev/urandom >sent; head -c 3000 /dev/urandom >answer
                $BLECTL l2cap listen --psm 0x81 --name Sink <answer >received & listener=$!
                timeout 300 $BLECTL l2cap connect --psm 0x81 -d Sink <sent >answered; echo "connect $?"
                wait $listener; echo "listen $?"
                cmp sent received && cmp answer answered && echo same
                $BLECTL simulate list --json | grep -c '"advertising":true'
                """
            )
        }
        #expect(run.stdout == "connect 0\nlisten 0\nsame\n0\n", "\(run)")
    }
}
