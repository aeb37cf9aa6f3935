// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import BlectlKit

/// A result with a given record.
private struct Tree: RecordedResult {
    let record: Record
    func text(_ style: TextStyle) -> String? { nil }
}

@Suite("Output")
struct OutputTests {
    private func line(_ text: String) throws -> String {
        let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        let result = Tree(record: Record("test", at: timestamp, ["text": .string(text)]))
        return String(decoding: Output.line(of: result), as: UTF8.self)
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
