// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import TestProcesses
import Testing

@Suite("Captures of other programs", .startsPrograms())
struct TraceFileTests {
    private func trace(_ octets: [UInt8], _ options: String = "") async throws -> BlectlRun {
        try await Blectl.run(["trace", "-"] + TypedCommand(options).arguments, input: octets)
    }

    @Test func `a phone's log: fragments, connections and answers`() async throws {
        let run = try await trace(CaptureSample.phone)
        #expect(run.status == 0 && run.stderr.isEmpty)
        #expect(
            run.stdout.split(separator: "\n").dropFirst(4) == [
                "2026-11-20T06:42:11.887291Z    0.004000 > att F0:F1:F2:F3:F4:F5 Read Request 0x0012",
                "2026-11-20T06:42:11.888291Z    0.005000 > att 06:05:04:03:02:01 Read Request 0x0012",
                "2026-11-20T06:42:11.889291Z    0.006000 < acl F0:F1:F2:F3:F4:F5 7 of 9 octets of a frame",
                "2026-11-20T06:42:11.890291Z    0.007000 < att 06:05:04:03:02:01 Error Response Read Request 0x0012 0x05 "
                    + "insufficient authentication  +2.000 ms",
                "2026-11-20T06:42:11.891291Z    0.008000 < att F0:F1:F2:F3:F4:F5 Read Response 57010203  +4.000 ms",
                "2026-11-20T06:42:11.892291Z    0.009000 < att F0:F1:F2:F3:F4:F5 Handle Value Notification 0x0020 aabb",
                "2026-11-20T06:42:11.893291Z    0.010000 < hci Disconnection Complete: connection 0x0040, "
                    + "\(HCIStatus.remoteUserTerminatedConnection)",
            ]
        )
        let records = try await trace(CaptureSample.phone, "--json").records()
        #expect(records.map { $0["number"] } == (1...11).map { .integer($0) })
        #expect(records[8]["answer_to"] == .integer(5) && records[8]["delay_ns"] == .integer(4_000_000))
        #expect(records[8]["handles"] == .array([.integer(0x12)]))
        #expect(records[8]["bytes"] == .string("0b57010203"))
        #expect(records[4]["address_type"] == .string("random") && records[4]["connection"] == .integer(0x40))
    }

    @Test(
        arguments: [
            ("-d F0:F1:F2:F3:F4:F5", [3, 5, 7, 9, 10, 11]), ("-d f0f1f2f3f4f5 --att", [5, 9, 10]),
            ("--att", [5, 6, 8, 9, 10]), ("--hci", [1, 2, 3, 4, 11]), ("--att --hci -d 06:05:04:03:02:01", [4, 6, 8]),
            ("--handle 0x12", [5, 6, 8, 9]), ("--handle 18 --handle 0x20", [5, 6, 8, 9, 10]), ("--handle 9", []),
        ]
    )
    func `filters`(_ options: String, _ numbers: [Int64]) async throws {
        let records = try await trace(CaptureSample.phone, "--json \(options)").records()
        #expect(records.map { $0["number"] } == numbers.map { .integer($0) })
    }

    @Test func `btmon's file: several adapters, notes, and commands to the kernel without their keys`() async throws {
        let run = try await trace(
            CaptureSample.file(
                2_001,
                [
                    (0xFFFF_000C, "4c696e757800"), (0x0001_0000, "00 00 f5f4f3f2f1f0 6863693100000000"),
                    (0x0001_0010, "01000000 0500 01"), (0x0001_0002, "030c00"),
                    (0x0001_0005, "4000 0700 0300 0400 0a1200"),
                    (0x0001_0063, "aa"),
                ]
            )
        )
        #expect(run.status == 0)
        #expect(
            run.stdout.split(separator: "\n").map { $0.dropFirst(40) } == [
                "= note Linux", "= note adapter added as hci1, address F0:F1:F2:F3:F4:F5",
                "> mgmt hci1 Set Powered: on", "> hci hci1 Reset", "< att hci1 0x0040 Read Request 0x0012",
                "= note record of kind 99 aa",
            ]
        )
    }

    @Test func `encryption commands of a host are shown without their keys`() async throws {
        let key = String(repeating: "5a", count: 16)
        let octets = CaptureSample.file(
            1_002,
            [(2, "01 1920 1c 4000 0102030405060708 a1a2 \(key)"), (2, "01 1a20 12 4000 5a5a")]
        )
        let run = try await trace(octets)
        #expect(run.status == 0)
        let lines = run.stdout.split(separator: "\n").map { $0.dropFirst(40) }
        #expect(lines.first == "> hci LE Enable Encryption: (28 octets hidden)")
        // The second one is cut off, and has zeros in place of what there is of its key.
        #expect(lines.last?.hasPrefix("> hci malformed") == true && lines.last?.hasSuffix("40000000") == true)
        let records = try await trace(octets, "--json").records()
        #expect(records.map { $0["bytes"] } == [.null, .string("011a201240000000")])
    }

    @Test func `damage is reported with its place, and the good records are printed`() async throws {
        let whole = CaptureSample.phone
        let cut = try await trace(Array(whole.dropLast(3)))
        #expect(cut.status == 65)
        #expect(cut.stdout.split(separator: "\n").count == 10)
        let offset = whole.count - 24 - 7
        #expect(
            cut.stderr
                == "blectl: cannot read all of standard input: octet \(offset): packet data: needs 7 octets, 4 left\n"
        )
        let empty = try await trace([])
        #expect(
            empty.status == 65 && empty.stdout.isEmpty
                && empty.stderr == """
                    blectl: standard input is empty
                    hint: a capture comes from 'blectl --capture FILE COMMAND', or from 'btmon -w FILE'

                    """
        )
        for text in ["pcap!", "a longer text that is no capture either"] {
            let run = try await trace(Array(text.utf8))
            #expect(run.status == 65 && run.stdout.isEmpty)
            #expect(
                run.stderr == """
                    blectl: standard input is not a capture
                    hint: a capture comes from 'blectl --capture FILE COMMAND', or from 'btmon -w FILE'

                    """
            )
        }
        let other = try await trace(CaptureSample.file(1_003, [(0, "00")]))
        #expect(other.status == 65 && other.stdout.isEmpty && !other.stderr.isEmpty, "\(other.stderr)")
        #expect(try await Blectl.run(["trace", "/nowhere/run.btsnoop"]).status == 66)
    }

    @Test func `malformed packets are shown, and lost ones are reported`() async throws {
        var octets = CaptureSample.file(
            1_002,
            [(3, "04 0e 09 01"), (1, "02 4020 0500 0100 0400 0a"), (1, "02 4010 0100 aa"), (3, "")]
        )
        octets += BTSnoopRecord([0x04, 0x10], originalLength: 4, flags: 3, cumulativeDrops: 7, at: .unixEpoch).encoded()
        let run = try await trace(octets)
        #expect(run.status == 0)
        let lines = run.stdout.split(separator: "\n").map { $0.dropFirst(42) }
        #expect(lines.count == 5)
        #expect(lines.first?.hasPrefix("hci malformed (event parameters: needs 9 octets, 1 left)") == true)
        #expect(lines.dropFirst().first?.hasPrefix("att 0x0040 malformed Read Request 0a") == true)
        #expect(lines.dropFirst(2).first == "acl 0x0040 part of a frame whose beginning is missing")
        #expect(lines.last?.hasSuffix("(2 octets not captured)") == true)
        #expect(run.stderr == "blectl: 7 packets lost before packet 5\n")
    }

    @Test func `a name that nobody has on standard input chooses nothing`() async throws {
        let run = try await trace(CaptureSample.phone, "-d 'Pulse HR'")
        #expect(run.status == 0 && run.stdout.isEmpty, "\(run.stderr)")
    }
}
