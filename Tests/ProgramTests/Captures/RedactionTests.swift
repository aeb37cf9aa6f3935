// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Captures
@testable import Toolkit

@Suite("Redaction")
struct RedactionTests {
    struct Packet: Sendable, CustomTestStringConvertible {
        let hex: String
        let text: String
        let zeroed: String

        var testDescription: String { text }

        /// An ATT PDU, whose text and zeros are those of the PDU.
        static func att(_ hex: String, _ text: String, _ zeroed: String) -> Packet {
            Packet(hex: hex, text: text, zeroed: zeroed)
        }
    }

    @Test(arguments: [
        Packet.att("0a1200", "Read Request 0x0012", "0a1200"),
        .att("0b5701", "Read Response, 2 octets", "0b0000"),
        .att("121200aabb", "Write Request 0x0012, 2 octets", "1212000000"),
        .att("521200aabb", "Write Command 0x0012, 2 octets", "5212000000"),
        .att("1b2000aabbcc", "Handle Value Notification 0x0020, 3 octets", "1b2000000000"),
        .att("0903180057", "Read By Type Response 0x0018, 3 octets", "0903180000"),
        .att("010a120005", "Error Response Read Request 0x0012 0x05 insufficient authentication", "010a120005"),
        .att("161200000057", "Prepare Write Request 0x0012, 1 octet", "161200000000"),
        .att("ff4142", "\(ATTOpcode(0xFF)), 2 octets", "ff0000"),
    ])
    func `an ATT PDU`(_ packet: Packet) throws {
        let octets = try #require(Hex.bytes(packet.hex))
        #expect(Redaction.text(ofATT: octets) == packet.text)
        let frame = L2CAPFrame(.att, octets)
        let data = HCIPacket.acl(HCIACLPacket(frame, on: ConnectionHandle(rawValue: 0x40), isFromHost: true)).encoded()
        #expect(Hex.string(Redaction.zeroed(data).dropFirst(9)) == packet.zeroed)
        #expect(Redaction.zeroed(data).prefix(9) == data.prefix(9))
    }

    @Test(arguments: [
        // The structures of advertising data keep their lengths and types: two reports in one event.
        Packet(
            hex: "043e1c02020000f5f4f3f2f1f00403094142c40400f5f4f3f2f1f0020108c0",
            text: "LE Advertising Report, 28 octets",
            zeroed: "043e1c02020000f5f4f3f2f1f00403090000c40400f5f4f3f2f1f0020108c0"
        ),
        // A name, a key, and a command without either.
        Packet(
            hex: "010820080403094142000000",
            text: "LE Set Advertising Data, malformed, 8 octets",
            zeroed: "010820080400000000000000"
        ),
        Packet(
            hex: "011920034000aa",
            text: "LE Enable Encryption, 3 octets",
            zeroed: "01192003000000"
        ),
        Packet(hex: "01030c00", text: "Reset", zeroed: "01030c00"),
        Packet(hex: "04050400400013", text: "Disconnection Complete: connection 0x0040, ", zeroed: "04050400400013"),
        Packet(
            hex: "040e0601140c004142",
            text: "Command Complete: Read Local Name: success, 6 octets",
            zeroed: "040e0601140c000000"
        ),
    ])
    func `an HCI packet`(_ packet: Packet) throws {
        let octets = try #require(Hex.bytes(packet.hex))
        #expect(Redaction.text(of: try HCIPacket(decoding: octets)).hasPrefix(packet.text))
        #expect(Hex.string(Redaction.zeroed(octets)) == packet.zeroed)
    }

    @Test(arguments: [
        // Events that are too short, that have octets left over, and whose report ends in its data.
        ("040e0a01140c004142", "040e0a000000000000"),
        ("040e0401140c004142", "040e04000000000000"),
        ("04050400400013414243", "04050400000000000000"),
        ("043e0e02010000f5f4f3f2f1f004030941", "043e0e0000000000000000000000000000"),
        // Octets after the known parameters.
        ("040506004000134142", "040506004000130000"),
        ("043e1002010000f5f4f3f2f1f0020106c44142", "043e1002010000f5f4f3f2f1f0020106c40000"),
        // A command without parameters that has some, and one with octets left over.
        ("01030c024142", "01030c020000"),
        ("01030c004142", "01030c000000"),
    ])
    func `malformed packets and unknown octets lose their content`(_ hex: String, _ zeroed: String) throws {
        #expect(Hex.string(Redaction.zeroed(try #require(Hex.bytes(hex)))) == zeroed)
    }

    @Test func `the text of a malformed packet has no octets of it`() throws {
        let event = HCIPacket.event(HCIEventPacket(.disconnectionComplete, parameters: [0x41, 0x42]))
        #expect(Redaction.text(of: event) == "Disconnection Complete, malformed, 2 octets")
        let reset = HCIOpcode(rawValue: 0x0C03)
        let command = HCIPacket.command(HCICommandPacket(reset, parameters: [0x41, 0x42]))
        #expect(Redaction.text(of: command) == "Reset, malformed, 2 octets")
    }

    @Test func `a frame of a channel, and a signal`() throws {
        #expect(
            Redaction.text(of: L2CAPFrame(L2CAPChannelID(rawValue: 0x40), [1, 2, 3])) == "channel 0x0040, 3 octets"
        )
        let signal = try #require(Hex.bytes("16010400" + "40000500"))
        #expect(
            Redaction.text(of: L2CAPFrame(.leSignaling, signal))
                == "Flow Control Credit Indication 1: channel 0x0040, 5 credits"
        )
    }

    @Test func `octets of any kind keep their count`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...60, using: &generator)
            var octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if let first = octets.first { octets[0] = [1, 2, 4, 5, first][Int.random(in: 0...4, using: &generator)] }
            #expect(Redaction.zeroed(octets).count == octets.count, "\(Hex.string(octets))")
        }
    }
}
