// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// One rule for every place that takes a value, held by the same values in each of them.
///
/// The places are `encode`, `write`, a `write` step and its expectation, a line of the shell, `simulate set`, a string of a
/// device file, and the output of a program of `serve --exec`.
@Suite("A value means the same in every place", .startsPrograms(isLong: true))
struct ValueRuleTests {
    /// A value as typed for a characteristic of `device`, and its octets; none if every place refuses it.
    private struct Value {
        let target: String
        let text: String
        let hex: String?

        init(_ target: String, _ text: String, _ hex: String?) {
            self.target = target
            self.text = text
            self.hex = hex
        }

        /// The text as one word of a shell or a script.
        var word: String { text.contains(" ") ? "'\(text)'" : text }

        /// The word in an expectation, where digits without a mark are a number.
        var expected: String { target == "0xFFF1" ? "0x\(text)" : word }
    }

    private static let values = [
        Value("battery-level", "50", "32"), Value("battery-level", "50%", "32"), Value("battery-level", "50 %", "32"),
        Value("battery-level", "5", "05"), Value("battery-level", "0x32", "32"), Value("battery-level", "hex:96", "96"),
        Value("battery-level", "u8:7", "07"), Value("battery-level", "101", nil), Value("battery-level", "0x96", nil),
        Value("temperature", "21.5", "6608"), Value("temperature", "21.5C", "6608"), Value("temperature", "2150", nil),
        Value("temperature", "0x21", nil), Value("alert-level", "high", "02"), Value("alert-level", "10", "0a"),
        Value("manufacturer-name-string", "50", "3530"), Value("manufacturer-name-string", "text:0x1", "307831"),
        Value("heart-rate-measurement", "heart-rate=72 contact=true", "0648"),
        Value("heart-rate-measurement", "72 bpm, contact", "0648"), Value("heart-rate-measurement", "0x0648", "0648"),
        Value("heart-rate-measurement", "0648", nil), Value("0xFFF1", "22", "22"), Value("0xFFF1", "222", nil),
    ]

    private static var accepted: [Value] { values.filter { $0.hex != nil } }
    private static var refused: [Value] { values.filter { $0.hex == nil } }

    /// A device file with the characteristics; each has the value given for it.
    private static func device(_ values: [String: String] = [:]) throws -> String {
        let targets = [
            "battery-level", "temperature", "alert-level", "manufacturer-name-string", "heart-rate-measurement",
            "0xFFF1",
        ]
        let characteristics = targets.map { target in
            ["uuid": target, "properties": ["read", "write"], "value": values[target] ?? "hex:00"] as [String: Any]
        }
        let file: [String: Any] = [
            "schema": "blectl-device/1", "name": "V", "address": "C8:4B:1D:3A:90:01", "address_type": "random",
            "advertising": [["data": ["name": "V"]]],
            "services": [["uuid": "0xFFF0", "characteristics": characteristics]],
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: file), as: UTF8.self)
    }

    /// Runs bash in a folder with the device file, and returns its lines.
    private static func shell(_ script: String) async throws -> [String] {
        try await TemporaryFolder.use { folder in
            try Data(try device().utf8).write(to: folder.appending(path: "v.json"))
            let run = try await Blectl.shell("cd '\(folder.path)'\n\(script)")
            return run.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    private static func simulate(_ words: [String], _ file: String) -> [String] {
        ["--simulate=\(file)", "--simulate-time", "virtual"] + words
    }

    @Test func `encode`() async throws {
        for value in Self.values where value.target != "0xFFF1" {
            let run = try await Blectl.run(["encode", value.target, value.text])
            #expect(run.stdout == (value.hex.map { "\($0)\n" } ?? ""), "\(value)")
            #expect(run.status == (value.hex == nil ? 65 : 0), "\(value): \(run.stderr)")
        }
    }

    @Test func `write sends it, and refuses before it sends`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "v.json")
            try Data(try Self.device().utf8).write(to: file)
            for value in Self.values {
                let words = ["write", value.target, value.text, "-d", "V", "-v"]
                let run = try await Blectl.run(Self.simulate(words, file.path))
                #expect(
                    Trace(run.stderr).writes.map(\.value) == [value.hex].compactMap { $0 },
                    "\(value): \(run.stderr)"
                )
                #expect(run.status == (value.hex == nil ? 65 : 0), "\(value): \(run.stderr)")
                guard value.hex == nil else { continue }
                #expect(!run.stderr.contains("Connect"), "\(value): nothing was to be done for it")
            }
        }
    }

    @Test func `--raw takes the words as if no format was known`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "v.json")
            try Data(try Self.device().utf8).write(to: file)
            for (text, hex) in [("50", "50"), ("0x3264", "3264"), ("u16:500", "f401"), ("50%", nil)] {
                let run = try await Blectl.run(
                    Self.simulate(["write", "battery-level", text, "--raw", "-d", "V", "-v"], file.path)
                )
                #expect(Trace(run.stderr).writes.map(\.value) == [hex].compactMap { $0 }, "\(text): \(run.stderr)")
            }
        }
    }

    @Test func `a step of a script, and the expectation behind it`() async throws {
        var script = "device v --name V\n"
        for (index, value) in Self.accepted.enumerated() {
            script += """
                test "\(index)"
                  write v \(value.target) \(value.word)
                  read v \(value.target) expect 0x\(value.hex ?? "")
                  read v \(value.target) expect \(value.expected)

                """
        }
        let lines = try await Self.shell(
            """
            cat >script <<'END'
            \(script)
            END
            "$BLECTL" --simulate=v.json --simulate-time virtual run script --keep-going; echo $?
            """
        )
        #expect(lines.last == "0", "\(lines.joined(separator: "\n"))")
        #expect(lines.count(where: { $0.hasPrefix("✓") }) == Self.accepted.count)
        for value in Self.refused {
            let lines = try await Self.shell(
                """
                printf '%s\\n' 'device v --name V' 'write v \(value.target) \(value.text)' >script
                "$BLECTL" --simulate=v.json --simulate-time virtual run script 2>&1; echo $?
                """
            )
            #expect(lines.last == "65", "\(value): \(lines)")
        }
    }

    @Test func `a line of the shell`() async throws {
        let input = Self.accepted.map { "write \($0.target) \($0.word)\nread \($0.target) --format {value}\n" }.joined()
        let lines = try await Self.shell(
            """
            cat >lines <<'END'
            connect V
            \(input)
            END
            "$BLECTL" --simulate=v.json --simulate-time virtual shell <lines 2>/dev/null | grep -xE '[0-9a-f]+'
            """
        )
        #expect(lines == Self.accepted.compactMap(\.hex))
    }

    @Test func `simulate set in a world that is alive`() async throws {
        let sets = Self.values.map { value in
            """
            "$BLECTL" simulate set V \(value.target) '\(value.text)' --socket $S >/dev/null 2>&1; status=$?
            [ $status = 0 ] && "$BLECTL" --simulate=$S read \(value.target) -d V --format {value} || echo $status
            """
        }
        let lines = try await Self.shell(
            """
            S=$PWD/s
            "$BLECTL" simulate serve v.json --socket $S >out 2>err & server=$!
            trap 'kill $server' EXIT
            until [ -s out ] || ! kill -0 $server; do sleep 0.02; done
            \(sets.joined(separator: "\n"))
            """
        )
        #expect(lines == Self.values.map { $0.hex ?? "65" })
    }

    @Test func `a string of a device file`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "v.json")
            for value in Self.values {
                try Data(try Self.device([value.target: value.text]).utf8).write(to: file)
                let words = ["read", value.target, "-d", "V", "--format", "{value}"]
                let run = try await Blectl.run(Self.simulate(words, file.path))
                #expect(run.stdout == (value.hex.map { "\($0)\n" } ?? ""), "\(value): \(run.stderr)")
                #expect(run.status == (value.hex == nil ? 65 : 0), "\(value): \(run.stderr)")
            }
        }
    }

    @Test func `what a program of serve --exec prints`() async throws {
        let reads = Self.values.map { value in
            """
            printf '%s\\n' '\(value.text)' >value
            "$BLECTL" --radio unix:$S read \(value.target) --format {value} 2>/dev/null || echo $?
            """
        }
        let hooks = Set(Self.values.map(\.target)).sorted().map { "--exec 'read \($0)=cat value'" }
        let lines = try await Self.shell(
            """
            S=$PWD/s
            "$BLECTL" --radio unix:$S serve v.json \(hooks.joined(separator: " ")) >out 2>err & server=$!
            trap 'kill $server' EXIT
            until [ -s out ] || ! kill -0 $server; do sleep 0.02; done
            \(reads.joined(separator: "\n"))
            """
        )
        // What is no value is an Unlikely Error for the central: a protocol error.
        #expect(lines == Self.values.map { $0.hex ?? "76" })
    }

    @Test func `the format of a formats file`() async throws {
        let lines = try await Self.shell(
            """
            cat >formats.json <<'END'
            {"schema": "blectl-formats/1", "characteristics": [
              {"uuid": "0xFFF1", "name": "setpoint", "fields": [{"name": "setpoint", "type": "s16", "scale": 0.1, "unit": "°C"}]}
            ]}
            END
            blectl() { "$BLECTL" --simulate=v.json --simulate-time virtual --formats formats.json "$@"; }
            for value in 22 22C 0xdc00 0x22 high; do
                blectl write setpoint $value -d V -v 2>&1 | sed -n 's/.*Write Request 0x[0-9A-F]* //p'
                "$BLECTL" --formats formats.json encode setpoint $value 2>/dev/null || echo refused
            done
            """
        )
        #expect(lines == ["dc00", "dc00", "dc00", "dc00", "dc00", "dc00", "refused", "refused"])
    }

    @Test func `digits at a handle are octets, unless the device is known to have a format there`() async throws {
        let lines = try await Self.shell(
            """
            export HOME=$PWD; V='--simulate=v.json --simulate-time virtual'
            H=$("$BLECTL" --no-cache $V read battery-level -d V --format {handle})
            writes() { sed -n 's/.*Write Request 0x[0-9A-F]* //p'; }
            "$BLECTL" --no-cache $V write handle:$H 50 -d V -v 2>&1 | writes
            cat >script <<END
            device v --name V
            inspect v
            write v handle:$H 0x50
            write v handle:$H u8:50
            write v handle:$H 50 expect status 65
            END
            "$BLECTL" $V run script >out 2>&1; echo $?; cat out >&2
            """
        )
        #expect(lines == ["50", "0"])
    }

    @Test func `- and @FILE are octets for write, encode, decode and simulate set`() async throws {
        let lines = try await Self.shell(
            """
            printf '\\x32' >octets; printf '50\\n' >text
            V='--simulate=v.json --simulate-time virtual'
            S=$PWD/s
            "$BLECTL" simulate serve v.json --socket $S >out 2>err & server=$!
            trap 'kill $server' EXIT
            until [ -s out ] || ! kill -0 $server; do sleep 0.02; done
            for value in - @octets; do
                "$BLECTL" encode battery-level $value <octets
                "$BLECTL" decode battery-level $value <octets
                "$BLECTL" $V write battery-level $value -d V -v <octets 2>&1 | sed -n 's/.*Write Request 0x[0-9A-F]* //p'
                "$BLECTL" simulate set V battery-level $value --socket $S <octets >/dev/null
                "$BLECTL" --simulate=$S read battery-level -d V
            done
            for value in - @text; do
                "$BLECTL" encode battery-level $value <text 2>/dev/null; echo $?
                "$BLECTL" $V write battery-level $value -d V <text 2>/dev/null; echo $?
                "$BLECTL" simulate set V battery-level $value --socket $S <text 2>/dev/null; echo $?
            done
            """
        )
        let good = ["32", "50 %", "32", "50 %"]
        #expect(lines == good + good + Array(repeating: "65", count: 6))
    }

    @Test func `octets without a format, and those of a malformed value, are no number`() async throws {
        let comparisons = [
            "temperature": ["22", "!= 22", "in 20..25", "> 20", "contains 22", "22C"],
            "0xFFF1": ["22", "!= 22", "in 20..25", "> 20", "contains 22"],
        ]
        for (target, conditions) in comparisons {
            for condition in conditions {
                let lines = try await Self.shell(
                    """
                    printf '%s\\n' 'device v --name V' 'write v \(target) hex:22' 'read v \(target) expect \(condition)' >script
                    "$BLECTL" --simulate=v.json --simulate-time virtual run script 2>&1; echo $?
                    """
                )
                #expect(lines.last == "1", "\(target) \(condition): \(lines)")
                #expect(lines.contains { $0.contains("got       the value is 0x22") }, "\(lines)")
            }
            for condition in ["0x22", "hex:22", "length 1", "mask 0xf0 is 0x20", "contains 0x22", "!= 0x23"] {
                let lines = try await Self.shell(
                    """
                    printf '%s\\n' 'device v --name V' 'write v \(target) hex:22' 'read v \(target) expect \(condition)' >script
                    "$BLECTL" --simulate=v.json --simulate-time virtual run script 2>&1; echo $?
                    """
                )
                #expect(lines.last == "0", "\(target) \(condition): \(lines)")
            }
        }
    }
}
