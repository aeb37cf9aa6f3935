// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Toolkit

@Suite("Presentation of values")
struct ValuePresentationTests {
    private static func text(_ bytes: [UInt8]) -> String {
        ValuePresentation(bytes, ofCharacteristic: 0xFFFF).text
    }

    @Test("octets without a known format are shown with the text that they resemble")
    func looksLikeText() {
        #expect(Self.text(Array("abc".utf8)) == "0x616263  \"abc\"")
        #expect(Self.text(Array("é!".utf8)) == "0xc3a921  \"é!\"")
        #expect(Self.text([]) == "(empty)")
    }

    @Test(
        "octets that are not text, or have control or invisible characters, are shown as octets",
        arguments: [
            [0x61], [0xFF, 0xFE], Array("a\u{1B}[31m".utf8), Array("a\nb".utf8), Array("a\u{202E}b".utf8),
            Array("\u{2800}".utf8), Array("a\u{3164}".utf8), Array("\u{115F}b".utf8), Array("a\u{E000}".utf8),
        ] as [[UInt8]]
    )
    func looksLikeNothing(_ bytes: [UInt8]) {
        #expect(Self.text(bytes) == "0x\(Hex.string(bytes))")
    }

    @Test("a value too short for its known format is not shown as unknown")
    func faulty() {
        #expect(
            ValuePresentation([0x66], ofCharacteristic: 0x2A6E).text
                == "cut off at temperature (needs 2 octets, 1 is left): 0x66"
        )
        #expect(
            ValuePresentation([0x18, 0x48, 0x0C], ofCharacteristic: 0x2A37).text
                == "72 bpm, cut off at energy expended (needs 2 octets, 1 is left): 0x18480c"
        )
        #expect(
            ValuePresentation([], ofCharacteristic: 0x2A19).text
                == "cut off at battery level (needs 1 octet, none is left)"
        )
        #expect(
            ValuePresentation([0x0D], ofDescriptor: 0x2902, under: 0x2A37).text
                == "cut off at configuration (needs 2 octets, 1 is left): 0x0d"
        )
        #expect(ValuePresentation([50, 1], ofCharacteristic: 0x2A19).text == "50 %, 1 octet more than expected")
    }
}
