// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Captures
@testable import Toolkit

@Suite("L2CAPReassembler")
struct L2CAPReassemblerTests {
    private func octets(_ hex: String) -> [UInt8] { Hex.bytes(hex.filter { $0 != " " }) ?? [] }

    private func packet(_ hex: String, flags: UInt8) -> HCIACLPacket {
        HCIACLPacket(0x0040, flags: flags, data: octets(hex))
    }

    @Test("parts become a frame, wherever they were cut")
    func parts() {
        let whole = octets("05 00 04 00 1b 03 00 aa bb")
        for cut in 1..<whole.count {
            var reassembler = L2CAPReassembler()
            let first = reassembler.append(HCIACLPacket(0x0040, flags: 0b10, data: Array(whole[..<cut])))
            #expect(first == .part(received: cut, total: cut < 2 ? nil : 9))
            let last = reassembler.append(HCIACLPacket(0x0040, flags: 0b01, data: Array(whole[cut...])))
            #expect(last == .frame(L2CAPFrame(.att, octets("1b 03 00 aa bb"))))
        }
    }

    @Test("a continuation without a beginning, a beginning without an end, and surplus octets")
    func broken() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.append(packet("aabb", flags: 0b01)) == .stray)
        #expect(reassembler.append(packet("0300 0400 0a", flags: 0b00)) == .part(received: 5, total: 7))
        #expect(reassembler.append(packet("0100 0400 13", flags: 0b00)) == .frame(L2CAPFrame(.att, [0x13])))
        #expect(reassembler.abandonedCount == 1)
        #expect(reassembler.append(packet("0100 0400 13 14", flags: 0b10)) == .tooLong(received: 6, total: 5))
        #expect(reassembler.append(packet("00", flags: 0b01)) == .stray)
        #expect(reassembler.append(packet("", flags: 0b10)) == .part(received: 0, total: nil))
    }
}
