// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("Commands that another process carries out")
struct SessionReplyTests {
    @Test func `replies and command lines arrive as they were sent`() throws {
        for reply in [SessionReply.begun, .output([1, 2]), .messages([]), .ended(75), .refused] {
            #expect(try SessionReply(decoding: reply.encoded()) == reply)
            #expect(try SessionReply(packet: RemotePacket.data(reply.encoded()).encoded()) == reply)
        }
        let line = SessionCommandLine(
            arguments: ["read", "", "ü"],
            variables: [.init("HOME", "/"), .init("BLECTL_DEVICE", "")]
        )
        #expect(try SessionCommandLine(decoding: line.encoded()) == line)
        let request = try #require(line.request)
        #expect(try RemoteRequest(decoding: request) == .perform(line.encoded()))
    }

    @Test func `every cut and every other kind is refused`() {
        let line = SessionCommandLine(arguments: ["read", "battery-level"], variables: [.init("HOME", "/")]).encoded()
        for length in line.indices {
            #expect(throws: DecodeError.self) { try SessionCommandLine(decoding: Array(line.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try SessionReply(decoding: []) }
        #expect(throws: DecodeError.self) { try SessionReply(decoding: [9]) }
        #expect(throws: RadioError.self) { try SessionReply(packet: RemotePacket.opened.encoded()) }
        let end = RadioError(.linkLost(nil), during: "x")
        #expect(throws: end) { try SessionReply(packet: RemotePacket.ended(end).encoded()) }
    }

    @Test func `a command line that would be cut is not sent`() {
        #expect(SessionCommandLine(arguments: [String(repeating: "x", count: 70_000)], variables: []).request == nil)
        #expect(SessionCommandLine(arguments: Array(repeating: "x", count: 300), variables: []).request == nil)
        let many = Array(repeating: String(repeating: "x", count: 200), count: 200)
        #expect(SessionCommandLine(arguments: many, variables: []).request == nil)
    }
}
