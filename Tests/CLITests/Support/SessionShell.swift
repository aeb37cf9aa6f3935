// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// A shell in which sessions are used.
enum SessionShell {
    /// Runs a script of bash with sessions of its own. `until_there` waits for a command to succeed; `world` serves a shared
    /// world, in which all later commands are.
    static func run(_ script: String) async throws -> (lines: [String], errors: String) {
        let run = try await TemporaryFolder.use { folder in
            let prelude = """
                F=\(folder.path); export XDG_RUNTIME_DIR=$F/run; mkdir $XDG_RUNTIME_DIR
                export BLECTL_SIMULATE=''
                blectl() { timeout 300 $BLECTL $WORLD "$@"; }
                WORLD=--simulate
                world() {
                    WORLD=--simulate=$F/w; $BLECTL simulate serve --socket $F/w "$@" >$F/world & server=$!
                    until [ -s $F/world ]; do sleep 0.02; done
                }
                touch_world() { $BLECTL simulate "$@" --socket $F/w >/dev/null; }
                until_there() { for i in $(seq 10000); do eval "$1" >/dev/null 2>&1 && return; sleep 0.02; done; echo "never: $1"; }
                # One thread of a process takes the signal, and the others go on until it has had its turn.
                stopped() { kill -STOP $1; until_there "grep -q '^State:.T' /proc/$1/status"; }
                holder() { $BLECTL session list --format '{process}'; }
                trap 'kill -9 $(holder) $server 2>/dev/null' EXIT

                """
            return try await Blectl.shell(prelude + script)
        }
        return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
    }
}
