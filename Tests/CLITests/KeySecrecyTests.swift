// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Keys are in the file of bonds and nowhere else: in no output, log, record or capture, readable by nobody else, and
/// never half written.
@Suite("Secrecy of keys", .startsPrograms())
struct KeySecrecyTests {
    private static let world = "--simulate=security"

    // MARK: - Nothing shows a key

    /// All that commands have said and written, as text and as octets.
    private struct Evidence {
        var texts: [String: String] = [:]
        var captures: [String: [UInt8]] = [:]

        mutating func add(_ run: BlectlRun, _ line: String) {
            texts["\(line), its output"] = run.stdout
            texts["\(line), its messages"] = run.stderr
        }

        /// The places in which a key is found: its digits in both orders, however they are grouped, and its octets.
        func places(of key: [UInt8]) -> [String] {
            var found: [String] = []
            for (order, octets) in [("printed", key), ("sent", key.reversed())] {
                let digits = octets.map { String(format: "%02x", $0) }.joined()
                for (name, text) in texts {
                    let plain = text.lowercased().replacing("0x", with: "").filter { $0.isLetter || $0.isNumber }
                    if plain.contains(digits) { found.append("\(name), as \(order)") }
                }
                for (name, bytes) in captures where Data(bytes).range(of: Data(octets)) != nil {
                    found.append("\(name), as \(order)")
                }
            }
            return found
        }
    }

    @Test(arguments: [
        ("Legacy", "pair Legacy"), ("Wanderer", "pair Wanderer"),
        ("Passkey Shown", "pair 'Passkey Shown' --passkey 271828"),
    ])
    func `a pairing, an encrypted link and a capture of both show no key`(_ name: String, _ pair: String) async throws {
        try await TemporaryFolder.use { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            func run(_ line: String) async throws -> BlectlRun {
                let run = try await Blectl.run([Self.world] + TypedCommand(line).arguments, environment: state)
                #expect(run.status == 0, "\(line): \(run.stderr)")
                return run
            }
            var evidence = Evidence()
            for (number, line) in [
                "\(pair) --json -vv", "read battery-level -d '\(name)' --json -vv", "bonds --json -vv", "bonds -vv",
                "read battery-level -d '\(name)' --security medium -vv",
            ].enumerated() {
                let capture = folder.appending(path: "\(number).btsnoop")
                let isOnAir = !line.hasPrefix("bonds")
                evidence.add(try await run(isOnAir ? "\(line) --capture \(capture.path)" : line), line)
                guard isOnAir else { continue }
                evidence.captures["the capture of \(line)"] = Array(try Data(contentsOf: capture))
                let decoded = "trace \(capture.path)"
                evidence.add(try await run(decoded), decoded)
                evidence.add(try await run("\(decoded) --json -vv"), "\(decoded) --json")
            }
            let bond = try #require(try await run("bonds --json --reveal-keys").records().first)
            let secrets = (bond["secrets"]?.array ?? []).compactMap { $0.object?["value"]?.string }
            #expect(!secrets.isEmpty)
            for secret in secrets {
                let octets = stride(from: 0, to: secret.utf8.count, by: 2).compactMap { place in
                    UInt8(secret.dropFirst(place).prefix(2), radix: 16)
                }
                #expect(octets.count == 16)
                #expect(evidence.places(of: octets) == [], "a key of \(name)")
            }
            #expect(evidence.texts.values.contains { $0.contains("Load Long Term Keys") }, "the trace has the commands")
            // The passkey that was given is repeated by nothing, in decimal or as the octets of the reply.
            for (place, text) in evidence.texts where text.contains("271828") {
                Issue.record("the passkey in \(place)")
            }
            let reply: [UInt8] = [0xD4, 0x25, 0x04, 0x00]
            for (place, bytes) in evidence.captures where Data(bytes).range(of: Data(reply)) != nil {
                Issue.record("the passkey in \(place)")
            }
        }
    }

    // MARK: - No core file has them

    @Test(arguments: ["ABRT", "SEGV", "QUIT"])
    func `a crash while keys are in memory leaves no core file`(_ signal: String) async throws {
        try await TemporaryFolder.use { folder in
            // timeout(1) reports a core dump. Where the kernel dumps no program at all, the test shows nothing.
            let script = """
                ulimit -c unlimited 2>/dev/null; cd \(folder.path)
                timeout -s \(signal) 1 sleep 60 2>&1 | grep -c 'dumped core'; rm -f core*
                "$BLECTL" \(Self.world) pair Legacy >/dev/null
                timeout -s \(signal) 1 "$BLECTL" \(Self.world) pair Silent --timeout 30 2>&1 | grep -c 'dumped core'
                timeout -s \(signal) 1 "$BLECTL" \(Self.world) notify battery-level -d Legacy --privacy 2>&1 \
                    | grep -c 'dumped core'
                ls
                """
            let run = try await Blectl.shell(script, environment: ["XDG_STATE_HOME": folder.path])
            let lines = run.stdout.split(separator: "\n").map(String.init)
            #expect(Array(lines.dropFirst()) == ["0", "0", "blectl"], "\(run)")
        }
    }

    // MARK: - Nobody else can read them

    @Test(arguments: ["000", "002", "022", "027", "077", "177", "377", "777"])
    func `files are 0600 and folders 0700 under every umask`(_ umask: String) async throws {
        try await TemporaryFolder.use { folder in
            let script = """
                umask \(umask)
                "$BLECTL" \(Self.world) pair Legacy && "$BLECTL" \(Self.world) pair 'Just Works' \
                && "$BLECTL" \(Self.world) unpair C5:EC:00:00:00:01 && "$BLECTL" \(Self.world) bonds
                """
            let home = folder.appending(path: "home")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
            let run = try await Blectl.shell(script, environment: ["HOME": home.path])
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stdout.contains("C5:EC:00:00:00:05"), "\(run.stdout)")
            let own = home.appending(path: ".local/state/blectl")
            let entries = try #require(FileManager.default.enumerator(atPath: own.path)).compactMap { $0 as? String }
            #expect(entries.contains("simulated/bonds"), "\(entries)")
            for entry in [""] + entries {
                let attributes = try FileManager.default.attributesOfItem(atPath: own.appending(path: entry).path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                let mode = attributes[.posixPermissions] as? Int
                #expect(mode == (isFolder ? 0o700 : 0o600), "\(entry) under umask \(umask)")
            }
        }
    }

    // MARK: - Never half of a file

    /// The path of strace(1), which ends programs at a chosen system call.
    private static let strace: String? = {
        let places: [String] = ["/usr/bin/strace", "/usr/local/bin/strace", "/bin/strace"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The system calls by which a file of bonds is written.
    private static let calls = ["ftruncate", "pwrite64", "fsync", "renameat,renameat2", "flock", "fchmod"]

    private static let other = "C5:EC:00:00:00:05"
    private static let victim = "C5:EC:00:00:00:01"

    @Test(
        .enabled(if: strace != nil, "strace(1) is not installed: make strace"),
        arguments: calls
    )
    func `a kill at any time during a write leaves the old file or the new one`(_ call: String) async throws {
        try await TemporaryFolder.use { folder in
            let strace = try #require(Self.strace)
            let file = folder.appending(path: "state/blectl/simulated/bonds")
            let state = ["XDG_STATE_HOME": folder.appending(path: "state").path]
            for partner in ["Legacy", "'Just Works'"] {
                let pairing = try await Blectl.run(
                    [Self.world] + TypedCommand("pair \(partner)").arguments,
                    environment: state
                )
                #expect(pairing.status == 0, "\(pairing.stderr)")
            }
            let old = try Data(contentsOf: file)
            var (kills, number) = (0, 1)
            while true {
                // Under this umask, the mode of the new file has to be set as well.
                let script = """
                    umask 777
                    exec \(strace) -f -o /dev/null -e trace=\(call) -e inject=\(call):signal=KILL:when=\(number) \
                    "$BLECTL" \(Self.world) unpair \(Self.victim)
                    """
                let run = try await Blectl.shell(script, environment: state)
                let left = try await Blectl.run(["bonds", "--json", Self.world], environment: state)
                #expect(left.status == 0, "after \(call) \(number): \(left.stderr)")
                let devices = try left.records().compactMap { $0["device"]?.object?["address"]?.string }.sorted()
                let isOld = try Data(contentsOf: file) == old
                #expect(devices == (isOld ? [Self.victim, Self.other] : [Self.other]), "after \(call) \(number)")
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                guard run.status != 0 else {
                    #expect(!isOld, "nothing was killed, so that the bond is gone")
                    break
                }
                #expect(run.status == -9 || run.status == 137, "\(run.status): \(run.stderr)")
                kills += 1
                number += 1
                #expect(number < 50)
                guard number < 50 else { break }
                // What the killed one has left disturbs nobody: the same change succeeds, and is undone for the next.
                if !isOld { try old.write(to: file) }
                chmod(file.path, 0o600)
            }
            #expect(kills > 0, "\(call) is one of the calls by which the file is written")
        }
    }

    @Test(
        .enabled(if: strace != nil, "strace(1) is not installed: make strace"),
        arguments: [
            ("pwrite64", "ENOSPC"), ("fsync", "EIO"), ("renameat,renameat2", "EACCES"), ("ftruncate", "EDQUOT"),
        ]
    )
    func `a failing disk is an error, and the old file stays`(_ call: String, _ error: String) async throws {
        try await TemporaryFolder.use { folder in
            let strace = try #require(Self.strace)
            let state = ["XDG_STATE_HOME": folder.appending(path: "state").path]
            let file = folder.appending(path: "state/blectl/simulated/bonds")
            let pair = try await Blectl.run([Self.world, "pair", "Just Works"], environment: state)
            #expect(pair.status == 0, "\(pair.stderr)")
            let old = try Data(contentsOf: file)
            let script = """
                exec \(strace) -f -o /dev/null -e trace=\(call) -e inject=\(call):error=\(error) \
                "$BLECTL" \(Self.world) unpair \(Self.victim)
                """
            let run = try await Blectl.shell(script, environment: state)
            #expect(run.status == (["ENOSPC", "EDQUOT"].contains(error) ? 74 : 73), "\(run.stderr)")
            #expect(run.stderr.contains("cannot be written"), "\(run.stderr)")
            #expect(try Data(contentsOf: file) == old)
            let entries = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            #expect(entries == ["bonds"], "nothing is left behind")
        }
    }
}
