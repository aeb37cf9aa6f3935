// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let sources = tests.appending(path: "../../../Sources").standardized

    /// The blocks of Swift code in a text.
    private static func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```swift") {
                block = []
            } else if line.hasPrefix("```"), let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// A text without the indentation of its lines, because an article shows members without their type.
    private static func flat(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    @Test(
        "all code of an article is in the file that is compiled",
        arguments: [
            ("BluetoothTesting", "TestWithoutARadio"), ("BluetoothTesting", "BeAPeripheral"),
            ("BluetoothHost", "YourOwnDevice"),
        ]
    )
    func code(module: String, article: String) throws {
        let catalogue = Self.sources.appending(path: "\(module)/\(module).docc")
        let text = try String(contentsOf: catalogue.appending(path: "\(article).md"), encoding: .utf8)
        let source = try String(contentsOf: Self.tests.appending(path: "\(article).swift"), encoding: .utf8)
        let blocks = Self.blocks(of: text)
        #expect(blocks.count >= 3)
        for block in blocks {
            #expect(Self.flat(source).contains(Self.flat(block)), "\(article) has code that is not compiled:\n\(block)")
        }
    }

    @Test("code that is not in the file is reported")
    func difference() {
        let blocks = Self.blocks(of: "a\n```swift\nlet a = 1\n\nlet b = 2\n```\nb\n```\nnot Swift\n```\n")
        #expect(blocks == ["let a = 1\n\nlet b = 2"])
        #expect(Self.flat("    let a = 1\n").contains(Self.flat("let a = 1")))
        #expect(!Self.flat("    let a = 1\n").contains(Self.flat("let a = 2")))
    }
}
