// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Scripting
@testable import Terminal

/// A value whose format is known or not.
private struct Charge: CommandResult {
    let isKnown: Bool
    let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)

    var recordKind: RecordKind<Self> {
        RecordKind("value", "a value") {
            RecordField("decoded", orNull: .any, "the decoded value") {
                $0.isKnown ? .object(["battery_level_percent": .number(87)]) : nil
            }
        }
    }

    func text(_ style: TextStyle) -> String? { nil }
}

@Suite("Lines by a template")
struct LineFormatTests {
    private func line(_ template: String, _ json: String, for command: CommandName = .read) throws -> String? {
        let outcome = try LineFormat(template, for: command).line(try JSONValue(json: Array(json.utf8)))
        if case .line(let line) = outcome { return line }
        return nil
    }

    private static let value = #"""
        {"decoded":{"heart_rate_bpm":66,"rr_ms":[908,900],"deep":[{"a":1}]},"device":{"address":null,"name":"A\tB\u001b"},\#
        "handle":24,"length":2,"service":null,"text":"66 bpm, \"so\"","type":"value","value":"0642"}

        """#

    @Test("a key stands for its value, a dot leads into objects, a number into arrays")
    func values() throws {
        for (template, expected) in [
            ("{value}", "0642"), ("{handle} {text}", "24 66 bpm, \"so\""), ("{decoded.heart_rate_bpm}", "66"),
            ("{decoded.heart_rate}", "66"), ("{decoded.rr}", "908,900"), ("{decoded.rr.1}", "900"),
            ("{decoded.deep}", #"[{"a":1}]"#), ("{decoded.rr.7}", ""), ("{decoded.rr.7|-}", "-"),
            ("{decoded.none|}", ""),
            ("{device.name}", #"A\tB\u{1B}"#), ("{device.address}", ""), ("{device.address|no|ne}", "no|ne"),
            ("{{{value}}}", "{0642}"), (#"\t\n\r\\{value}"#, "\t\n\r\\0642"), ("{message|fine}", "fine"),
        ] {
            #expect(try line(template, Self.value) == expected, "\(template)")
        }
    }

    @Test("a kind of record that lacks a key has no line")
    func kinds() throws {
        let error = #"{"message":"cannot","status":76,"type":"error"}"#
        #expect(try line("{value}", error) == nil)
        #expect(try line("{value|} {message|}", error) == " cannot")
        #expect(try line("{message}", Self.value) == nil)
        #expect(try line("{rssi}", #"{"rssi_dbm":-58,"type":"advertisement"}"#, for: .scan) == "-58")
    }

    @Test("a value that lacks a key has no line, and one with an absent optional field has")
    func fields() throws {
        func outcome(_ template: String, _ json: String) throws -> LineFormat.Outcome {
            try LineFormat(template, for: .read).line(try JSONValue(json: Array(json.utf8)))
        }
        for key in ["decoded.none", "decoded.heart_rate.x", "decoded.rr.x", "decoded.deep.0.b"] {
            #expect(try outcome("{text}{\(key)}", Self.value) == .lacking(key))
            #expect(try outcome("{text}{\(key)|}", Self.value) == .line("66 bpm, \"so\""))
        }
        let unknown = #"{"decoded":null,"type":"value"}"#
        #expect(try outcome("{decoded.x}", unknown) == .lacking("decoded.x"))
        #expect(try outcome("x{decoded}", unknown) == .line("x"))
        let absent = #"{"decoded":{"energy_j":null,"place":null},"type":"value"}"#
        #expect(try outcome("{decoded.energy},{decoded.place.x}", absent) == .line(","))
        #expect(try outcome("{decoded.x}", #"{"type":"error"}"#) == .none)
    }

    @Test("at the end it is known that no record had a key")
    func lacked() throws {
        let format = try LineFormat("{decoded.battery_level}", for: .read)
        let cases: [([Bool], String?)] = [([false], "decoded.battery_level"), ([false, true], nil), ([], nil)]
        for (records, key) in cases {
            let output = Output(MessageSink(), isJSON: false, format: format, style: .plain)
            for isKnown in records { try output.put(Charge(isKnown: isKnown)) }
            #expect(output.lackedKey == key)
        }
    }

    @Test(
        "a template without a meaning is refused",
        arguments: ["", "x", "{", "{}", "{a", "{.a}", #"\x{value}"#, #"{value}\"#]
    )
    func refused(template: String) {
        #expect(throws: ValueProblem.self) { try LineFormat(template) }
    }

    @Test("the unit of a fractional number is optional as well")
    func fractions() throws {
        let link = #"{"interval_ms":48.75,"type":"link"}"#
        #expect(try line("{interval}", link, for: .link) == "48.75")
        let bench = #"{"duration_ms":12.5,"rate_per_s":80.5,"throughput_kbps":1.25,"type":"bench"}"#
        #expect(try line("{duration} {rate} {throughput}", bench, for: .bench) == "12.5 80.5 1.25")
    }
}
