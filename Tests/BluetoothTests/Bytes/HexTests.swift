// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Hexadecimal text")
struct HexTests {
    @Test("octets become two lower-case digits each")
    func octetsToText() {
        #expect(Hex.string([0x00, 0x0A, 0xB1, 0xFF]) == "000ab1ff")
        #expect(Hex.string([UInt8]()) == "")
        #expect(Hex.string([1, 2, 3, 4][1...2]) == "0203")
    }

    @Test("numbers become upper-case digits, padded with zeros")
    func numbers() {
        #expect(Hex.string(0x18 as UInt16, minimumDigits: 4) == "0018")
        #expect(Hex.string(0xBEEF as UInt16, minimumDigits: 2) == "BEEF")
        #expect(Hex.string(0 as UInt8, minimumDigits: 0) == "0")
        #expect(Hex.string(UInt64.max, minimumDigits: 4) == "FFFFFFFFFFFFFFFF")
    }

    @Test("text of either case becomes octets")
    func textToOctets() {
        #expect(Hex.bytes("000ab1FF") == [0x00, 0x0A, 0xB1, 0xFF])
        #expect(Hex.bytes("") == [])
        #expect(Hex.bytes("x0102".dropFirst()) == [0x01, 0x02])
    }

    @Test("anything else is refused", arguments: ["0", "0g", "0x01", " 01", "01 ", "a:", "é", "０１", "-1", "+1"])
    func refused(_ text: String) {
        #expect(Hex.bytes(text) == nil)
    }

    @Test("all octets survive encoding and decoding")
    func roundTrip() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        #expect(Hex.bytes(Hex.string(all)) == all)
        #expect(Hex.bytes(Hex.string(all).uppercased()) == all)
    }
}
