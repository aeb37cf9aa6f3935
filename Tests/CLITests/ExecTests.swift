// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Programs that answer for a served device, over a socket.
@Suite("blectl serve --exec", .startsPrograms())
struct ExecTests {
    /// Serves the workbench with these options, and runs a line of bash. `$S` is the socket.
    ///
    /// - Parameter variables: Those of the serving process, beside the others.
    private func serve(
        _ options: String,
        variables: String = "",
        _ script: String
    ) async throws -> (lines: [String], error: String) {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'; S=$PWD/s
                \(variables) "$BLECTL" --radio unix:$S serve workbench \(options) >$S.out 2>$S.err & server=$!
                trap "kill $server 2>/dev/null" EXIT
                until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
                blectl() { timeout 300 "$BLECTL" --radio unix:$S "$@"; }
                \(script)
                kill $server; wait $server
                cat $S.err >&2
                """,
                environment: ["HOME": folder.path]
            )
            return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
        }
    }

    private static let variable = "b1ec0102-5ec7-4c3a-9d0e-51a1b1ec0001"
    private static let fixed = "b1ec0103-5ec7-4c3a-9d0e-51a1b1ec0001"

    @Test func `a program provides a value, and its environment describes the request`() async throws {
        let run = try await serve(
            #"--exec-raw --exec "read \#(Self.fixed)=sh -c 'printf \"%s \" \$BLECTL_OPERATION \$BLECTL_UUID \${BLECTL_VALUE-none} \$HOME'""#,
            "blectl read \(Self.fixed) --as utf8; echo $HOME"
        )
        try #require(run.lines.count == 2, "\(run)")
        #expect(run.lines[0] == "read \(Self.fixed) none \(run.lines[1]) ", "\(run)")
    }

    @Test func `a program gets a variable that is not UTF-8 as it is`() async throws {
        let run = try await serve(
            "--exec-raw --exec 'read \(Self.fixed)=printenv PLACE'",
            variables: #"PLACE=$'caf\xe9'"#,
            "blectl read \(Self.fixed) --as hex"
        )
        #expect(run.lines == ["636166e90a"], "\(run)")
    }

    /// As where a program for another device starts `serve`.
    @Test func `a program does not get the variables of another request`() async throws {
        // A shell would keep one of two variables.
        let run = try await serve(
            "--exec-raw --exec 'read \(Self.fixed)=grep -c -z ^BLECTL_UUID= /proc/self/environ'"
                + " --exec 'read \(Self.variable)=grep -c -z ^BLECTL_VALUE= /proc/self/environ'",
            variables: "BLECTL_UUID=x BLECTL_VALUE=ff",
            "blectl read \(Self.fixed) --as hex; blectl read \(Self.variable) 2>&1 | head -1"
        )
        #expect(run.lines.first == "310a", "\(run)")
        #expect(run.error.contains("ended with status 1"), "\(run)")
    }

    @Test func `a program gets the value, accepts it with status 0 and refuses it with another one`() async throws {
        let run = try await serve(
            #"--exec "write \#(Self.variable)=sh -c 'cat >got; echo \$BLECTL_VALUE >>got; [ \$BLECTL_VALUE != 00 ] || exit 129'""#,
            """
            blectl write \(Self.variable) text:hello; echo $?; cat got
            blectl read \(Self.variable) --as utf8
            blectl write \(Self.variable) 00 2>&1 | head -1; blectl read \(Self.variable) --as utf8
            """
        )
        try #require(run.lines.count == 5, "\(run)")
        #expect(run.lines[0] == "0" && run.lines[1] == "hello68656c6c6f" && run.lines[2] == "hello", "\(run)")
        #expect(run.lines[3].contains("0x81") && run.lines[4] == "hello", "\(run)")
    }

    @Test func `the pieces of a stream reach the programs one at a time, in order`() async throws {
        let run = try await serve(
            #"--exec "write \#(Self.variable)=sh -c 'v=\$(cat); [ \$v = a ] && sleep 1; printf \$v >>got'""#,
            """
            blectl write \(Self.variable) text:abcd --no-response --chunk 1 >/dev/null; echo $?
            for i in $(seq 5000); do [ "$(cat got 2>/dev/null | wc -c)" -ge 4 ] && break; sleep 0.02; done
            cat got; echo
            """
        )
        // Three other programs could run while the first one sleeps.
        #expect(run.lines == ["0", "abcd"], "\(run)")
    }

    @Test func `what a program prints is a value as write takes it`() async throws {
        let run = try await serve(
            "--exec 'read \(Self.fixed)=echo u8:87' --exec 'read \(Self.variable)=echo nonsense'",
            "blectl read \(Self.fixed) --as u8; blectl read \(Self.variable) 2>&1 | head -1"
        )
        #expect(run.lines.first == "87", "\(run)")
        #expect(run.lines.last?.contains("0x0E") == true, "\(run)")
        #expect(run.error.contains("wrote no value"), "\(run)")
    }

    @Test func `programs that fail, that hang, and that write too much are reported, and give an error`() async throws {
        let run = try await serve(
            """
            --exec-raw --exec-timeout 4s --exec 'read \(Self.fixed)=sleep 60' --exec 'read \(Self.variable)=head -c 600 /dev/zero' \
            --exec 'read 0x2A00=no-such-program' --exec 'write \(Self.fixed)=false'
            """,
            """
            for i in \(Self.fixed) \(Self.variable) 0x2A00; do blectl read $i >/dev/null 2>&1; echo $?; done
            blectl write \(Self.fixed) 01020304 >/dev/null 2>&1; echo $?
            pgrep -P $server | wc -l
            """
        )
        #expect(run.lines.count == 5 && Set(run.lines.prefix(4)) == ["76"] && run.lines.last == "0", "\(run)")
        for words in [
            "'sleep' for a read of \(Self.fixed) was killed: it took longer than 4 s",
            "wrote more than a value can have",
            "'no-such-program' for a read of 0x2A00 could not be run: there is no such program",
            "'false' for a write of \(Self.fixed) ended with status 1",
        ] { #expect(run.error.contains(words), "\(run.error)") }
    }

    @Test func `other centrals do not wait for a program, and it is killed with blectl`() async throws {
        let run = try await serve(
            "--exec 'read \(Self.fixed)=sh -c \"echo \\$\\$ >pid; sleep 100 & wait\"' --exec-timeout 25",
            """
            blectl read \(Self.fixed) >/dev/null 2>&1 & reader=$!
            until [ -s pid ]; do sleep 0.02; done
            blectl read 0x2A00
            kill $server; wait $server; wait $reader
            while pgrep -r R,S,D -g $(cat pid) >/dev/null; do sleep 0.02; done; echo killed
            """
        )
        #expect(run.lines == ["Workbench", "killed"], "\(run)")
        #expect(!run.error.contains("was ended by signal"), "\(run)")
    }

    @Test func `a process that leaves its program's group and keeps the output is not awaited`() async throws {
        let run = try await serve(
            #"--exec-raw --exec-timeout 4s --exec 'read \#(Self.fixed)=sh -c "setsid sleep 300 & echo \$! >pid; echo 5"'"#,
            """
            blectl read \(Self.fixed) >/dev/null 2>&1; echo $?
            kill $server; wait $server
            kill -0 $(cat pid) && echo "it still runs"; kill $(cat pid)
            """
        )
        #expect(run.lines == ["76", "it still runs"], "\(run)")
        let told = "'sh' for a read of \(Self.fixed) was killed: it took longer than 4 s"
        #expect(run.error.contains(told), "\(run.error)")
    }

    @Test(
        arguments: [
            ("serve workbench --exec 'battery-level'", 64, "expected a characteristic, '='"),
            ("serve workbench --exec '0xFF99=true'", 68, "it has no such characteristic"),
            ("serve Workbench --exec '0xFF99=true'", 68, "\nhint: what it has: blectl device show workbench\n"),
            ("serve workbench --exec '0x2A00=true'", 64, "virtual time"),
        ] as [(String, Int32, String)]
    )
    func `mistakes`(_ line: String, _ status: Int32, _ words: String) async throws {
        let run = try await TypedCommand(line).run()
        #expect(run.status == status && run.stderr.contains(words), "\(run.stderr)")
    }
}
