// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("The octets of a serial port")
struct SerialEncoderTests {
    @Test(
        "lines end as configured",
        arguments: [
            (SerialOptions.Newline.lf, "a\nb\n"), (.crlf, "a\r\nb\r\n"), (.cr, "a\rb\r"), (.none, "ab"),
        ]
    )
    func newline(newline: SerialOptions.Newline, sent: String) {
        var options = SerialOptions()
        options.newline = newline
        var encoder = SerialEncoder(options)
        let first = encoder.encode(Array("a\nb".utf8)).octets
        #expect(first + encoder.encode(Array("\n".utf8)).octets + encoder.finish().octets == Array(sent.utf8))
    }

    @Test("a line of hex is sent when it is complete, and a wrong one is reported")
    func hex() {
        var options = SerialOptions()
        options.isHex = true
        var encoder = SerialEncoder(options)
        #expect(encoder.encode(Array("00 f".utf8)).octets == [])
        #expect(encoder.encode(Array("f\r\n01:0".utf8)).octets == [0x00, 0xFF])
        let (octets, problems) = encoder.encode(Array("2\nxyz\n\n0A".utf8))
        #expect(octets == [0x01, 0x02])
        #expect(problems == [HexLines.Problem(line: "xyz")])
        #expect(encoder.finish().octets == [0x0A])
        #expect(encoder.finish().octets == [])
    }

    @Test("the digits of a group may follow 0x, and are then whole octets")
    func prefix() {
        var options = SerialOptions()
        options.isHex = true
        var encoder = SerialEncoder(options)
        #expect(encoder.encode(Array("0x43 0X44\n0x4142:ff\n".utf8)).octets == [0x43, 0x44, 0x41, 0x42, 0xFF])
        let (octets, problems) = encoder.encode(Array("0x1 0x2\n0x\n00 0x\n1 2\n".utf8))
        #expect(octets == [0x12])
        #expect(problems == ["0x1 0x2", "0x", "00 0x"].map { HexLines.Problem(line: $0) })
    }

    @Test("lines that are not sent are counted, with the reason of the first")
    func unsent() {
        let lines = UnsentLines()
        #expect(lines.failure(doing: "send") == nil)
        lines.add("it is not octets in hex")
        let one = "cannot send: a line of the input was not sent, because it is not octets in hex"
        #expect(lines.failure(doing: "send")?.message == one)
        lines.add("the line is too long")
        let two = "cannot send: 2 lines of the input were not sent, the first one because it is not octets in hex"
        #expect(lines.failure(doing: "send")?.message == two && lines.failure(doing: "send")?.status == .badData)
    }

    @Test("a line of hex beyond the limit is reported, and no part of it is sent")
    func tooLong() {
        var options = SerialOptions()
        options.isHex = true
        var encoder = SerialEncoder(options)
        let longest = [UInt8](repeating: UInt8(ascii: "0"), count: HexLines.lineLimit)
        #expect(encoder.encode(longest + Array("\n".utf8)).octets.count == HexLines.lineLimit / 2)
        #expect(encoder.encode(longest).octets == [])
        let (octets, problems) = encoder.encode(Array("00\n0102\n".utf8))
        #expect(octets == [0x01, 0x02])
        #expect(problems == [HexLines.Problem(line: String(repeating: "0", count: 64), isTooLong: true)])
        #expect(problems.first?.message.hasPrefix("not sent, because the line has more than 196608 characters") == true)
    }

    @Test(
        "the command of a key",
        arguments: [
            ("true", nil, ["true"]), ("left=echo 'a b'", "left", ["echo", "a b"]), ("button=true", "button", ["true"]),
            ("env A=b", nil, ["env", "A=b"]), ("A=b", nil, ["A=b"]),
        ] as [(String, String?, [String])]
    )
    func keyHook(text: String, key: String?, words: [String]) throws {
        let hook = try KeyHook(text)
        #expect(hook.key == key)
        #expect(hook.words == words)
    }

    @Test("a key without a command is refused", arguments: ["", "left=", "left=''", "'"])
    func noCommand(text: String) {
        #expect(throws: ValueProblem.self) { try KeyHook(text) }
    }

    @Test("received text is escaped, except for line ends, and joined")
    func decoder() {
        var decoder = SerialDecoder()
        #expect(decoder.text(of: Array("OK\r".utf8)) == "OK\n")
        #expect(decoder.text(of: Array("\nA\tB\r\rC\n\n".utf8)) == "A\tB\n\nC\n\n")
        #expect(decoder.isAtLineStart)
        #expect(decoder.text(of: [0xE2, 0x82]) == "")
        #expect(decoder.text(of: [0xAC, 0x1B, 0x5B, 0x32, 0x4A]) == "€\\u{1B}[2J")
        #expect(!decoder.isAtLineStart)
        #expect(decoder.text(of: [0xFF, 0x41, 0xF0, 0x9F]) == "\u{FFFD}A")
        #expect(decoder.finish() == "\u{FFFD}")
        #expect(decoder.finish() == "")
    }
}
