// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import LinuxRadio

@Suite("Why a device refuses a channel, in the data of links")
struct ChannelAnswersTests {
    private func packet(_ connection: ConnectionHandle, _ signal: String, flags: UInt8 = 0b10) throws -> [UInt8] {
        let frame = L2CAPFrame(.leSignaling, try #require(Hex.bytes(signal)))
        return HCIPacket.acl(HCIACLPacket(connection, flags: flags, data: frame.encoded())).encoded()
    }

    @Test func `the answer to the request for the service, on the same link with the same identifier`() throws {
        var answers = ChannelAnswers(of: SPSM(0x80))
        let refusal = "15030a0000000000000000000400"
        #expect(answers.take(try packet(0x40, refusal)) == nil, "nothing was asked")
        #expect(answers.take(try packet(0x40, "14030a00810040006400320004", flags: 0)) == nil, "cut")
        #expect(answers.take(try packet(0x40, "14030a0081004000640032000400", flags: 0)) == nil)
        #expect(answers.take(try packet(0x40, refusal)) == nil, "another service")
        #expect(answers.take(try packet(0x40, "14030a0080004000640032000400", flags: 0)) == nil)
        #expect(answers.take(try packet(0x41, refusal)) == nil, "another link")
        #expect(answers.take(try packet(0x40, "15040a0000000000000000000400")) == nil, "another identifier")
        #expect(answers.take(try packet(0x40, "15030a0040006400320004000000")) == nil, "a success")
        #expect(answers.take(try packet(0x40, refusal, flags: 0b01)) == nil, "not the beginning of a frame")
        #expect(answers.take([]) == nil && answers.take([0x02, 0x40]) == nil)
        #expect(answers.take(try packet(0x40, refusal)) == .noResources)
    }
}
