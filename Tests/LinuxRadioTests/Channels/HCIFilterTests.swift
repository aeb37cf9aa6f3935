// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Filter of a raw HCI socket")
struct HCIFilterTests {
    @Test func `an observer of links gets their data and no events`() {
        #expect(HCIFilter.dataOfLinks.types == 1 << 2 && HCIFilter.dataOfLinks.events == 0)
    }

    @Test("A host sees the commands of others, and the events that it wants")
    func host() {
        #expect(HCIFilter.host.types == 1 << 1 | 1 << 4)
        let codes: [UInt64] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x30, 0x3E]
        #expect(HCIFilter.host.events == codes.reduce(0) { $0 | 1 << $1 })
    }

    @Test("Filters of queries pass the kernel's mask for users without the capability")
    func answers() {
        // hci_sec_filter, net/bluetooth/hci_sock.c
        let allowed: UInt64 = 0x0000_B00C_1000_D9FE
        #expect(HCIFilter.answers.types == 1 << 4)
        #expect(HCIFilter.answers.events & ~allowed == 0)
        #expect(HCIFilter.host.events & ~allowed != 0)
    }

    @Test("Codes above 63 share a bit with their remainder, as the kernel has it")
    func wraps() {
        #expect(HCIFilter.adapters.events == 1 << (0xFD & 0x3F))
    }
}
