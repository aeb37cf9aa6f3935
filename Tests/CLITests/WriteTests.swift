// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Writing", .startsPrograms())
struct WriteTests {
    /// A value as typed, with the octets that it means.
    struct Value: Sendable, CustomTestStringConvertible {
        let text: String
        let hex: String

        init(_ text: String, _ hex: String) {
            self.text = text
            self.hex = hex
        }

        var testDescription: String { text }
    }

    /// 512 octets without equal neighbours.
    private static let letter = (0..<512).map { UInt8(truncatingIfNeeded: $0 * 5) }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func record(_ run: BlectlRun, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: JSON] {
        try #require(run.status == 0, "\(run.stderr)", sourceLocation: sourceLocation)
        let records = try run.records()
        #expect(records.count == 1, sourceLocation: sourceLocation)
        return try #require(records.first, sourceLocation: sourceLocation)
    }

    // MARK: - The grammar

    @Test(arguments: [
        Value("0x0102", "0102"), Value("0102", "0102"), Value("0X0aFf", "0aff"), Value("de:ad:be:ef", "deadbeef"),
        Value("de ad-be ef", "deadbeef"), Value("hex:01 ff", "01ff"), Value("ff", "ff"),
        Value("text:hello", "68656c6c6f"), Value("text:häh", "68c3a468"), Value("text:@file", "4066696c65"),
        Value("text:0x01", "30783031"), Value("text:a:b", "613a62"), Value("text:", ""),
        Value("u8:255", "ff"), Value("u16:500", "f401"), Value("u16be:500", "01f4"), Value("u24:1", "010000"),
        Value("s8:-5", "fb"), Value("s16:-2", "feff"), Value("u32:0xdeadbeef", "efbeadde"), Value("u8:1,2,3", "010203"),
        Value("u64:18446744073709551615", "ffffffffffffffff"), Value("f32be:1.5", "3fc00000"),
        Value("f64:-0.5", "000000000000e0bf"), Value("medfloat16:36.7", "6ff1"), Value("utf16:hi", "68006900"),
    ])
    func `a value gives its octets`(_ value: Value) async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) '\(value.text)' -d Workbench -v")
        #expect(run.status == 0, "\(run.stderr)")
        let writes = Trace(run.stderr).writes
        #expect(writes.map(\.name) == ["Write Request"])
        #expect(writes.first?.value == (value.hex.isEmpty ? "(empty)" : value.hex))
    }

    @Test(arguments: [
        "xyz", "0x", "0x123", "123", "0x01zz", "u8:256", "u8:-1", "s8:128", "u16:1.5", "u8:", "u8:1,,x", "f32:1e39",
        "f32:x",
        "hex:0", "bogus:1", "0x01,0x02", "u8be:1",
    ])
    func `an invalid value is refused before anything is sent`(_ text: String) async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) '\(text)' -d Workbench -vv")
        #expect(run.status == 65, "\(run.stderr)")
        #expect(run.stdoutBytes.isEmpty)
        let trace = Trace(run.stderr)
        #expect(trace.packets.isEmpty && trace.pdus.isEmpty, "\(run.stderr)")
        #expect(run.stderr.hasPrefix("blectl: "))
    }

    // MARK: - Files and standard input

    @Test func `standard input is read to its end, octet by octet`() async throws {
        let input: [UInt8] = [0x00, 0xFF, 0x0A, 0x0D, 0x1B, 0x0A]
        let run = try await Blectl.simulate("write \(Workbench.variable) - -d Workbench --verify -v", input: input)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(Trace(run.stderr).writes.first?.value == Self.hex(input))
        let nothing = try await Blectl.simulate("write \(Workbench.variable) - -d Workbench --json")
        #expect(try record(nothing)["length"] == .integer(0), "an empty input is an empty value")
    }

    @Test func `standard input may be slow`() async throws {
        let run = try await Blectl.shell(
            "(printf a; sleep 0.2; printf b) | $BLECTL $SIMULATE write \(Workbench.variable) - -d Workbench -v"
        )
        #expect(run.status == 0)
        #expect(Trace(run.stderr).writes.first?.value == "6162")
    }

    @Test func `a file is sent unchanged`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("a letter")
            try Data(Self.letter).write(to: file)
            let run = try await Blectl.simulate(
                "write \(Workbench.long) '@\(file.path)' -d Workbench --verify --json -v"
            )
            let record = try record(run)
            #expect(record["length"] == .integer(512))
            #expect(record["verified"] == .bool(true))
        }
    }

    @Test(arguments: [
        ("@/nowhere/at/all", 66, "No such file"), ("@/", 66, "Is a directory"),
    ])
    func `an unreadable file is named, and nothing is sent`(
        _ value: String,
        _ status: Int32,
        _ why: String
    ) async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) '\(value)' -d Workbench -vv")
        #expect(run.status == status)
        #expect(run.stderr.hasPrefix("blectl: cannot ") && run.stderr.contains(why), "\(run.stderr)")
        #expect(Trace(run.stderr).packets.isEmpty)
    }

    // MARK: - Length

    @Test func `512 octets are sent in pieces that the device echoes, and read back whole`() async throws {
        let run = try await Blectl.simulate(
            "write \(Workbench.variable) - -d Workbench --verify --json -v",
            input: Self.letter
        )
        let record = try record(run)
        #expect(record["procedure"] == .string("long-write"))
        #expect(record["length"] == .integer(512))
        #expect(record["verified"] == .bool(true))
        let trace = Trace(run.stderr)
        let pieces = trace.sent.filter { $0.name == "Prepare Write Request" }
        #expect(pieces.map(\.value).joined() == Self.hex(Self.letter))
        #expect(trace.writes.last?.name == "Execute Write Request")
        let echoes = trace.received.filter { $0.name == "Prepare Write Response" }
        #expect(echoes.map(\.rest) == pieces.map(\.rest))
    }

    @Test(arguments: [
        (20, "write-request", 0), (21, "write-request", 1), (244, "write-request", 1), (245, "long-write", 1),
    ])
    func `a value is sent in one packet if it fits, with a larger MTU if that helps`(
        _ length: Int,
        _ procedure: String,
        _ exchanges: Int
    ) async throws {
        let run = try await Blectl.simulate(
            "write handle:0x0014 - -d Workbench --json -v",
            input: Array(Self.letter[..<length])
        )
        #expect(try record(run)["procedure"] == .string(procedure))
        #expect(Trace(run.stderr).sent.filter { $0.name == "Exchange MTU Request" }.count == exchanges)
    }

    @Test(arguments: [513, 5_000, 1_000_000])
    func `more than an attribute can hold is refused before anything is sent`(_ length: Int) async throws {
        let value = [UInt8](repeating: 0x55, count: length)
        let run = try await Blectl.simulate("write \(Workbench.variable) - -d Workbench -vv", input: value)
        #expect(run.status == 65)
        let lines = run.stderr.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("512") && lines[1].contains("--chunk"), "\(run.stderr)")
    }

    @Test func `a value too long for one packet is refused without response before it is sent`() async throws {
        let value = Self.hex([UInt8](repeating: 0x55, count: 300))
        let run = try await Blectl.simulate("write \(Workbench.commandOnly) \(value) -d Workbench --no-response -v")
        #expect(run.status == 65, "\(run.stderr)")
        #expect(Trace(run.stderr).writes.isEmpty)
    }

    // MARK: - Limits of the device

    @Test func `a write without response works if the device takes it`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.commandOnly) cafe -d Workbench --no-response --json -v")
        #expect(try record(run)["procedure"] == .string("write-command"))
        #expect(Trace(run.stderr).writes.map(\.name) == ["Write Command"])
    }

    @Test(arguments: [2, 20, 512])
    func `a reliable write is prepared and echoed, however short, and then carried out`(_ length: Int) async throws {
        let value = Array(Self.letter[..<length])
        let run = try await Blectl.simulate(
            "write \(Workbench.reliable) - -d Workbench --reliable --verify --json -v",
            input: value
        )
        let record = try record(run)
        #expect(record["procedure"] == .string("reliable-write"))
        #expect(record["verified"] == .bool(true))
        let trace = Trace(run.stderr)
        let pieces = trace.writes.dropLast()
        #expect(pieces.allSatisfy { $0.name == "Prepare Write Request" })
        #expect(pieces.map(\.value).joined() == Self.hex(value))
        #expect(trace.writes.last?.name == "Execute Write Request")
    }

    @Test func `a descriptor is written in one way only`() async throws {
        for option in ["--reliable", "--no-response"] {
            let run = try await Blectl.simulate(
                "write \(Workbench.labelled)/0x2901 01 -d Workbench \(option) -v"
            )
            #expect(run.status == 64)
            #expect(run.stderr.contains("leave out \(option)"), "\(run.stderr)")
            #expect(Trace(run.stderr).writes.isEmpty)
        }
    }

    @Test(arguments: [
        ([Workbench.long, "01", "--reliable"], "it accepts no reliable write, only: read, write", "--reliable"),
        (
            [Workbench.commandOnly, "01", "--reliable"],
            "it accepts no reliable write, only: write-without-response", "--reliable"
        ),
        (
            ["handle:0x0014", "01", "--reliable"],
            "it accepts no reliable write, only: read, write-without-response, write", "--reliable"
        ),
        (
            [Workbench.long, "01", "--no-response"], "it accepts no write without response, only: read, write",
            "--no-response"
        ),
        ([Workbench.commandOnly, "01"], "it accepts only writes without response", "--no-response"),
    ])
    func `a write that the characteristic lacks is refused with an alternative`(
        _ arguments: [String],
        _ why: String,
        _ hint: String
    ) async throws {
        let run = try await Blectl.run(Blectl.virtual + ["write", "-d", "Workbench", "-v"] + arguments)
        #expect(run.status == 76)
        let device = "Workbench (D3:6F:10:2C:84:B7)"
        #expect(run.stderr.contains("blectl: cannot write \(arguments[0]) to \(device): \(why)\n"), "\(run.stderr)")
        #expect(run.stderr.split(separator: "\n").last?.contains(hint) == true)
        #expect(Trace(run.stderr).writes.isEmpty)
    }

    @Test(arguments: [
        (Workbench.fixed, "0x0D invalid attribute value length"), (Workbench.counter, "0x03 write not permitted"),
        (Workbench.authenticated, "0x05 insufficient authentication"),
        (Workbench.authorized, "0x08 insufficient authorization"),
        (Workbench.applicationError, "0x85 application error"),
    ])
    func `the device's error is named`(_ target: String, _ error: String) async throws {
        let run = try await Blectl.simulate("write \(target) 0x01 -d Workbench --json")
        #expect(run.status == 76)
        #expect(run.stderr.contains("(ATT \(error))"), "\(run.stderr)")
        #expect(run.stderr.contains("Workbench (D3:6F:10:2C:84:B7)"))
        #expect(try run.records().map { $0["type"] } == [.string("error")])
    }

    @Test func `a value that the device does not keep fails the verification`() async throws {
        let run = try await Blectl.simulate("write client-supported-features 0xff -d Workbench --verify --json")
        #expect(run.status == 1)
        #expect(try run.records().first?["verified"] == .bool(false))
        #expect(run.stderr.contains(" reads 0x07 after 0xff was written"), "\(run.stderr)")
    }

    @Test func `a descriptor is written under its characteristic`() async throws {
        let run = try await Blectl.simulate(
            "write \(Workbench.labelled)/0x2901 text:better -d Workbench --verify --json"
        )
        #expect(try record(run)["handle"] == .integer(0x91))
    }

    // MARK: - Verifying what cannot be read

    @Test(arguments: [
        (Workbench.writeOnly, "Workbench", "write"), ("heart-rate-control-point", "Pulse HR", "write"),
    ])
    func `a value that cannot be read back is refused before it is written`(
        _ target: String,
        _ device: String,
        _ properties: String
    ) async throws {
        let run = try await Blectl.simulate("write \(target) 01 -d '\(device)' --verify -v")
        #expect(run.status == 76)
        let why = "--verify reads the value back, and it accepts only: \(properties)"
        #expect(
            run.stderr.contains("blectl: cannot write \(target) to \(device) (")
                && run.stderr.contains("): \(why)\nhint: leave out --verify\n"),
            "\(run.stderr)"
        )
        #expect(Trace(run.stderr).writes.isEmpty)
    }

    @Test func `several matches are reported before the properties of one of them`() async throws {
        let run = try await Blectl.simulate("write alert-level high -d 'Desk Clock'")
        #expect(run.status == 68 && run.stderr.contains("several attributes of Desk Clock "), "\(run.stderr)")
        #expect(!run.stderr.contains("--no-response"), "\(run.stderr)")
    }

    @Test func `with --redact the error for a value that differs has no octets`() async throws {
        let line = "write client-supported-features 0xff -d Workbench --verify"
        let open = try await Blectl.simulate(line)
        #expect(open.status == 1 && open.stderr.contains("after 0xff was written"), "\(open.stderr)")
        let run = try await Blectl.simulate("\(line) --redact")
        #expect(run.status == 1 && run.stderr.contains("does not read as the value that was written"), "\(run.stderr)")
        #expect(!run.stderr.contains("ff was"), "\(run.stderr)")
    }

    @Test func `a value that only the device understands is reported as written and not verified`() async throws {
        // The heart rate control point, which is write-only.
        let run = try await Blectl.simulate("write handle:0x0015 01 -d 'Pulse HR' --verify --json -v")
        #expect(run.status == 76)
        #expect(Trace(run.stderr).writes.count == 1)
        let record = try #require(try run.records().first)
        #expect(record["type"] == .string("write") && record["verified"] == .null)
        #expect(
            run.stderr.contains(
                "blectl: handle:0x0015 of Pulse HR (\(World.strap)) was written, but not verified: "
                    + "cannot read it back: the device refused (ATT 0x02 read not permitted)\nhint: leave out --verify"
            ),
            "\(run.stderr)"
        )
    }

    // MARK: - Choosing the attribute

    private static let twins = "b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001"

    @Test func `several matching attributes are listed, and none is written`() async throws {
        let run = try await Blectl.simulate("write \(Self.twins) 0102 -d Museum -v")
        #expect(run.status == 68)
        #expect(run.stderr.contains("blectl: several attributes of Museum ("), "\(run.stderr)")
        for handle in ["0x00B2 in ", "0x00B5 in ", "0x00C2 in ", "0x00C5 in "] {
            #expect(run.stderr.contains(handle), "\(run.stderr)")
        }
        #expect(run.stderr.hasSuffix("\nhint: name the attribute: handle:0x00B2\n"), "\(run.stderr)")
        #expect(Trace(run.stderr).writes.isEmpty)
        let one = try await Blectl.simulate("write handle:0x00B5 0102 -d Museum --verify --json")
        #expect(one.status == 0)
        #expect(try record(one)["handle"] == .integer(0xB5))
    }

    @Test(arguments: [
        "write \(Workbench.twin) 01", "write \(Workbench.twin)/0x2901 text:x", "write \(Workbench.twin) - --chunk 1",
        "write \(Workbench.twin) 01 --no-response",
    ])
    func `neither is a descriptor below one of several, nor a piece`(_ line: String) async throws {
        let run = try await Blectl.simulate("\(line) -d Workbench -v", input: [1])
        #expect(Trace(run.stderr).writes.isEmpty)
        // What the characteristics accept is looked at first.
        guard run.status != 76 else { return }
        #expect(run.status == 68 && run.stderr.contains("several attributes of Workbench"), "\(run.stderr)")
    }

    @Test func `checking for a second attribute takes one request, and none in a known database`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.variable) 0102 -d Workbench -v")
        #expect(run.status == 0)
        let asked = Trace(run.stderr).pdus.filter { $0.name == "Read By Type Request" }.map(\.rest)
        #expect(asked.count == 3)
        #expect(asked.last?.contains("0x0015…0xFFFF \(Workbench.variable)") == true, "\(asked)")
    }

    // MARK: - Choosing the device

    @Test func `several matching devices are listed, and none is connected to`() async throws {
        for arguments in [["--name", "*e*"], ["--service", "battery", "--service", "0x1809", "--name", "*"]] {
            let run = try await Blectl.run(Blectl.virtual + ["write", "device-name", "01", "-vv"] + arguments)
            if arguments.count == 2 {
                #expect(run.status == 68)
                #expect(run.stderr.contains("several devices match"), "\(arguments)")
                #expect(run.stderr.contains(World.strap) && run.stderr.contains("hint: name the device: -d "))
            }
            #expect(Trace(run.stderr).pdus.isEmpty)
            // A search that finds nothing listens to LE Coded as well, in turns.
            let scans = arguments.count == 2 ? 1 : 5
            #expect(Trace(run.stderr).scanSwitches == (0..<scans).flatMap { _ in ["on", "off"] })
        }
    }

    @Test func `a name matches whole names only`() async throws {
        for name in ["Pulse", "Pulse HR 2", "ulse HR"] {
            let run = try await Blectl.simulate("write device-name 01 -d '\(name)' --timeout 2")
            #expect(run.status == 68, "\(name)")
            #expect(run.stderr.contains("no device named '\(name)' was found"), "\(run.stderr)")
        }
    }
}
