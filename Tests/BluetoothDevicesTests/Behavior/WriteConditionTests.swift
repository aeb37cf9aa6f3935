// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Conditions of writes")
struct WriteConditionTests {
    private func isMet(_ condition: WriteCondition, _ hex: String) -> Bool {
        WriteRule([condition], []).applies(to: octets(hex))
    }

    @Test func `equal values, beginnings and lengths`() {
        #expect(isMet(.equals([1, 2]), "0102"))
        #expect(!isMet(.equals([1, 2]), "010203"))
        #expect(isMet(.starts([1]), "0102"))
        #expect(isMet(.starts([]), ""))
        #expect(!isMet(.starts([1, 2]), "01"))
        #expect(isMet(.length(1...2), "0102"))
        #expect(!isMet(.length(1...2), ""))
    }

    @Test func `numbers in a format`() throws {
        let seconds = WriteCondition.number(1...3_600, try ValueFormat("u16"))
        #expect(isMet(seconds, "0100"))
        #expect(isMet(seconds, "100e"))
        #expect(!isMet(seconds, "110e"))
        #expect(!isMet(seconds, "0000"))
        #expect(!isMet(seconds, "01"))
        #expect(!isMet(seconds, "01000100"))
        #expect(!isMet(seconds, ""))
        #expect(isMet(.number(-2...(-1), try ValueFormat("s8")), "ff"))
        #expect(!isMet(.number(0...10, try ValueFormat("f32")), "0000c03f"))
        #expect(!isMet(.number(0...Int64.max, try ValueFormat("u64")), "ffffffffffffffff"))
    }

    @Test func `bits of a mask`() {
        let condition = WriteCondition.bits(mask: [0x80, 0x00], value: [0x80, 0xFF])
        #expect(isMet(condition, "81aa"))
        #expect(!isMet(condition, "01aa"))
        #expect(!isMet(condition, "80"))
        #expect(!isMet(condition, "808080"))
        #expect(!isMet(.bits(mask: [0x80], value: []), "80"))
    }

    @Test func `the opposite, and several at once`() {
        #expect(isMet(.not(.equals([1])), "02"))
        #expect(!isMet(.not(.not(.equals([1]))), "02"))
        let both = WriteRule([.length(2...2), .starts([1])], [])
        #expect(both.applies(to: [1, 9]))
        #expect(!both.applies(to: [1]))
        #expect(!both.applies(to: [2, 9]))
        #expect(WriteRule([], []).applies(to: [7]))
    }
}
