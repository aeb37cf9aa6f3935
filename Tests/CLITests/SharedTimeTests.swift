// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Several processes of the real binary in one simulated world in virtual time.
@Suite("blectl simulate serve --simulate-time virtual", .startsPrograms(isLong: true))
struct SharedTimeTests {
    /// Runs a script of bash beside a world in virtual time. `start FILE COMMAND…` starts a command in the background, and
    /// waits for its first line.
    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        let run = try await TemporaryFolder.use { folder in
            let prelude = """
                S=\(folder.path)/s
                export BLECTL_SIMULATE=$S XDG_RUNTIME_DIR=\(folder.path)/run
                mkdir -m 700 $XDG_RUNTIME_DIR
                blectl() { timeout 300 $BLECTL "$@"; }
                start() {
                    out=$1; shift; rm -f $out
                    $BLECTL "$@" >$out & running=$!
                    until [ -s $out ] || ! kill -0 $running 2>/dev/null; do sleep 0.02; done
                }
                world() { start $S.world simulate serve --simulate-time virtual --socket $S; server=$running; }
                trap 'kill -9 $server $running 2>/dev/null' EXIT
                moment() { blectl simulate list --json | head -1 | grep -o '"monotonic_ns":[0-9]*'; }
                world

                """
            return try await Blectl.shell(prelude + script)
        }
        return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
    }

    /// What a rig may do in a world, from one command to the next.
    private static let day = """
        blectl scan --duration 5 --json
        blectl read battery-level -d 'Pulse HR' -vv --json 2>&1
        blectl session start -d 'Pulse HR' --json | sed 's/"process":[0-9]*//; s|[^ "]*/s"|S"|'
        blectl notify heart-rate-measurement --count 3 --json
        blectl read battery-level -d 'Thermo 1' --json
        blectl session stop >/dev/null; echo "stopped $?"
        blectl simulate out-of-range 'Pulse HR' --json
        blectl read battery-level -d 'Pulse HR' --json 2>&1; echo "lost $?"
        blectl simulate in-range 'Pulse HR' --json
        cat >$S.blectl <<'X'
        device strap -d 'Pulse HR'
        test "changes"
          world set strap battery-level 44
          read strap battery-level expect 44
          pause 60s
          world fault strap 'read battery-level: error 0x0e once'
          read strap battery-level expect error 0x0e
        X
        cd ${S%/s}; blectl run s.blectl --json
        blectl simulate list --json
        blectl simulate stop; echo "stop $?"; wait $server; echo "server $?"

        """

    @Test func `two days in two worlds are the same, octet for octet`() async throws {
        let first = try await shell(Self.day)
        let second = try await shell(Self.day)
        #expect(first.lines.count > 100)
        #expect(first.lines == second.lines)
        let marks = first.lines.filter { $0.hasPrefix("stop") || $0.hasPrefix("lost") || $0.hasPrefix("server") }
        #expect(marks == ["stopped 0", "lost 68", "stop 0", "server 0"], "\(first.errors)")
        #expect(first.lines.contains { $0.contains("\"passed\":1") && $0.contains("\"failed\":0") }, "\(first.errors)")
    }

    @Test func `the clock stands still between commands, and an hour passes at once`() async throws {
        let run = try await shell(
            """
            blectl read battery-level -d 'Pulse HR' >/dev/null
            one=$(moment); sleep 1; [ "$one" = "$(moment)" ] && echo still
            for i in $(seq 20); do blectl read battery-level -d 'Pulse HR' || echo "status $?"; done | sort | uniq -c
            began=$SECONDS
            blectl notify heart-rate-measurement -d 'Pulse HR' --deadline 1h >$S.values 2>/dev/null; echo "status $?"
            [ $((SECONDS - began)) -lt 60 ] && [ $(wc -l <$S.values) -gt 3000 ] && echo soon
            """
        )
        #expect(run.lines.map { $0.trimmed } == ["still", "20 87 %", "status 124", "soon"], "\(run)")
    }

    @Test func `the clock does not go on for an endless command, but that gets what happens`() async throws {
        let run = try await shell(
            """
            start $S.values notify heart-rate-measurement -d 'Pulse HR' --format '{monotonic_ns}'; listener=$running
            one=$(moment); sleep 1; [ "$one" = "$(moment)" ] && echo still
            count() { wc -l <$S.values; }
            before=$(count); blectl scan --duration 10 >/dev/null 2>&1; after=$(count)
            [ $((after - before)) -ge 8 ] && [ $((after - before)) -le 12 ] && echo "as long as the scan"
            kill -TERM $listener; wait $listener; echo "status $?"
            blectl read battery-level -d 'Pulse HR'
            start $S.values notify heart-rate-measurement -d 'Pulse HR'; kill -9 $running; wait $running
            blectl read battery-level -d 'Pulse HR'
            blectl notify heart-rate-measurement -d 'Pulse HR' | head -1 >/dev/null; echo "status ${PIPESTATUS[0]}"
            """
        )
        let expected = ["still", "as long as the scan", "status 143", "87 %", "87 %", "status 0"]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a process that does not give the turn back is named`() async throws {
        let run = try await shell(
            """
            mkfifo $S.fifo; sleep 300 >$S.fifo & keeper=$!
            $BLECTL scan --duplicates --json --duration 1h >$S.fifo 2>/dev/null & stuck=$!
            exec 3<$S.fifo; read -r line <&3
            # Until it stands still: the other one then waits for the very first answer of the world.
            spent() { cut -d' ' -f14,15 /proc/$stuck/stat; }
            until before=$(spent); sleep 0.5; [ "$before" = "$(spent)" ]; do :; done
            blectl read battery-level -d 'Pulse HR' 2>$S.told & reader=$!
            until grep -q "waiting for process $stuck" $S.told || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
            kill -9 $stuck; wait $reader; echo "status $?"; kill $keeper
            sed "s/$stuck/N/" $S.told
            """
        )
        let told = "blectl: waiting for process N, which holds the clock of the world"
        #expect(run.lines == ["87 %", "status 0", told], "\(run)")
    }

    @Test func `commands at the same time, one that serves, and the end of the world`() async throws {
        let run = try await shell(
            """
            $BLECTL notify heart-rate-measurement -d 'Pulse HR' --count 30 >$S.1 & one=$!
            $BLECTL notify temperature-measurement -d 'Thermo 1' --count 30 >$S.2 & two=$!
            wait $one; echo "one $?"; wait $two; echo "two $?"; cat $S.1 $S.2 | wc -l
            start $S.serving serve workbench
            blectl scan --duration 3 --format '{address} {name}' | sort -u | grep -c 'Workbench$'
            kill -TERM $running
            start $S.values notify heart-rate-measurement -d 'Pulse HR'; last=$running
            blectl simulate stop; echo "stop $?"; wait $last; echo "listener $?"
            """
        )
        #expect(run.lines.last == "listener 75" || run.lines.last == "listener 69", "\(run)")
        #expect(run.lines.dropLast() == ["one 0", "two 0", "60", "2", "stop 0"], "\(run)")
    }

    @Test func `a clock that is not there is refused`() async throws {
        let run = try await shell(
            """
            blectl --simulate=$S --simulate-time virtual read battery-level; echo "status $?"
            blectl simulate list --socket $S --simulate-time virtual; echo "status $?"
            blectl --simulate --simulate-time virtual session start -d 'Pulse HR'; echo "status $?"
            """
        )
        #expect(run.lines == ["status 64", "status 64", "status 64"])
        #expect(run.errors.contains("the world has the clock that"), "\(run.errors)")
        #expect(run.errors.contains("share one: blectl simulate serve --simulate-time virtual"), "\(run.errors)")
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
