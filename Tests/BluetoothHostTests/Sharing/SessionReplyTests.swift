// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("Commands that another process carries out")
struct SessionReplyTests {
    @Test func `replies and command lines arrive unchanged`() throws {
        for reply in [SessionReply.begun, .output([1, 2]), .messages([]), .ended(75), .refused] {
            #expect(try SessionReply(decoding: reply.encoded()) == reply)
            #expect(try SessionReply(packet: RemotePacket.data(reply.encoded()).encoded()) == reply)
        }
        for world in [nil, "b051c8d1"] {
            let line = Self.line(
                ["read", "", "ü"],
                [.init("HOME", "/"), .init("BLECTL_DEVICE", "")],
                world: world
            )
            #expect(try SessionCommandLine(decoding: line.encoded()) == line)
            let request = try #require(line.request)
            #expect(try RemoteRequest(decoding: request) == .perform(line.encoded()))
        }
    }

    private static func line(
        _ arguments: [String],
        _ variables: [SessionCommandLine.Variable] = [],
        world: String? = nil
    ) -> SessionCommandLine {
        SessionCommandLine(arguments: arguments, variables: variables, world: world)
    }

    @Test func `every truncated message and every unknown kind is refused`() {
        let line = Self.line(["read", "battery-level"], [.init("HOME", "/")], world: "b051c8d1").encoded()
        for length in line.indices {
            #expect(throws: DecodeError.self) { try SessionCommandLine(decoding: Array(line.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try SessionReply(decoding: []) }
        #expect(throws: DecodeError.self) { try SessionReply(decoding: [9]) }
        #expect(throws: RadioError.self) { try SessionReply(packet: RemotePacket.opened.encoded()) }
        let end = RadioError(.linkLost(nil), during: "x")
        #expect(throws: end) { try SessionReply(packet: RemotePacket.ended(end).encoded()) }
    }

    @Test func `a command line that is too long is not sent`() {
        #expect(Self.line([String(repeating: "x", count: 70_000)]).request == nil)
        #expect(Self.line(Array(repeating: "x", count: 300)).request == nil)
        let many = Array(repeating: String(repeating: "x", count: 200), count: 200)
        #expect(Self.line(many).request == nil)
    }
}
