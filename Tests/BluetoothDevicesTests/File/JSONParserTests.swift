// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("The JSON of device files")
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONNode.Content { try JSONParser.parse(Array(text.utf8)).content }

    private func error(_ text: String) -> JSONSyntaxError? {
        do {
            _ = try JSONParser.parse(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `additions of JSON5 are accepted`() throws {
        let text = """
            // a comment
            {
              plain: [1, +2, .5, 0x10, -0x01,], /* another
              comment */ 'single': "a\\u00e9\\ud83d\\ude00\\n\\
            b",
            }
            """
        let root = JSONCursor(node: try JSONParser.parse(Array(text.utf8)), path: .root)
        #expect(root["plain"]?.elements?.compactMap(\.number?.description) == ["1", "2", "0.5", "16", "-1"])
        #expect(root["single"]?.string == "aé😀\nb")
        #expect(root["plain"]?.line == 3)
        #expect(root["single"]?.line == 4)
    }

    @Test func `numbers keep their digits`() throws {
        #expect(try parse("12345678901234567890.125") == .number(DecimalNumber("12345678901234567890.125") ?? .zero))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let message: String
        var testDescription: String { text }
    }

    @Test(
        arguments: [
            Fault(text: "{\"a\": 1\n \"b\": 2}", line: 2, column: 2, message: "expected ',' or '}', found '\"'"),
            Fault(text: "[1, é]", line: 1, column: 5, message: "expected a value, found 'é'"),
            Fault(text: "[\"é\", x]", line: 1, column: 7, message: "'x' is not a value; a text stands in quotes"),
            Fault(text: "[1", line: 1, column: 3, message: "the file ends where ',' or ']' is expected"),
            Fault(text: "\"a", line: 1, column: 1, message: "the text has no end"),
            Fault(text: "/* a", line: 1, column: 1, message: "the comment has no end"),
            Fault(text: "{} {}", line: 1, column: 4, message: "expected the end of the file, found '{'"),
            Fault(
                text: "[0102]",
                line: 1,
                column: 2,
                message: "a number does not begin with 0; hex digits stand in quotes"
            ),
            Fault(text: "[1e9999]", line: 1, column: 2, message: "'1e9999' is not a number, or has too many digits"),
            Fault(
                text: "\"\\x41\"",
                line: 1,
                column: 2,
                message: "a backslash stands before one of \" ' \\ / b f n r t u"
            ),
            Fault(
                text: "[\"a\\ud800b\"]",
                line: 1,
                column: 4,
                message: "\\u is half of a pair, and the other half is missing"
            ),
            Fault(
                text: "\"\\ud83d\\ud83d\\ude00\"",
                line: 1,
                column: 2,
                message: "\\u is half of a pair, and the other half is missing"
            ),
            Fault(
                text: "\"\\udc00\"",
                line: 1,
                column: 2,
                message: "\\u is half of a pair, and the other half is missing"
            ),
            Fault(
                text: "\"a\nb\"",
                line: 1,
                column: 1,
                message: "a text ends on the line on which it begins; write \\n for a new line"
            ),
            Fault(text: "", line: 1, column: 1, message: "the file ends where a value is expected"),
        ]
    )
    func `a fault has its line and column`(_ fault: Fault) {
        #expect(error(fault.text) == JSONSyntaxError(line: fault.line, column: fault.column, message: fault.message))
    }

    @Test func `the depth is limited, so that a file cannot exhaust the stack`() throws {
        let deepest = JSONParser.maximumDepth
        _ = try parse(String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest))
        #expect(
            error(String(repeating: "[", count: 1_000_000))?.message
                == "more than 64 lists and objects are inside of each other"
        )
    }

    @Test func `octets that are not text are refused`() {
        #expect(throws: JSONSyntaxError(line: 1, column: 1, message: "the file is not text in UTF-8")) {
            try JSONParser.parse([0x22, 0xFF, 0x22])
        }
    }
}
