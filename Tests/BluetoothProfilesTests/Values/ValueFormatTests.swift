// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@Suite("Value formats")
struct ValueFormatTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        let format: String
        let bytes: String
        let text: String
        let tree: String

        var testDescription: String { "\(format) \(bytes)" }
    }

    static let readings: [Reading] = [
        Reading(format: "hex", bytes: "01 FF", text: "01ff", tree: #""01ff""#),
        Reading(format: "hex", bytes: "", text: "", tree: #""""#),
        Reading(format: "raw", bytes: "01", text: "01", tree: #""01""#),
        Reading(format: "utf8", bytes: "68 C3 A4 6C", text: "häl", tree: #""häl""#),
        Reading(format: "utf8", bytes: "", text: "", tree: #""""#),
        Reading(format: "utf16", bytes: "68 00 3D D8 00 DE", text: "h😀", tree: #""h😀""#),
        Reading(format: "utf16be", bytes: "00 68", text: "h", tree: #""h""#),
        Reading(format: "u8", bytes: "FF", text: "255", tree: "255"),
        Reading(format: "u8", bytes: "01 02 03", text: "1 2 3", tree: "[1,2,3]"),
        Reading(format: "s8", bytes: "FF", text: "-1", tree: "-1"),
        Reading(format: "u16", bytes: "F4 01", text: "500", tree: "500"),
        Reading(format: "u16le", bytes: "F4 01", text: "500", tree: "500"),
        Reading(format: "u16be", bytes: "01 F4", text: "500", tree: "500"),
        Reading(format: "S16", bytes: "00 80", text: "-32768", tree: "-32768"),
        Reading(format: "u24", bytes: "01 02 03", text: "197121", tree: "197121"),
        Reading(format: "s24be", bytes: "FF FF FE", text: "-2", tree: "-2"),
        Reading(format: "u32", bytes: "FF FF FF FF", text: "4294967295", tree: "4294967295"),
        Reading(format: "i32", bytes: "FE FF FF FF", text: "-2", tree: "-2"),
        Reading(format: "s48", bytes: "00 00 00 00 00 80", text: "-140737488355328", tree: "-140737488355328"),
        Reading(
            format: "u64",
            bytes: "FF FF FF FF FF FF FF FF",
            text: "18446744073709551615",
            tree: "18446744073709551615"
        ),
        Reading(
            format: "s64",
            bytes: "00 00 00 00 00 00 00 80",
            text: "-9223372036854775808",
            tree: "-9223372036854775808"
        ),
        Reading(format: "f32", bytes: "66 66 12 42", text: "36.6", tree: "36.6"),
        Reading(format: "f32be", bytes: "42 12 66 66", text: "36.6", tree: "36.6"),
        Reading(format: "f32", bytes: "00 00 C0 7F", text: "nan", tree: #""nan""#),
        Reading(format: "f32", bytes: "00 00 80 FF", text: "-inf", tree: #""-inf""#),
        Reading(format: "f64", bytes: "9A 99 99 99 99 99 B9 3F", text: "0.1", tree: "0.1"),
        Reading(format: "medfloat32", bytes: "6E 01 00 FF", text: "36.6", tree: "36.6"),
        Reading(format: "sfloat", bytes: "72 F3", text: "88.2", tree: "88.2"),
        Reading(format: "medfloat16be", bytes: "07 FF", text: "not a number", tree: #""not a number""#),
    ]

    @Test("values are read as their format says", arguments: readings)
    func reads(_ reading: Reading) throws {
        let value = try ValueFormat(reading.format).decode(hex(reading.bytes))
        #expect(value.text == reading.text)
        #expect(json(value.content) == reading.tree)
    }

    @Test(
        "a length that the format does not divide is an error",
        arguments: [
            ("u16", "01"), ("u16", "01 02 03"), ("u32", ""), ("f64", "01 02 03 04 05 06 07"), ("s24", "01 02 03 04"),
            ("utf16", "01"), ("medfloat16", "01"), ("u8", ""),
        ] as [(String, String)]
    )
    func wrongLength(format: String, bytes: String) throws {
        let format = try ValueFormat(format)
        let error = #expect(throws: ValueFormatError.self) { try format.decode(hex(bytes)) }
        guard case .wrongLength = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("octets that are not text are an error")
    func notText() throws {
        #expect(throws: ValueFormatError.notText(.utf8)) { try ValueFormat.utf8.decode([0xC3]) }
        #expect(throws: ValueFormatError.self) { try ValueFormat("utf16").decode([0x00, 0xD8]) }
    }

    @Test(
        "unknown formats are refused",
        arguments: ["", "u", "u7", "u8le", "utf8be", "hexle", "be", "le", "u16bebe", "f16", "float"]
    )
    func unknownNames(name: String) {
        #expect(throws: ValueFormatError.unknownFormat(name)) { try ValueFormat(name) }
    }

    @Test("every listed name is a format, and describes itself")
    func names() throws {
        #expect(ValueFormat.names.count == 20)
        for name in ValueFormat.names { #expect(try ValueFormat(name).description == name) }
        #expect(try ValueFormat("u16be").description == "u16be")
        #expect(try ValueFormat("u16LE").description == "u16")
    }

    @Test(
        "values are written as typed",
        arguments: [
            ("0x01ff", "01 FF"), ("01FF", "01 FF"), ("hex:01 ff", "01 FF"), ("01:ff:02", "01 FF 02"), ("", ""),
            ("0x1", "01"), ("0XF", "0F"), ("hex:", ""), ("text:", ""), ("text:hello", "68 65 6C 6C 6F"),
            ("text:a:b", "61 3A 62"),
            ("utf8:ä", "C3 A4"), ("utf16:h😀", "68 00 3D D8 00 DE"), ("utf16be:h", "00 68"), ("u8:255", "FF"),
            ("u16:500", "F4 01"), ("u16be:500", "01 F4"), ("u16:0x1F4", "F4 01"), ("u8:0b101", "05"), ("u8:0o17", "0F"),
            ("u8:1,2,3", "01 02 03"), ("u8:1 2", "01 02"), ("s8:-128", "80"), ("s8:+1", "01"), ("s16:-2", "FE FF"),
            ("s16:-0x2", "FE FF"), ("s24:-1", "FF FF FF"), ("u24be:0x010203", "01 02 03"),
            ("u48:1", "01 00 00 00 00 00"),
            ("u64:18446744073709551615", "FF FF FF FF FF FF FF FF"),
            ("s64:-9223372036854775808", "00 00 00 00 00 00 00 80"), ("f32:36.6", "66 66 12 42"),
            ("f32be:-1", "BF 80 00 00"), ("f64:0.1", "9A 99 99 99 99 99 B9 3F"), ("f32:inf", "00 00 80 7F"),
            ("medfloat32:36.6", "6E 01 00 FF"), ("sfloat:88.2", "72 F3"),
        ] as [(String, String)]
    )
    func writes(text: String, bytes: String) throws {
        #expect(try ValueFormat.encode(text) == hex(bytes))
    }

    @Test(
        "a value that cannot be written has a sentence as its error",
        arguments: [
            ("u8:256", "256 does not fit u8 (0 to 255)"), ("u8:-1", "-1 does not fit u8 (0 to 255)"),
            ("s8:128", "128 does not fit s8 (-128 to 127)"),
            ("s16:-32769", "-32769 does not fit s16 (-32768 to 32767)"),
            ("u64:18446744073709551616", "18446744073709551616 does not fit u64 (0 to 18446744073709551615)"),
            ("u16:", "a number is missing after u16:"), ("u16:x", "'x' is not a number that u16 can hold"),
            ("u16:1.5", "'1.5' is not a number that u16 can hold"),
            ("u8:--1", "'--1' is not a number that u8 can hold"),
            ("u8:-+1", "'-+1' is not a number that u8 can hold"), ("f32:1e39", "1e39 does not fit f32 (up to 3.4e38)"),
            ("f32:x", "'x' is not a number that f32 can hold"),
            ("hex:1", "'1' has an odd number of hex digits: the bytes are written 01, the number u8:1"),
            ("0x123", "'0x123' has an odd number of hex digits: the bytes are written 0x0123"),
            ("hex:1g", "'1g' is not an even number of hex digits"),
            ("sfloat:1e11", "1e11 does not fit medfloat16 (3 digits, up to 2.045e10)"),
            (
                "500",
                "'500' has an odd number of hex digits: the bytes are written 0500, the number u16:500"
            ),
            (
                "hello",
                "'hello' is not a value: write hex digits (0x01ff), text:…, or a format and a number (u16:500)"
            ),
            ("0x", "'0x' is not a value: write hex digits (0x01ff), text:…, or a format and a number (u16:500)"),
        ] as [(String, String)]
    )
    func refuses(text: String, sentence: String) {
        let error = #expect(throws: ValueFormatError.self) { try ValueFormat.encode(text) }
        #expect(error?.description == sentence)
    }

    @Test("an unknown format in front of a colon is named")
    func unknownPrefix() {
        #expect(throws: ValueFormatError.unknownFormat("u17")) { try ValueFormat.encode("u17:5") }
    }

    @Test("values that were read can be written again, for every format")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 42)
        for name in ValueFormat.names where !["utf8", "utf16", "hex", "raw"].contains(name) {
            let isFloat = name.hasPrefix("f")
            for suffix in name.hasSuffix("8") ? [""] : ["", "be"] {
                let format = try ValueFormat(name + suffix)
                for _ in 0..<100 {
                    let bytes = generator.bytes(upTo: 24)
                    guard let value = try? format.decode(bytes) else { continue }
                    guard let again = try? format.encode(value.text) else {
                        // NaN and special values have no spelling that is a number.
                        #expect(isFloat || name.hasPrefix("med"), "\(format) \(value.text)")
                        continue
                    }
                    if name.hasPrefix("med") {
                        #expect(try format.decode(again).text == value.text)
                    } else if !value.text.contains("nan") {
                        #expect(
                            again == bytes || value.text.contains("-0") || value.text == "0",
                            "\(format) \(value.text)"
                        )
                    }
                }
            }
        }
    }

    @Test func `a number that no octets can hold is refused, and infinity is not`() throws {
        #expect(try ValueFormat.encode("f64:inf") == Hex.bytes("000000000000f07f"))
        #expect(try ValueFormat.encode("f32:-infinity") == Hex.bytes("000080ff"))
        #expect(try ValueFormat.encode("f64:1e308") != ValueFormat.encode("f64:inf"))
        for text in ["f64:1e400", "f64:-1e309", "f32:1e400", "f32:3.5e38"] {
            let range = text.hasPrefix("f64") ? "1.8e308" : "3.4e38"
            let error = #expect(throws: ValueFormatError.self, "\(text)") { try ValueFormat.encode(text) }
            #expect(error?.description.hasSuffix("(up to \(range))") == true, "\(text): \(String(describing: error))")
        }
    }

    @Test func `an element of a list that is missing is an error`() throws {
        #expect(try ValueFormat.encode("u8:1, 2 3,4") == [1, 2, 3, 4])
        for text in ["1,,2", ",1", "1,", "1, ,2", ","] {
            let error = #expect(throws: ValueFormatError.self, "\(text)") { try ValueFormat.encode("u8:\(text)") }
            #expect(error?.description == "'\(text)' is not a number that u8 can hold")
        }
    }

    @Test func `signs between octets are refused`() throws {
        #expect(try ValueFormat.encode("") == [] && ValueFormat.encode("hex:") == [])
        for text in ["-", ":", "--", "hex:-", "hex: : "] {
            #expect(throws: ValueFormatError.self, "\(text)") { try ValueFormat.encode(text) }
        }
    }
}
