// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The data that the real binary keeps of devices between runs, and their use.
@Suite("The GATT cache", .startsPrograms(isLong: true))
struct CacheTests {
    /// A folder for the cache of a simulated strap.
    private struct Cache {
        let folder: URL

        var file: URL { folder.appendingPathComponent("blectl/gatt/simulated/c84b1d3a905e-random.json") }

        func run(_ line: String) async throws -> BlectlRun {
            let words = line.split(separator: " ").map(String.init)
            return try await Blectl.run(
                ["--simulate"] + words + ["-d", World.strap, "--address-type", "random"],
                environment: ["XDG_CACHE_HOME": folder.path]
            )
        }

        /// The names of a run's requests, and its messages.
        func asked(_ line: String) async throws -> [String] {
            let run = try await run(line + " -v")
            #expect(run.status == 0, "\(run.stderr)")
            return Trace(run.stderr).sent.map { pdu in
                pdu.rest.hasSuffix("0x2B2A") ? "hash" : pdu.name.replacing(" Request", with: "")
            }
        }
    }

    private func withCache(_ body: (Cache) async throws -> Void) async throws {
        try await TemporaryFolder.use { try await body(Cache(folder: $0)) }
    }

    private static let notify = "notify heart-rate-measurement --count 1"
    private static let discovery = ["Exchange MTU", "Read By Type", "Find Information"]
    /// The requests that switch values on, and off again.
    private static let subscription = ["Write", "Write"]

    @Test func `the first run discovers, and the next ones ask only for the hash`() async throws {
        try await withCache { (cache: Cache) async throws in
            #expect(try await cache.asked(Self.notify) == ["hash"] + Self.discovery + Self.subscription)
            for _ in 0..<2 { #expect(try await cache.asked(Self.notify) == ["hash"] + Self.subscription) }
            let write = "write heart-rate/heart-rate-control-point 01"
            // The second search finds no other service of the UUID.
            #expect(try await cache.asked(write) == ["hash", "Find By Type Value", "Find By Type Value", "Write"])
            #expect(try await cache.asked(write) == ["hash", "Write"])
        }
    }

    @Test func `two programs that discover at the same time both keep their results`() async throws {
        let write = "write heart-rate/heart-rate-control-point 01"
        for _ in 0..<3 {
            try await withCache { (cache: Cache) async throws in
                async let notified = cache.run(Self.notify)
                async let written = cache.run(write)
                #expect(try await [notified.status, written.status] == [0, 0])
                #expect(try await cache.asked(Self.notify) == ["hash"] + Self.subscription)
                #expect(try await cache.asked(write) == ["hash", "Write"])
            }
        }
    }

    @Test func `reading by UUID reads no hash, and keeps nothing`() async throws {
        try await withCache { (cache: Cache) async throws in
            for _ in 0..<2 { #expect(try await cache.asked("read battery-level") == ["Read By Type"]) }
            #expect(try await cache.asked("read battery/battery-level") == ["Find By Type Value", "Read By Type"])
            #expect(!FileManager.default.fileExists(atPath: cache.file.path))
        }
    }

    @Test func `a kept tree equals the discovered one`() async throws {
        try await withCache { (cache: Cache) async throws in
            let first = try await cache.run("inspect --json")
            #expect(try await cache.asked("inspect") == ["hash"])
            let second = try await cache.run("inspect --json")
            func nodes(_ run: BlectlRun) throws -> [[String: JSON]] {
                try run.records().map { $0.filter { $0.key != "time" && $0.key != "monotonic_ns" } }
            }
            #expect(try nodes(first) == nodes(second))
            #expect(try nodes(first).count > 10)
        }
    }

    @Test func `a format declared by the device is remembered, and used once it is confirmed`() async throws {
        let run = try await Blectl.shell(
            """
            said() { $BLECTL --simulate "$@" -d Workbench -v 2>$HOME/trace; grep -c '> att' $HOME/trace; }
            said read \(Workbench.voltage)
            $BLECTL --simulate inspect -d Workbench --values --timeout 1 >/dev/null 2>&1
            said read \(Workbench.voltage)
            said read \(Workbench.voltage) --format '{decoded.value} {text}'
            said read \(Workbench.voltage) --as u16
            said read \(Workbench.voltage) --no-cache
            said read \(Workbench.fixed)
            """
        )
        #expect(
            run.stdout.split(separator: "\n") == [
                "0xe40c", "1", "3.3 V", "2", "3.3 3.3 V", "2", "3300", "1", "0xe40c", "1", "0x01020304", "1",
            ],
            "the value takes one request, and the confirmation one: \(run.stdout) \(run.stderr)"
        )
    }

    @Test func `with --no-cache the cache is neither read nor written`() async throws {
        try await withCache { (cache: Cache) async throws in
            let line = Self.notify + " --no-cache"
            #expect(try await cache.asked(line) == Self.discovery + Self.subscription)
            #expect(!FileManager.default.fileExists(atPath: cache.folder.appendingPathComponent("blectl").path))
            _ = try await cache.asked(Self.notify)
            let kept = try Data(contentsOf: cache.file)
            #expect(try await cache.asked(line) == Self.discovery + Self.subscription)
            #expect(try Data(contentsOf: cache.file) == kept)
        }
    }

    @Test func `in virtual time there is no cache`() async throws {
        try await withCache { (cache: Cache) async throws in
            _ = try await cache.asked("--simulate-time virtual inspect")
            #expect(!FileManager.default.fileExists(atPath: cache.folder.appendingPathComponent("blectl").path))
        }
    }

    @Test func `a damaged file is treated as missing`() async throws {
        try await withCache { (cache: Cache) async throws in
            _ = try await cache.asked(Self.notify)
            let good = try Data(contentsOf: cache.file)
            let text = String(decoding: good, as: UTF8.self)
            let damaged: [String: Data] = [
                "empty": Data(), "cut": good.prefix(good.count / 2), "cut at the end": good.dropLast(),
                "other text": Data("{}".utf8), "no text": Data([0xFF, 0x00, 0xFE]),
                "another version": Data(text.replacing(#""version":2"#, with: #""version":1"#).utf8),
                "another device": Data(text.replacing(World.strap, with: World.absent).utf8),
                "another handle": Data(text.replacing(#""value":16"#, with: #""value":17"#).utf8),
                "deep": Data(String(repeating: "[", count: 100_000).utf8),
            ]
            for (what, bytes) in damaged {
                try bytes.write(to: cache.file)
                let requests = try await cache.asked(Self.notify)
                #expect(requests == ["hash"] + Self.discovery + Self.subscription, "\(what)")
                // The file is replaced by a valid one.
                #expect(try Data(contentsOf: cache.file).count == good.count, "\(what)")
            }
        }
    }

    @Test func `an intact file with another hash is not used`() async throws {
        try await withCache { (cache: Cache) async throws in
            _ = try await cache.asked(Self.notify)
            let good = try String(contentsOf: cache.file, encoding: .utf8)
            let other = good.replacing(/"hash":"[0-9a-f]*"/, with: #""hash":"00112233445566778899aabbccddeeff""#)
            // The date does not matter, but the checksum covers it.
            let later = good.replacing(/"writtenAt":[0-9]*/, with: #""writtenAt":1"#)
            for (text, requests) in [
                (good, ["hash"]), (later, ["hash"]), (other, ["hash"] + Self.discovery),
            ] {
                try #require(text == good || sealed(text) != text, "there was nothing to seal")
                try Data(sealed(text).utf8).write(to: cache.file)
                #expect(try await cache.asked(Self.notify) == requests + Self.subscription)
            }
        }
    }

    /// A file's text with a matching checksum.
    private func sealed(_ text: String) -> String {
        let rest = text.replacing(/"check":"[0-9A-F]*"/, with: #""check":"""#)
        let sum = rest.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        let digits = String(sum, radix: 16, uppercase: true)
        let check = String(repeating: "0", count: 16 - digits.count) + digits
        return rest.replacing(#""check":"""#, with: #""check":"\#(check)""#)
    }

    @Test func `without a place for files everything works, without a message`() async throws {
        for place in ["/dev/null", "/proc", "relative"] {
            let run = try await Blectl.run(
                ["--simulate", "read", "heart-rate-measurement/0x2902", "-d", World.strap, "--address-type", "random"],
                environment: ["XDG_CACHE_HOME": place]
            )
            #expect(run.status == 0 && run.stderr.isEmpty, "\(place): \(run.stderr)")
        }
        try await withCache { (cache: Cache) async throws in
            // A folder in the place of the file.
            try FileManager.default.createDirectory(at: cache.file, withIntermediateDirectories: true)
            let run = try await cache.run("read heart-rate-measurement/0x2902")
            #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
        }
    }

    @Test func `several simultaneous runs on one file all work, and leave it intact`() async throws {
        let run = try await Blectl.shell(
            """
            one() { $BLECTL --simulate "$@" -d \(World.strap) --address-type random >/dev/null; }
            for round in 1 2 3; do
                one read heart-rate-measurement/0x2902 & first=$!
                one read battery-level/0x2902 & second=$!
                one inspect & third=$!
                for job in $first $second $third; do wait $job || echo "failed: $?"; done
            done
            $BLECTL --simulate inspect -d \(World.strap) --address-type random -v 2>&1 >/dev/null | grep -c '> att'
            ls $HOME/.cache/blectl/gatt/simulated
            """
        )
        let lines = run.stdout.split(separator: "\n").map(String.init)
        #expect(lines.last == "c84b1d3a905e-random.json", "\(run.stdout) \(run.stderr)")
        #expect(lines.count == 2, "nothing failed, and nothing else is left there: \(run.stdout)")
        #expect(run.stderr.isEmpty)
    }

    // MARK: - A device that changes its database

    /// Runs a line of bash against a served device: `asked LINE` prints the requests, and `say` the messages.
    private func served(_ name: String, _ script: String) async throws -> [String] {
        let run = try await Blectl.shell(
            """
            S=$HOME/s
            $BLECTL --radio unix:$S serve \(name) >$S.out 2>$S.err & server=$!
            trap "kill $server 2>/dev/null" EXIT
            until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
            say() { timeout 300 $BLECTL --radio unix:$S "$@" -d F1:5A:9E:5B:1F:7E --address-type random; }
            asked() {
                say "$@" -v 2>$S.trace >$S.said || echo "failed with $?"
                sed -n 's/.* > att [0-9A-F:]* \\(.*\\)/\\1/p' $S.trace |
                    sed -e 's/.*0x2B2A$/hash/' -e 's/ Request.*//' | paste -sd ' '
                cat $S.said
            }
            change() { say write b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001 $1 >/dev/null; }
            \(script)
            """
        )
        #expect(run.stderr.isEmpty)
        return run.stdout.split(separator: "\n").map(String.init)
    }

    private static let label = "b1ec0511-5ec7-4c3a-9d0e-51a1b1ec0001/0x2901"

    @Test func `a device with a changed database is discovered again`() async throws {
        let lines = try await served(
            "shapeshifter",
            """
            asked read \(Self.label)
            asked read \(Self.label)
            change 01
            asked read \(Self.label)
            asked read \(Self.label)
            change 02
            asked read \(Self.label)
            change 03
            say read \(Self.label) 2>/dev/null; echo $?
            change 00
            asked read \(Self.label)
            """
        )
        let value = "shape, seconds"
        let cold = "hash Exchange MTU Read By Type Read By Type Find Information Read"
        try #require(lines.count == 13, "\(lines)")
        #expect(Array(lines[0..<4]) == [cold, value, "hash Read", value])
        #expect(lines[4].hasPrefix("hash Exchange MTU Read By Type"))
        #expect(Array(lines[5..<8]) == [value, "hash Read", value])
        #expect(lines[8].hasPrefix("hash Exchange MTU Read By Type"))
        #expect(lines[9] == value)
        #expect(lines[10] == "68")
        #expect(lines[11].hasPrefix("hash Exchange MTU Read By Type"))
        #expect(lines[12] == value)
    }

    @Test func `nothing is kept for an unnamed device at a socket`() async throws {
        let run = try await Blectl.shell(
            """
            S=$HOME/s
            $BLECTL --radio unix:$S serve shapeshifter >$S.out 2>$S.err & server=$!
            trap "kill $server 2>/dev/null" EXIT
            until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
            $BLECTL --radio unix:$S read \(Self.label); echo $?
            [ -e $HOME/.cache ] || echo nothing
            """
        )
        #expect(run.stdout == "shape, seconds\n0\nnothing\n", "\(run.stderr)")
    }
}
