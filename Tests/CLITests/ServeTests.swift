// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Two processes of the real binary, connected by a socket.
@Suite("blectl serve and --radio unix:PATH", .startsPrograms())
struct ServeTests {
    /// Runs a line of bash. `$S` is a path for a socket; `serve` starts a server there, and waits until it is ready.
    private func shell(_ script: String) async throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appendingPathComponent("out")
        try Data().write(to: output)
        let prelude = """
            S=\(folder.path)/s
            blectl() { timeout 300 \(Blectl.path) --radio unix:$S "$@"; }
            serve() {
                \(Blectl.path) --radio unix:$S serve "$@" >$S.out 2>$S.err &
                server=$!
                trap "kill $server 2>/dev/null" EXIT
                until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
            }

            """
        let stream = try FileHandle(forWritingTo: output)
        let child = try Child(
            Program("/bin/bash", ["-c", prelude + script]),
            input: FileHandle.nullDevice,
            output: stream,
            error: stream,
            environment: ["HOME": folder.path]
        )
        return (try await child.status(), try String(contentsOf: output, encoding: .utf8))
    }

    @Test func `a client reads, writes and inspects everything, and the server counts and cleans up`() async throws {
        let run = try await shell(
            """
            serve workbench --count 4
            blectl read device-name
            blectl write b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001 $(printf '5a%.0s' {1..300}) --verify --json |
                grep -o '"procedure":"[^"]*"'
            blectl inspect --json | grep -c '"type":"service"'
            blectl read 0x2A00 --json -d C0:00:00:00:00:01 --address-type random | grep -o '"address":"[^"]*"'
            wait $server; echo "server $?"
            cat $S.err; grep -c disconnected $S.out; [ -e $S ] || echo gone
            """
        )
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "Workbench", #""procedure":"long-write""#, "7", #""address":"C0:00:00:00:00:01""#,
                "server 0",
                "blectl: the channels 0x0080, 0x0081, 0x0082, 0x0083, 0x0084, 0x0085 are not served: "
                    + "the controller or the kernel does not support it",
                "4", "gone",
            ],
            "\(run.output)"
        )
    }

    /// Tested with the program itself, because the tests are linked with a larger Foundation than it is.
    @Test func `a device's attributes are remembered by address, and confirmed by one request`() async throws {
        let run = try await shell(
            """
            serve sports-watch --count 3
            for option in "" "" --no-cache; do
                blectl inspect -v -d E7:5A:90:41:D6:2B --address-type random $option 2>&1 >$S.tree$option | grep -c ' > att '
            done
            find ~/.cache -type f | wc -l; cmp $S.tree $S.tree--no-cache && echo same
            """
        )
        let said = run.output.split(separator: "\n").map(String.init)
        try #require(said.count == 5, "\(run.output)")
        let counts = said.prefix(3).compactMap { Int($0) }
        try #require(counts.count == 3, "\(run.output)")
        // First with the hash only at the beginning, then with the hash only, then without the hash.
        #expect(counts[0] > 5 && counts[1] == 1 && counts[2] == counts[0] - 1, "\(counts)")
        #expect(said.suffix(2) == ["1", "same"])
    }

    @Test func `two clients at once have their own links, their own MTUs and their own subscriptions`() async throws {
        let run = try await shell(
            """
            serve pulse-strap --json --count 2
            # Without the function, whose subshell would be killed in its place. It listens until the second one has ended.
            \(Blectl.path) --radio unix:$S notify heart-rate-measurement >$S.first & first=$!
            until [ -s $S.first ] || ! kill -0 $first; do sleep 0.02; done
            blectl watch heart-rate --count 2 | wc -l
            kill -TERM $first; wait $first; echo "first $?"
            wait $server; echo "server $?"
            grep -o '"type":"[a-z]*onnected"' $S.out
            """
        )
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["2", "first 143", "server 0"], "\(run.output)")
        #expect(
            lines.dropFirst(3)
                == [
                    #""type":"connected""#, #""type":"connected""#, #""type":"disconnected""#,
                    #""type":"disconnected""#,
                ],
            "\(run.output)"
        )
    }

    @Test func `a missing listener, a live server and a file that is no socket each have their status`() async throws {
        let run = try await shell(
            """
            blectl read device-name; echo $?
            serve pulse-strap
            blectl serve workbench; echo $?
            blectl scan; echo $?
            kill -TERM $server; wait $server; [ -e $S ] || echo gone
            touch $S; blectl serve workbench; echo $?; [ -e $S ] && echo kept
            """
        )
        let said = run.output.split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("hint:") && !$0.hasPrefix("blectl: attempt")
        }
        try #require(said.count == 10, "\(run.output)")
        #expect(said[0].hasSuffix("no program listens at \(said[0].components(separatedBy: " at ").last ?? "")"))
        #expect(said[1] == "75")
        #expect(said[2].contains("another program listens at"))
        #expect(said[3] == "73")
        #expect(said[4] == "blectl: cannot scan: a socket has no controller")
        #expect(said[5] == "69")
        #expect(said[6] == "gone")
        #expect(said[7].hasSuffix("is not a packet socket"))
        #expect(said.suffix(2) == ["73", "kept"])
    }

    @Test func `the file of a killed server is replaced`() async throws {
        let run = try await shell(
            """
            serve pulse-strap
            kill -KILL $server; wait $server 2>/dev/null
            [ -S $S ] && echo left
            rm -f $S.out; serve pulse-strap --count 1
            blectl read battery-level
            """
        )
        #expect(run.output.split(separator: "\n").suffix(2) == ["left", "87 %"], "\(run.output)")
    }

    @Test func `the error for an unknown device names the nearest, and says where all are listed`() async throws {
        let run = try await shell("blectl serve pulse-strop; echo $?")
        #expect(run.output.contains("there is no device 'pulse-strop' to serve; did you mean 'pulse-strap'?\nhint: "))
        #expect(run.output.contains("blectl device list"))
        #expect(run.output.hasSuffix("68\n"))
    }
}
