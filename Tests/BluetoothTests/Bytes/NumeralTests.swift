// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Numerals")
struct NumeralTests {
    @Test(
        "digits are decimal, and hexadecimal after a prefix",
        arguments: [("0", 0), ("65535", 65535), ("0x1F", 31), ("0Xff", 255)]
    )
    func numbers(text: String, number: UInt16) {
        #expect(UInt16(numeral: text) == number)
    }

    @Test("signs are refused", arguments: ["+5", "-0", "-5", "0x+5", "0x-5", "-0x5", "+0x5"])
    func signs(text: String) {
        #expect(UInt16(numeral: text) == nil && Int64(numeral: text) == nil)
        #expect(UInt8(hexDigits: text) == nil)
    }

    @Test(
        "other text is not a number",
        arguments: ["", "0x", "x5", "5 ", " 5", "1_000", "0x1g", "٣", "６", "65536", "0x10000"]
    )
    func others(text: String) {
        #expect(UInt16(numeral: text) == nil)
    }
}
