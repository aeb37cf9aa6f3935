// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Devices from files, served over a socket.
@Suite("blectl serve FILE", .startsPrograms())
struct ServeFileTests {
    /// Its value counts, its command is echoed, and it goes out of range on request.
    private static let device = """
        {
          "schema": "blectl-device/1", "name": "Filed", "address": "C0:00:00:00:00:41",
          "services": [{ "uuid": "battery", "characteristics": [
            { "uuid": "battery-level", "properties": ["read", "notify"],
              "value": { "counter": 40, "step": 1, "limit": 100, "as": "u8" }, "every": "100 ms" },
            { "uuid": "alert-level", "properties": ["write"], "value": 0,
              "on_write": [{ "is": 2, "do": { "leave": "8 s" } }, { "else": true, "do": "store" }] },
          ] }],
        }
        """

    @Test func `the file or --centrals limits the number of connected centrals`() async throws {
        let lonely = Self.device.replacing("\"services\"", with: "\"limits\": { \"connections\": 1 }, \"services\"")
        for (options, outcome) in [("", "refused"), ("--centrals 2", "read")] {
            let run = try await serve(
                lonely,
                options: options,
                """
                # Without the function, whose subshell would be killed in its place.
                "$BLECTL" --radio unix:$S notify battery-level >n 2>/dev/null & listener=$!
                until [ -s n ]; do sleep 0.02; done
                blectl read battery-level >/dev/null 2>&1 && echo read || echo refused
                kill $listener; wait $listener
                """
            )
            #expect(run.stdout == "\(outcome)\n", "\(run.stderr)")
        }
    }

    private func serve(_ text: String, options: String = "", _ script: String) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            try Data(text.utf8).write(to: folder.appending(path: "filed.json"))
            return try await Blectl.shell(
                """
                cd '\(folder.path)'; S=$PWD/s
                "$BLECTL" --radio unix:$S serve filed.json \(options) >$S.out 2>$S.err & server=$!
                trap "kill $server 2>/dev/null" EXIT
                until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
                blectl() { timeout 300 "$BLECTL" --radio unix:$S "$@"; }
                \(script)
                kill $server 2>/dev/null; wait $server
                cat $S.err >&2
                """,
                environment: ["HOME": folder.path]
            )
        }
    }

    @Test func `its values are read and notified as the file says`() async throws {
        let run = try await serve(
            Self.device,
            "blectl read device-name; blectl notify battery-level --count 3 --as u8 | grep -o '[0-9]*$'"
        )
        let lines = run.stdout.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(run.stdout) \(run.stderr)")
        #expect(lines[0].hasSuffix("Filed"))
        let numbers = lines.dropFirst().compactMap { Int($0) }
        #expect(numbers.count == 3 && numbers[1] == numbers[0] + 1 && numbers[2] == numbers[1] + 1, "\(lines)")
    }

    @Test func `a device that leaves accepts nobody until it returns`() async throws {
        let run = try await serve(
            Self.device,
            """
            blectl write alert-level 02 >/dev/null 2>&1
            blectl read device-name --retries 0 >/dev/null 2>&1; echo $?
            until grep -q 'back in range' $S.err; do sleep 0.02; done
            blectl read device-name >/dev/null; echo $?
            """
        )
        let statuses = run.stdout.split(separator: "\n")
        #expect(statuses.count == 2 && statuses[0] != "0" && statuses[1] == "0", "\(run.stdout) \(run.stderr)")
        #expect(run.stderr.contains("the device goes out of range"), "\(run.stderr)")
    }

    @Test func `several devices need several commands, and the message says so`() async throws {
        let run = try await Blectl.simulate("serve one.json two.json three.json")
        #expect(run.status == 64)
        #expect(
            run.stderr == """
                blectl: unexpected arguments for 'serve': 'two.json', 'three.json'
                hint: each 'blectl serve' is one device, on an adapter of its own: choose it with --adapter

                """
        )
    }

    @Test func `faults of a file are reported with their places, and a missing file differently`() async throws {
        let faulty = try await serve(#"{ "schema": "blectl-device/1", "nmae": 1 }"#, "wait $server; echo $?")
        #expect(faulty.stdout == "65\n" && faulty.stderr.contains("filed.json:1"), "\(faulty)")
        let missing = try await Blectl.simulate("serve /nowhere/device.json")
        #expect(missing.status == 66 && missing.stderr.contains("/nowhere/device.json"), "\(missing.stderr)")
        let silent = try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "silent.json")
            try Data(Self.device.utf8).write(to: file)
            return try await Blectl.run(Blectl.virtual + ["serve", file.path])
        }
        #expect(silent.status == 65 && silent.stderr.contains("it has no advertising"), "\(silent.stderr)")
    }
}
