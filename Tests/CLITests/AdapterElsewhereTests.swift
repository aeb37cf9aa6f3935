// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// `-i ssh:HOST` with a program in the place of ssh, which runs the command in a shell of this machine, in a simulated world.
@Suite("An adapter of another machine", .startsPrograms(isLong: true))
struct AdapterElsewhereTests {
    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        let run = try await TemporaryFolder.use { folder in
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let prelude = """
                cd \(folder.path); mkdir here there; ln -s "$BLECTL" there/blectl
                cat > here/ssh <<'END'
                #!/bin/sh
                echo $$ > client; echo "$@" > words
                while [ $# -gt 1 ]; do shift; done
                echo welcome
                PATH=$PWD/there:$PATH BLECTL_SIMULATE=$PWD/world exec sh -c "exec $1"
                END
                chmod +x here/ssh
                blectl() { PATH=$PWD/here:$PATH timeout 300 $BLECTL "$@"; }
                $BLECTL simulate serve --socket world > served & server=$!
                trap 'kill -9 $server 2>/dev/null' EXIT
                until [ -s served ]; do sleep 0.02; done

                """
            return try await Blectl.shell(prelude + script, environment: ["PATH": path])
        }
        return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
    }

    @Test func `is scanned with, read through and written through`() async throws {
        let run = try await shell(
            """
            W=b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001
            blectl -i ssh:pi write $W 0x4142 -d Workbench >/dev/null
            $BLECTL --simulate=world read $W -d Workbench --format '{value}'
            blectl -i ssh:pi scan --name 'Pulse HR' --count 1 --format '{name}'
            blectl -i ssh:pi adapters --format '{name} {state}'
            blectl -i "ssh:me@pi/it's" adapters >/dev/null; echo $?
            cat words
            """
        )
        let words = "-T -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -o ConnectTimeout=10 me@pi"
        let command = #"blectl radio --stdio --adapter 'it'\''s'"#
        #expect(run.lines == ["4142", "Pulse HR", "ssh:pi up", "69", "\(words) \(command)"], "\(run)")
    }

    @Test func `a killed ssh ends the command, and what it had there`() async throws {
        let run = try await shell(
            """
            blectl -i ssh:pi notify heart-rate-measurement --count 100000 > values & listener=$!
            until [ -s values ]; do sleep 0.02; done
            kill -9 $(cat client); wait $listener; echo "status $?"
            until $BLECTL simulate list --socket world --json | grep pulse-strap | grep -q '"connections":0'; do sleep 0.05; done
            echo free
            """
        )
        #expect(run.lines == ["status 75", "free"], "\(run)")
    }

    @Test func `is one of several, each with its name`() async throws {
        let run = try await shell(
            """
            blectl -i ssh:pi,ssh:pa adapters --format '{name} {index}'
            blectl -i ssh:pi,ssh:pa read battery-level -d 'Pulse HR' --format '{value}'
            blectl -i unix:gone,ssh:pa scan --name 'Pulse HR' --count 1 --format '{adapter} {name}'
            blectl -i ssh:pi,ssh:pi scan; echo "twice $?"
            blectl -i ssh:pi,unix:gone adapters; echo "gone $?"
            """
        )
        #expect(run.lines == ["ssh:pi 0", "ssh:pa 1", "57", "ssh:pa Pulse HR", "twice 64", "gone 69"], "\(run)")
        #expect(run.errors.contains("cannot list adapters: there is no controller at unix:gone\n"), "\(run)")
        #expect(run.errors.contains("going on without unix:gone: there is no controller at unix:gone\n"), "\(run)")
    }

    @Test func `another version there is told`() async throws {
        let run = try await shell(
            """
            printf '#!/bin/sh\\nprintf "\\\\nblectl radio 1\\\\n"; sleep 9\\n' > here/ssh
            blectl -i ssh:pi scan; echo "older $?"
            """
        )
        #expect(run.lines == ["older 76"], "\(run)")
        #expect(run.errors.contains("the blectl at ssh:pi is too old for this one\nhint: ssh pi blectl version\n"))
    }

    @Test func `that cannot be reached is no controller`() async throws {
        let run = try await shell(
            """
            printf '#!/bin/sh\\nexit 255\\n' > here/ssh
            blectl -i ssh:pi scan; echo "ended $?"
            printf '#!/bin/sh\\necho nonsense\\n' > here/ssh
            blectl -i ssh:pi scan; echo "printed $?"
            PATH=/nonexistent "$BLECTL" -i ssh:pi scan; echo "absent $?"
            blectl -i ssh: scan; echo "no host $?"
            """
        )
        #expect(run.lines == ["ended 69", "printed 69", "absent 69", "no host 64"], "\(run)")
        #expect(run.errors.contains("there is no controller at ssh:pi\nhint: ssh pi blectl version\n"), "\(run)")
    }
}
