// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Testing

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// Phones write captures without the ends of packets, for privacy.
@Suite("Captures: packets without their ends")
struct CutPacketTests {
    private static let link = ToldCapture.link("0002")
    private static let device = ToldCapture.device

    @Test(
        "14 octets of a packet have the connection, the opcode and the handle, whether the file says what is missing or not"
    )
    func fourteen() {
        let packets = [
            Self.link, "> 02 0002 0b00 0700 0400 10 0100 ffff |2", "< 02 0022 1800 1400 0400 11 06 0100 01 |15",
            "> 02 0002 0700 0300 0400 0a 0300", "< 02 0022 1800 1400 0400 0b 01020304 |15",
            "> 02 0002 1b00 1700 0400 12 1100 0000 |18", "< 02 0022 0900 0500 0400 01 12 1100 |1",
        ]
        let silent = packets.map { String($0.prefix { $0 != "|" }) }
        for told in [ToldCapture(packets), ToldCapture(silent)] {
            #expect(
                told.lines.dropFirst() == [
                    "> att \(Self.device) Read By Group Type Request 0x0001…0xFFFF, cut (2 octets not captured)",
                    "< att \(Self.device) Read By Group Type Response 06010001, cut (15 octets not captured)  +1.000 ms",
                    "> att \(Self.device) Read Request 0x0003",
                    "< att \(Self.device) Read Response 01020304, cut (15 octets not captured)  +1.000 ms",
                    "> att \(Self.device) Write Request 0x0011 0000, cut (18 octets not captured)",
                    "< att \(Self.device) Error Response Write Request 0x0011, cut (1 octet not captured)  +1.000 ms",
                ]
            )
            #expect(told.numbers(of: Self.device, att: true) == [2, 3, 4, 5, 6, 7])
            #expect(told.numbers(handles: [0x0011]) == [6, 7])
            #expect(told.numbers(handles: [0x0003]) == [4, 5])
            let packet = record(PacketResult(event: told.events[5]))
            #expect(packet["connection"] == .number(0x200) && packet["address"] == .string(Self.device))
            #expect(packet["name"] == .string("Write Request") && packet["handles"] == .array([.number(0x11)]))
            #expect(packet["malformed"] == .bool(false) && packet["missing"] == .number(18))
        }
    }

    @Test("nine octets have the connection and the protocol")
    func nine() {
        let told = ToldCapture(
            Self.link,
            "> 02 0002 0b00 0700 0400 |7",
            "< 02 0022 0900 0500 0600 |5",
            "> 02 0002 0c00 0800 0500 |8",
            "< 02 0022 0c00 |12",
            "< 02 0022 |14"
        )
        #expect(
            told.lines.dropFirst() == [
                "> att \(Self.device) PDU, cut (7 octets not captured)",
                "< smp \(Self.device) PDU, cut (5 octets not captured)",
                "> l2cap \(Self.device) signal, cut (8 octets not captured)",
                "< acl \(Self.device) 0 octets of a frame (12 octets not captured)",
                "< acl \(Self.device) 0 octets of a frame (14 octets not captured)",
            ]
        )
        #expect(told.numbers(of: Self.device) == [1, 2, 3, 4, 5, 6])
        #expect(told.numbers(att: true) == [2])
    }

    @Test("the fragments of a frame whose beginning was cut are no fault, and the next frame is whole")
    func fragments() {
        let told = ToldCapture(
            Self.link,
            "< 02 0022 1b00 2000 0400 1b 1200 0102 |18",
            "< 02 0012 0900 01020304 |5",
            "< 02 0022 0700 0300 0400 0b 6869",
            "< 02 0012 0100 aa"
        )
        #expect(
            told.lines.dropFirst() == [
                "< att \(Self.device) Handle Value Notification 0x0012 0102, cut (18 octets not captured)",
                "< acl \(Self.device) 4 octets of a frame (5 octets not captured)",
                "< att \(Self.device) Read Response 6869",
                "< acl \(Self.device) part of a frame whose beginning is missing",
            ]
        )
        var diagram = SequenceDiagram()
        for event in told.events.prefix(4) { diagram.add(event) }
        #expect(diagram.arrows.count == 3)
    }

    @Test(
        "the attributes that the beginning of a PDU names",
        arguments: [
            ("0a", []), ("0a12", []), ("0a1200", [0x12]), ("52120001", [0x12]), ("d2120001", [0x12]),
            ("1b1200", [0x12]), ("1d1200ff", [0x12]), ("0c1200", [0x12]), ("16120000", [0x12]), ("010a1200", [0x12]),
            ("010a12", []), ("0e12001300", [0x12, 0x13]), ("2012001300ff", [0x12, 0x13]),
            ("090412000001130002", [0x12, 0x13]), ("0900120013", []), ("0901120013", []),
            ("231200020001021300", [0x12, 0x13]), ("0601002000", []), ("", []),
        ] as [(String, [UInt16])]
    )
    func handles(_ hex: String, _ handles: [UInt16]) {
        let octets = Hex.bytes(hex) ?? []
        #expect(CutPDU.handles(octets).map(\.rawValue) == handles)
        #expect(CutPDU.text(octets, isRedacted: false).hasSuffix(", cut"))
    }

    @Test("commands and events have their names and connections, without what may be a part of a key")
    func control() {
        let told = ToldCapture(
            Self.link,
            "> 01 1320 0e 0002 0600 |10",
            "< 04 3e 0a 03 00 0002 |7",
            "> 01 1920 1c 0002 0102030405060708 a1a2 5a5a5a |13",
            "< 04 |5",
            "> 01 13 |4"
        )
        #expect(
            told.lines.dropFirst() == [
                "> hci LE Connection Update, cut: 00020600 (10 octets not captured)",
                "< hci LE Connection Update Complete, cut: 03000002 (7 octets not captured)",
                "> hci LE Enable Encryption, cut: 00020102030405060708a1a2000000 (13 octets not captured)",
                "< hci packet, cut: 04 (5 octets not captured)", "> hci packet, cut: 0113 (4 octets not captured)",
            ]
        )
        #expect(told.numbers(of: Self.device) == [1, 2, 3, 4])
        #expect(!told.events.contains { $0.isMalformed })
    }

    @Test("what is left of a packet has no values if they are redacted")
    func redacted() {
        let told = ToldCapture(
            [
                Self.link, "> 02 0002 1b00 1700 0400 12 1100 c0ffee |18", "> 02 0002 1b00 1700 4000 c0ffee |18",
                "< 04 0f 04 c0ffee |1", "< 03 0101 05 c0ffee |2", "> 01 1320 0e c0ffee |10",
            ],
            isRedacted: true
        )
        #expect(told.lines.count == 6 && !told.lines.contains { $0.contains("c0ffee") })
        #expect(told.lines[1] == "> att \(Self.device) Write Request 0x0011 3 octets, cut (18 octets not captured)")
    }
}
