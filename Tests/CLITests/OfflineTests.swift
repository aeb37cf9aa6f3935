// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Values and numbers without a device", .startsPrograms())
struct OfflineTests {
    /// A command line with what it prints.
    struct Line: Sendable, CustomTestStringConvertible {
        let command: [String]
        let stdout: String
        let stderr: String
        let status: Int32

        init(_ command: String..., is stdout: String, _ stderr: String = "", status: Int32 = 0) {
            self.command = command
            self.stdout = stdout
            self.stderr = stderr
            self.status = status
        }

        var testDescription: String { command.joined(separator: " ") }
    }

    @Test(arguments: [
        Line("decode", "heart-rate-measurement", "16480e03", is: "72 bpm, contact, rr 764 ms\n"),
        Line("decode", "0x2A6E", "0d0a", "f6 ff", is: "25.73 °C\n-0.1 °C\n"),
        Line("decode", "battery/battery-level", "u8:50", is: "50 %\n"),
        Line("decode", "battery-level", "320a", is: "50 %, 1 octet more than expected\n"),
        Line(
            "decode",
            "heart-rate-measurement",
            "16480e",
            "0648",
            is: """
                72 bpm, contact, cut off at rr intervals (needs 2 octets, 1 is left): 0x16480e
                72 bpm, contact

                """,
            """
            blectl: cannot decode heart-rate-measurement: cut off at rr intervals (needs 2 octets, 1 is left)

            """,
            status: 65
        ),
        Line(
            "decode",
            "humidity",
            "60ea",
            is: "600 % (out of range)\n",
            "blectl: cannot decode humidity: humidity: 600 is not between 0 and 100\n",
            status: 65
        ),
        Line("decode", "cccd", "0100", is: "notifications\n"),
        Line("encode", "cccd", "notifications,indications", is: "0300\n"),
        Line("encode", "cpf", "format=sint16", "exponent=-2", "unit=0x272F", is: "0efe2f27010000\n"),
        Line("encode", "heart-rate-measurement", "heart-rate=72", "rr_intervals_ms[0]=800", is: "10483303\n"),
        Line("decode", "battery-level/cud", "text:Left", is: "Left\n"),
        Line("encode", "heart-rate-measurement", "heart-rate=72", "contact=true", is: "0648\n"),
        Line("encode", "alert-level", "high", is: "02\n"),
        // A format before a colon means the same as for `write`.
        Line("encode", "model-number-string", "text:hello", is: "68656c6c6f\n"),
        Line("encode", "model-number-string", "u8:1", is: "01\n"),
        Line("encode", "model-number-string", "a:b", is: "613a62\n"),
        Line("encode", "model-number-string", "text:u8:1", is: "75383a31\n"),
        Line("encode", "battery-level", "10", is: "0a\n"),
        Line("encode", "0x2A08", "2026-11-22T10:00:00", is: "ea070b160a0000\n"),
        Line(
            "encode",
            "battery-level",
            "101",
            is: "",
            """
            blectl: cannot encode battery-level: battery_level_percent: 101 is not between 0 and 100
            hint: its fields: blectl lookup battery-level

            """,
            status: 65
        ),
        Line(
            "decode",
            "0x1234",
            "00",
            is: "",
            """
            blectl: cannot decode 0x1234: the format of its values is not known
            hint: --formats FILE describes private characteristics: man blectl-formats

            """,
            status: 65
        ),
        Line(
            "lookup",
            "0x2A37",
            is: """
                characteristic  0x2A37  Heart Rate Measurement
                  in the service Heart Rate (0x180D)
                  heart_rate_bpm      0 to 65535 bpm
                  contact             true or false; may be missing
                  energy_expended_kj  0 to 65535 kJ; may be missing
                  rr_intervals_ms     a list of 0 to 63999.0234375 ms, in steps of 0.9765625; may be missing

                """
        ),
        Line("lookup", "--kind", "company", "0x004c", is: "company         0x004C  Apple, Inc.\n"),
        Line(
            "lookup",
            "--kind",
            "unit",
            "0x2728",
            is: "unit            0x2728  electric potential difference (volt)  V\n"
        ),
        Line(
            "lookup",
            "batery",
            "level",
            is: "",
            """
            blectl: there is no assigned number or name 'batery level'
            hint: did you mean 'battery-level' or 'alert-level'?

            """,
            status: 68
        ),
    ])
    func `a command line prints the expected text`(_ line: Line) async throws {
        let run = try await Blectl.run(line.command)
        #expect(run.stdout == line.stdout)
        #expect(run.stderr == line.stderr)
        #expect(run.status == line.status)
    }

    @Test func `values are read from standard input, one in each line`() async throws {
        let run = try await Blectl.run(
            ["decode", "battery-level", "--lines", "-"],
            input: Array("64\n\r\n 32\n0x0a".utf8)
        )
        #expect(run.stdout == "100 %\n50 %\n10 %\n")
        #expect(run.status == 0)
        let faulty = try await Blectl.run(["decode", "battery-level", "--lines", "-"], input: Array("64\nzz\n".utf8))
        #expect(faulty.stdout == "100 %\n")
        #expect(faulty.stderr.contains("cannot decode line 2: 'zz' is not a value"))
        #expect(faulty.status == 65)
    }

    @Test func `encode takes the JSON that decode prints`() async throws {
        let decoded = try await Blectl.run(["decode", "heart-rate-measurement", "16480e03", "--json"]).records()
        let content = try #require(decoded.first?["decoded"])
        let json = String(decoding: try JSONEncoder().encode(content), as: UTF8.self)
        let run = try await Blectl.run(["encode", "0x2A37", json])
        #expect(run.stdout == "16480e03\n")
        let broken = try await Blectl.run(["encode", "0x2A37", "{"])
        #expect(broken.status == 65)
        #expect(broken.stderr.contains("line 1, column 2"))
    }

    @Test func `write takes names and fields of values`() async throws {
        for words in [
            "heart-rate-control-point reset-energy-expended", "heart-rate-control-point 'reset energy expended'",
        ] {
            let run = try await Blectl.simulate("write \(words) -d 'Pulse HR' -v")
            #expect(run.status == 0, "\(run.stderr)")
            #expect(Trace(run.stderr).writes.first?.value == "01")
        }
        let wrong = try await Blectl.simulate("write heart-rate-control-point reset-all -d 'Pulse HR'")
        #expect(wrong.status == 65)
        #expect(wrong.stderr.contains("'reset-all' is not one of 'reset energy expended', or a number"))
        let several = try await Blectl.simulate("write heart-rate-control-point 01 02 -d 'Pulse HR'")
        #expect(several.status == 65)
    }
}
