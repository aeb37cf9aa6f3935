// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

@Suite("Hints and what they say of another try")
struct HintTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources").standardized

    @Test("no text begins with a command and continues in prose, because it cannot be typed")
    func typed() throws {
        let files = FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil)
        var seen = 0
        while let file = files?.nextObject() as? URL {
            // The help has sentences, and no hints.
            guard file.pathExtension == "swift", !file.path.contains("/Help/"), !file.path.contains("/Manual/") else {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            // Most files have none, and an expression takes long for each of their lines.
            guard strstr(text, #""blectl "#) != nil else { continue }
            for line in text.split(separator: "\n") {
                guard let found = line.firstMatch(of: /"blectl [^"]*"/) else { continue }
                let words = found.output.dropLast().split(separator: " ").map(String.init)
                guard words.count > 1, words[1].hasPrefix("--") || CommandSet.all.table.name(words[1]) != nil else {
                    continue
                }
                seen += 1
                for word in ["and", "shows", "explains", "looks", "needs", "runs"] {
                    #expect(!words.contains(word), "\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(seen > 30)
    }

    @Test("a word of a hint is quoted if a shell would interpret it")
    func words() {
        #expect(Prose.word("pulse-strap") == "pulse-strap")
        #expect(Prose.word("/tmp/w_1.json") == "/tmp/w_1.json")
        #expect(Prose.word("C8:4B:1D:3A:90:5E") == "C8:4B:1D:3A:90:5E")
        #expect(Prose.word("Pulse HR") == "'Pulse HR'")
        #expect(Prose.word("it's") == #"'it'\''s'"#)
        #expect(Prose.word("$HOME") == "'$HOME'")
        #expect(Prose.word("Größe") == "'Größe'")
        #expect(Prose.word("") == "''")
    }

    @Test("a status that allows a retry does not, if the command would end in the same way")
    func retries() {
        let error = BlectlError(.timedOut, cannot: "read", "it is over")
        #expect(error.isRetryable && !error.withoutRetry().isRetryable)
        #expect(!error.withoutRetry().with(hint: "x").adding("y").about("read").isRetryable)
        #expect(!BlectlError(.badData, "x").isRetryable)
        let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        let record = Output.line(of: ErrorResult(error: error.withoutRetry(), timestamp: timestamp))
        #expect(String(decoding: record, as: UTF8.self).contains(#""retryable":false"#))
    }
}
