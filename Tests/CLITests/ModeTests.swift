// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Who may use what blectl creates: its own files, folders and sockets are for this user under every umask, and files that a
/// command line names have the rights of any new file.
@Suite("The modes of files, folders and sockets", .startsPrograms(isLong: true))
struct ModeTests {
    /// Runs a script under an umask, and returns the modes of what it has left: those of files, folders and sockets by
    /// their paths, as `stat -c '%A %n'` prints them.
    private func modes(_ umask: String, _ script: String) async throws -> (modes: [String: String], run: BlectlRun) {
        let run = try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                cd \(folder.path) && mkdir run home
                export HOME=$PWD/home XDG_RUNTIME_DIR=$PWD/run
                umask \(umask)
                blectl() { timeout 300 $BLECTL "$@"; }
                until_there() { for i in $(seq 10000); do eval "$1" >/dev/null 2>&1 && return; sleep 0.02; done; echo "never: $1"; }
                trap 'kill $(jobs -p) 2>/dev/null' EXIT
                \(script)
                find . -mindepth 1 -printf 'MODE %M %P\\n'
                """
            )
        }
        var modes: [String: String] = [:]
        for line in run.stdout.split(separator: "\n") where line.hasPrefix("MODE ") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            if words.count == 3 { modes[words[2]] = words[1] }
        }
        return (modes, run)
    }

    /// The only mode of what a pattern names; `nil` if there are none or several.
    private func only(_ modes: [String: String], _ begin: String, _ end: String = "") -> String? {
        let found = Set(modes.filter { $0.key.hasPrefix(begin) && $0.key.hasSuffix(end) }.map(\.value))
        return found.count == 1 ? found.first : nil
    }

    private static let umasks = ["000", "022", "077"]

    @Test(arguments: umasks)
    func `the socket of a session is for this user, and so is its folder`(_ umask: String) async throws {
        let (modes, run) = try await modes(
            umask,
            """
            blectl --simulate session start -d 'Pulse HR' --label strap >/dev/null || echo failed
            find . -type s -printf 'MODE %M %P\\n'
            blectl --simulate session stop strap
            """
        )
        #expect(!run.stdout.contains("failed"), "\(run)")
        #expect(only(modes, "run/blectl/strap@") == "srw-------", "\(modes) \(run.stderr)")
        #expect(modes["run/blectl"] == "drwx------", "\(modes)")
    }

    @Test(arguments: umasks)
    func `the socket of a shared world is for this user`(_ umask: String) async throws {
        let (modes, run) = try await modes(
            umask,
            """
            blectl simulate serve --socket $PWD/world >told & until_there 'test -s told'
            find . -type s -printf 'MODE %M %P\\n'
            blectl simulate stop --socket $PWD/world
            """
        )
        #expect(modes["world"] == "srw-------", "\(modes) \(run.stderr)")
    }

    @Test(arguments: umasks)
    func `a device at a socket has the rights of any new socket`(_ umask: String) async throws {
        let (modes, run) = try await modes(
            umask,
            """
            blectl --radio unix:$PWD/device serve pulse-strap >told & until_there 'test -s told'
            find . -type s -printf 'MODE %M %P\\n'
            """
        )
        let expected = ["000": "srwxrwxrwx", "022": "srwxr-xr-x", "077": "srwx------"]
        #expect(modes["device"] == expected[umask], "\(modes) \(run.stderr)")
    }

    @Test(arguments: umasks)
    func `bonds, keys of addresses and the cache are for this user, and so are their folders`(
        _ umask: String
    ) async throws {
        let (modes, run) = try await modes(
            umask,
            """
            blectl --simulate=security pair 'Just Works' >/dev/null || echo failed
            blectl --simulate inspect 'Pulse HR' >/dev/null || echo failed
            blectl --simulate=security notify battery-level -d Legacy --privacy --count 1 >/dev/null || echo failed
            """
        )
        #expect(!run.stdout.contains("failed"), "\(run)")
        let state = "home/.local/state/blectl", cache = "home/.cache/blectl"
        for file in ["\(state)/simulated/bonds", "\(state)/simulated/identity"] {
            #expect(modes[file] == "-rw-------", "\(file): \(modes)")
        }
        #expect(only(modes, "\(cache)/gatt/simulated/", ".json") == "-rw-------", "\(modes)")
        // Every one: a file that is added later has to be private, too.
        for (path, mode) in modes where path.hasPrefix(state) || path.hasPrefix(cache) {
            #expect(mode == "drwx------" || mode == "-rw-------", "\(path): \(mode)")
        }
        #expect(modes.keys.count { $0.hasPrefix(state) } >= 3 && modes.keys.count { $0.hasPrefix(cache) } >= 3)
        // Those above them are made for all programs of the user, and nobody else.
        for folder in ["home/.local", "home/.local/state", "home/.cache"] {
            #expect(modes[folder] == "drwx------", "\(folder): \(modes)")
        }
    }

    @Test(arguments: umasks)
    func `keys in a file that the command line names are for this user, and captures and charts as the umask says`(
        _ umask: String
    ) async throws {
        let (modes, run) = try await modes(
            umask,
            """
            blectl --simulate=security pair --oob-out oob.json >/dev/null 2>&1 || echo failed
            blectl --simulate --simulate-time virtual read battery-level -d 'Pulse HR' --capture run.btsnoop >/dev/null || echo failed
            blectl --simulate --simulate-time virtual watch heart-rate --count 3 --chart chart.svg >/dev/null || echo failed
            printf 'device strap -d "Pulse HR"\\ntest "has charge"\\n  read strap battery-level expect 20..100\\n' >rig.blectl
            blectl --simulate --simulate-time virtual run rig.blectl --report junit=report.xml >/dev/null || echo failed
            """
        )
        #expect(!run.stdout.contains("failed"), "\(run)")
        #expect(modes["oob.json"] == "-rw-------", "\(modes)")
        let expected = ["000": "-rw-rw-rw-", "022": "-rw-r--r--", "077": "-rw-------"]
        for file in ["run.btsnoop", "chart.svg", "report.xml"] {
            #expect(modes[file] == expected[umask], "\(file): \(modes)")
        }
    }
}
