// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Adapters that the management interface lists")
struct ManagedIndicesTests {
    private let reply: [UInt8] = [
        0x01, 0x00, 0xFF, 0xFF, 0x09, 0x00, 0x03, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x00,
    ]

    @Test("The list is read")
    func list() {
        #expect(ManagedIndices.indices(in: reply) == [0, 3])
        let none: [UInt8] = [0x01, 0x00, 0xFF, 0xFF, 0x05, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00]
        #expect(ManagedIndices.indices(in: none) == [])
    }

    @Test("A reply that is truncated, refused or of another event gives no list")
    func others() {
        for count in 0..<reply.count { #expect(ManagedIndices.indices(in: Array(reply.prefix(count))) == nil) }
        #expect(ManagedIndices.indices(in: [0x04] + reply.dropFirst()) == nil)
        #expect(ManagedIndices.indices(in: reply.prefix(8) + [0x14] + reply.dropFirst(9)) == nil)
    }
}
