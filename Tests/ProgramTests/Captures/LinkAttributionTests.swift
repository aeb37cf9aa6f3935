// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Testing

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// Commands and events belong to the connections that they are about.
@Suite("Captures: commands and events of connections")
struct LinkAttributionTests {
    private static let device = ToldCapture.device
    private static let other = "F0:F1:F2:F3:F4:F5"
    /// Two links: with handle 0x003A to the one device, and with 0x003B to the other.
    private static let links = [ToldCapture.link("3a00"), ToldCapture.link("3b00", to: "f5f4f3f2f1f0")]

    /// Packets about the first link only.
    static let packets = [
        "> 01 1620 02 3a00", "< 04 0f 04 00 01 1620", "< 04 3e 0c 04 00 3a00 ff01000000000000",
        "> 01 1d04 02 3a00", "< 04 0f 04 00 01 1d04", "< 04 0c 08 00 3a00 08 6000 0c04",
        "> 01 1320 0e 3a00 0600 0600 0000 f401 0000 0000", "< 04 3e 0a 03 00 3a00 0600 0000 f401",
        "< 04 13 05 01 3a00 0100", "< 04 13 05 01 3a20 0100", "< 04 13 09 02 3a00 0100 3a00 0100",
        "< 04 3e 0d 05 3a00 0102030405060708 a1a2", "> 01 1a20 12 3a00 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
        "< 04 0e 06 01 1a20 00 3a00", "< 04 08 04 00 3a00 01", "< 04 59 05 00 3a00 01 10", "< 04 30 03 00 3a00",
        "> 01 0514 02 3a00", "< 04 0e 07 01 0514 00 3a00 c8", "< 04 3e 0b 07 3a00 fb00 4808 fb00 4808",
        "> 01 3220 07 3a00 00 02 02 0000", "< 04 0f 04 00 01 3220", "< 04 3e 06 0c 00 3a00 02 02",
        "> 01 7e20 0c 3a00 0100 0100 0000 0000 f401", "< 04 3e 0c 23 00 3a00 0100 0000 0000 f401",
        "> 01 350c 05 01 3a00 0100", "< 04 57 02 3a00", "< 04 48 09 0800 01 3a00 0100 0200",
        "> 01 0604 03 3a00 13", "< 04 0f 04 0c 01 0604", "< 04 05 04 00 3a00 16",
    ]

    @Test("each names the connection and the device, and `-d` prints it", arguments: packets.indices)
    func attributed(_ index: Int) throws {
        // Answers follow their commands.
        let told = ToldCapture(Self.links + Self.packets.prefix(index + 1))
        let event = try #require(told.events.last)
        #expect(event.connection == 0x003A && event.device?.address.description == Self.device, "\(event.line)")
        let packet = record(PacketResult(event: event))
        #expect(packet["connection"] == .number(0x3A) && packet["address"] == .string(Self.device))
        #expect(told.numbers(of: Self.device).last == event.number)
        #expect(told.numbers(of: Self.other) == [2])
        #expect(!event.isMalformed, "\(event.line)")
        #expect(!event.text.contains(" 0x2") && !event.text.hasPrefix("event"), "\(event.line)")
    }

    @Test("an event about several connections belongs to the device of each")
    func several() {
        let told = ToldCapture(
            Self.links + ["< 04 13 0d 03 3a00 0100 3b00 0100 3c00 0100", "> 01 350c 09 02 3a00 0100 3b00 0100"]
        )
        #expect(told.events[2].connection == nil && told.events[2].device == nil)
        #expect(told.numbers(of: Self.device) == [1, 3, 4] && told.numbers(of: Self.other) == [2, 3, 4])
    }

    @Test("an answer belongs to no link if its command did not, and to the link of the last command otherwise")
    func answers() {
        let told = ToldCapture(
            Self.links + [
                "> 01 030c 00", "> 01 0604 03 3a00 13", "> 01 0604 03 3b00 13", "< 04 0f 04 00 01 0604",
                "< 04 0f 04 00 01 0604", "< 04 0e 06 01 0514 00 3a00",
            ]
        )
        // The reset has ended the links, so that handles are all that is known.
        #expect(told.events.map(\.connection) == [0x3A, 0x3B, nil, 0x3A, 0x3B, 0x3B, nil, 0x3A])
    }

    @Test("an attempt that was cancelled has no device, no connection and no lane")
    func cancelled() {
        let told = ToldCapture(
            "< 04 3e 13 01 02 0000 00 00 000000000000 0000 0000 0000 00",
            "< 04 3e 1f 0a 02 0000 00 00 000000000000 000000000000 000000000000 0000 0000 0000 00",
            "< 04 3e 13 01 3e 0000 00 00 665544332211 0000 0000 0000 00"
        )
        #expect(
            told.lines == [
                "< hci LE Connection Complete: unknown connection identifier (0x02)",
                "< hci LE Enhanced Connection Complete: unknown connection identifier (0x02)",
                "< hci LE Connection Complete: 11:22:33:44:55:66 (public): connection failed to be established (0x3E)",
            ]
        )
        #expect(told.events.map(\.connection) == [nil, nil, nil])
        #expect(told.events.map { $0.device?.address.description } == [nil, nil, Self.device])
        var diagram = SequenceDiagram()
        for event in told.events { diagram.add(event) }
        #expect(diagram.participants == ["host", Self.device] && diagram.arrows.count == 1)
    }

    @Test("a handle has 12 bits in every event and command")
    func twelveBits() {
        let told = ToldCapture(
            "< 04 13 05 01 04f0 0100",
            "< 04 13 05 01 0b10 0200",
            "> 01 0604 03 40f0 13",
            "< 04 05 04 00 4020 13",
            "< 04 14 06 00 40f0 02 2003"
        )
        #expect(told.events.map(\.connection) == [0x0004, 0x000B, 0x0040, 0x0040, 0x0040])
        #expect(
            told.lines.prefix(4) == [
                "< hci Number Of Completed Packets: connection 0x0004: 1",
                "< hci Number Of Completed Packets: connection 0x000B: 2",
                "> hci Disconnect: connection 0x0040, remote user terminated connection (0x13)",
                "< hci Disconnection Complete: connection 0x0040, remote user terminated connection (0x13)",
            ]
        )
    }

    @Test("a reset ends all links of its adapter: their devices, fragments and requests", arguments: [true, false])
    func reset(_ isAnswered: Bool) {
        let told = ToldCapture(
            [
                ToldCapture.link("4000"), "> 02 4000 0700 0300 0400 0a 0300",
                "< 02 4020 0c00 1700 0400 1b 1000 7878787878",
                "> 01 030c 00",
            ] + (isAnswered ? ["< 04 0e 04 01 030c 00"] : []) + [
                "< 02 4010 0100 aa", "< 04 13 05 01 4000 0100", ToldCapture.link("4000"),
                "< 02 4020 0700 0300 0400 0b 6869", "> 02 4000 0800 0400 0400 52 1000 76",
            ]
        )
        let after = told.lines.suffix(5)
        #expect(
            Array(after) == [
                "< acl 0x0040 part of a frame whose beginning is missing",
                "< hci Number Of Completed Packets: connection 0x0040: 1",
                "< hci LE Connection Complete: connection 0x0040 to 11:22:33:44:55:66 (public), central, interval 30 ms, "
                    + "latency 0, timeout 420 ms",
                "< att 11:22:33:44:55:66 Read Response 6869", "> att 11:22:33:44:55:66 Write Command 0x0010 76",
            ]
        )
        #expect(told.events.suffix(5).first?.device == nil && told.events.suffix(3).first?.isRepeated == false)
    }

    @Test("the second version of Enhanced Connection Complete begins a connection like the first one")
    func secondVersion() {
        let told = ToldCapture(
            "< 04 3e 22 29 00 4000 00 01 f5f4f3f2f1f0 000000000000 454443424140 1800 0000 2a00 00 ff ffff",
            "> 02 4000 0700 0300 0400 0a 0300"
        )
        #expect(
            told.lines == [
                "< hci LE Enhanced Connection Complete [v2]: connection 0x0040 to F0:F1:F2:F3:F4:F5 (random), central, "
                    + "interval 30 ms, latency 0, timeout 420 ms", "> att F0:F1:F2:F3:F4:F5 Read Request 0x0003",
            ]
        )
        #expect(told.numbers(of: "40:41:42:43:44:45") == [1, 2])
    }

    @Test("a link over BR/EDR is announced by its own event, and an audio link has the device, too")
    func classic() {
        let told = ToldCapture(
            ToldCapture.link("0400"),
            "> 01 030c 00",
            "< 04 03 0b 00 0400 102f3e4d5c61 01 00",
            "> 02 0400 0a00 0600 0100 0a 02 0200 0200",
            "< 04 2c 11 00 0501 102f3e4d5c61 02 00 00 0000 0000 02",
            "< 03 0501 04 61626364",
            "< 04 05 04 00 0501 13",
            "< 04 03 0b 04 0600 102f3e4d5c61 01 00"
        )
        #expect(
            told.lines.dropFirst(2) == [
                "< hci Connection Complete: connection 0x0004 to 61:5C:4D:3E:2F:10, ACL",
                "> l2cap 61:5C:4D:3E:2F:10 Information Request 2: extended features",
                "< hci Synchronous Connection Complete: connection 0x0105 to 61:5C:4D:3E:2F:10, eSCO",
                "< sco connection 0x0105, 4 octets: 61626364",
                "< hci Disconnection Complete: connection 0x0105, remote user terminated connection (0x13)",
                "< hci Connection Complete: 61:5C:4D:3E:2F:10: page timeout (0x04)",
            ]
        )
        #expect(told.numbers(of: "61:5C:4D:3E:2F:10") == [3, 4, 5, 6, 7, 8])
        #expect(record(PacketResult(event: told.events[2]))["name"] == .string("Connection Complete"))
        var diagram = SequenceDiagram()
        for event in told.events.prefix(4) { diagram.add(event) }
        #expect(diagram.participants == ["host", Self.device, "61:5C:4D:3E:2F:10"])
    }

    @Test("isochronous data: both ways to a stream, time stamps, fragments and faults")
    func isochronous() {
        let told = ToldCapture(
            ToldCapture.link("4000"),
            "> 01 6420 05 01 6000 4000",
            "< 04 0f 04 00 01 6420",
            "> 05 6020 0600 0700 0200 7879",
            "< 05 6060 0a00 63000000 0700 0280 7879",
            "< 05 6010 0200 aabb",
            "< 05 6020 0900 0700 0200 7879",
            "< 04 3e 07 1a 4000 6100 01 01",
            "< 05 6120 0600 0800 0200 7879",
            "< 05 6120 0600 0900 0200 |2"
        )
        #expect(
            told.lines.dropFirst(3) == [
                "> iso connection 0x0060, number 7, unit of 2 octets, 2 octets: 7879",
                "< iso connection 0x0060, time 99 µs, number 7, unit of 2 octets, lost in part, 2 octets: 7879",
                "< iso connection 0x0060, fragment, 2 octets: aabb",
                "< iso connection 0x0060, malformed (ISO data: needs 9 octets, 6 left), 6 octets: 070002007879",
                "< hci LE CIS Request: 400061000101",
                "< iso connection 0x0061, number 8, unit of 2 octets, 2 octets: 7879",
                "< iso connection 0x0061, cut: 09000200 (2 octets not captured)",
            ]
        )
        #expect(told.numbers(of: Self.device) == Array(1...10))
        #expect(
            told.events.map(\.isMalformed) == [false, false, false, false, false, false, true, false, false, false]
        )
        #expect(told.numbers(hci: true) == [1, 2, 3, 8])
    }

    @Test("logs of a controller are not data of a link, unless there is such a link")
    func vendorData() {
        let log = "0a00 0600 0400 0b 0102030405"
        let told = ToldCapture(
            "< 02 dc2e \(log)",
            "< 02 f12f \(log)",
            "> 02 000f \(log)",
            ToldCapture.link("dc0e"),
            "< 02 dc2e \(log)"
        )
        let text = "10 octets: 060004000b0102030405"
        #expect(
            told.lines.prefix(3) == [
                "< vendor 0x0EDC, \(text)", "< vendor 0x0FF1, \(text)", "> vendor 0x0F00, \(text)",
            ]
        )
        #expect(told.lines.last == "< att 11:22:33:44:55:66 Read Response 0102030405")
        #expect(told.numbers(att: true) == [5] && told.numbers(hci: true) == [4])
        #expect(record(PacketResult(event: told.events[0]))["kind"] == .string("vendor"))
    }

    @Test("several reports in an event, and the devices of all")
    func reports() {
        let told = ToldCapture("< 04 3e 1b 02 02 00 00 665544332211 03 020106 c4 03 01 ffeeddccbbaa 02 01ff 7f")
        #expect(
            told.lines == [
                "< hci LE Advertising Report: 11:22:33:44:55:66 (public), connectable, scannable, legacy, -60 dBm, 020106; "
                    + "AA:BB:CC:DD:EE:FF (random), legacy, 01ff"
            ]
        )
        #expect(told.numbers(of: Self.device) == [1] && told.numbers(of: "AA:BB:CC:DD:EE:FF") == [1])
        #expect(told.numbers(of: Self.other).isEmpty)
    }
}
