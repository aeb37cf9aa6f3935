// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import Records
@testable import Terminal

/// A result with a text.
private struct Labelled: CommandResult {
    static let record = RecordKind<Self>("test", "a test") { RecordField("text", .string, "the text") { $0.label } }

    let label: String
    let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)

    var recordKind: RecordKind<Self> { Self.record }
    func text(_ style: TextStyle) -> String? { nil }
}

@Suite("Output")
struct OutputTests {
    private func line(_ text: String) throws -> String {
        String(decoding: Output.line(of: Labelled(label: text)), as: UTF8.self)
    }

    private func text(in line: String) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return (object as? [String: Any])?["text"] as? String
    }

    @Test(
        "a record has no character that a terminal obeys or that misleads a reader, and keeps its meaning",
        arguments: [
            ("\u{9B}31m", "\\u009b31m"), ("\u{7F}", "\\u007f"), ("a\u{202E}b", "a\\u202eb"),
            ("\u{E0001}", "\\udb40\\udc01"), ("\u{1B}[2J", "\\u001b[2J"), ("\u{2028}", "\\u2028"),
        ]
    )
    func escapes(raw: String, escaped: String) throws {
        let line = try line(raw)
        #expect(line.contains("\"\(escaped)\""), "\(line)")
        #expect(try text(in: line) == raw)
    }

    @Test("letters of all scripts are unchanged", arguments: ["Grüße", "温度", "😀", "\\ \" /"])
    func keeps(raw: String) throws {
        let line = try line(raw)
        #expect(line.unicodeScalars.allSatisfy { $0.isASCII } || line.contains(raw))
        #expect(try text(in: line) == raw)
    }
}
