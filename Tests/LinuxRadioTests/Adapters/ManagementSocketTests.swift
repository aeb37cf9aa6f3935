// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Adapters that the management interface lists")
struct ManagementSocketTests {
    private let reply: [UInt8] = [
        0x01, 0x00, 0xFF, 0xFF, 0x09, 0x00, 0x03, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x00,
    ]

    @Test("The list is read")
    func list() {
        #expect(ManagementSocket.indices(in: reply) == [0, 3])
        #expect(ManagementSocket.indices(in: reply.prefix(9) + [0x00, 0x00]) == [])
    }

    @Test("A reply that is cut, refused, or another event's is no list")
    func others() {
        for count in 0..<reply.count { #expect(ManagementSocket.indices(in: Array(reply.prefix(count))) == nil) }
        #expect(ManagementSocket.indices(in: [0x04] + reply.dropFirst()) == nil)
        #expect(ManagementSocket.indices(in: reply.prefix(8) + [0x14] + reply.dropFirst(9)) == nil)
    }
}
