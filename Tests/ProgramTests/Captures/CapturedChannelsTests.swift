// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Testing

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// Channels that signals open: credit-based ones, and bearers of ATT.
@Suite("Captures: channels")
struct CapturedChannelsTests {
    private static let link = ToldCapture.link("4000")
    private static let device = ToldCapture.device
    /// The request for two channels 0x0040 and 0x0042 to EATT, and its answer with 0x0041 and 0x0043.
    private static let bearers = [
        "> 02 4020 1400 1000 0500 17 05 0c00 2700 4000 4000 0500 4000 4200",
        "< 02 4020 1400 1000 0500 18 05 0c00 4000 4000 0500 0000 4100 4300",
    ]

    @Test("a credit-based channel: its service, and the units that its frames make")
    func creditBased() {
        let told = ToldCapture(
            Self.link,
            "> 02 4020 1200 0e00 0500 14 06 0a00 8000 4000 6400 3200 0500",
            "< 02 4020 1200 0e00 0500 15 06 0a00 4100 6400 3200 0500 0000",
            "> 02 4020 0a00 0600 4100 0600 01020304",
            "> 02 4020 0600 0200 4100 0506",
            "< 02 4020 0900 0500 4000 0300 aabbcc",
            "< 02 4020 0c00 0800 0500 06 07 0400 4000 4100",
            "> 02 4020 0c00 0800 0500 07 07 0400 4000 4100",
            "> 02 4020 0600 0200 4100 0506"
        )
        #expect(
            told.lines.dropFirst() == [
                "> l2cap \(Self.device) LE Credit Based Connection Request 6: SPSM 0x0080, channel 0x0040, MTU 100, MPS 50, "
                    + "5 credits",
                "< l2cap \(Self.device) LE Credit Based Connection Response 6: channel 0x0041, MTU 100, MPS 50, 5 credits",
                "> l2cap \(Self.device) channel 0x0041 of SPSM 0x0080, 4 of 6 octets of a unit: 01020304",
                "> l2cap \(Self.device) channel 0x0041 of SPSM 0x0080, 6 of 6 octets of a unit: 0506",
                "< l2cap \(Self.device) channel 0x0040 of SPSM 0x0080, unit of 3 octets: aabbcc",
                "< l2cap \(Self.device) Disconnection Request 7: channel 0x0040 of the receiver, 0x0041 of the sender",
                "> l2cap \(Self.device) Disconnection Response 7: channel 0x0040 of the receiver, 0x0041 of the sender",
                "> l2cap \(Self.device) channel 0x0041, 2 octets: 0506",
            ]
        )
        #expect(record(PacketResult(event: told.events[3]))["channel"] == .number(0x41))
    }

    @Test("a channel that was refused is none, and one of several may be")
    func refused() {
        let told = ToldCapture(
            Self.link,
            "> 02 4020 1400 1000 0500 17 05 0c00 2700 4000 4000 0500 4000 4200",
            "< 02 4020 1400 1000 0500 18 05 0c00 4000 4000 0500 0400 0000 4300",
            "> 02 4020 0900 0500 4100 0300 0a0300",
            "> 02 4020 0900 0500 4300 0300 0a0300"
        )
        #expect(
            told.lines.suffix(3) == [
                "< l2cap \(Self.device) Credit Based Connection Response 5: some connections refused, insufficient resources, "
                    + "MTU 64, MPS 64, 5 credits, channels refused 0x0043",
                "> l2cap \(Self.device) channel 0x0041, 5 octets: 03000a0300",
                "> att \(Self.device) channel 0x0043 Read Request 0x0003",
            ]
        )
    }

    @Test("EATT: units become PDUs, and each bearer has its own answers")
    func enhanced() {
        let told = ToldCapture(
            [Self.link] + Self.bearers + [
                "> 02 4020 0900 0500 4100 0300 0a0300", "> 02 4020 0900 0500 4300 0300 0a0400",
                "> 02 4020 0700 0300 0400 0a0500", "< 02 4020 0900 0500 4200 0300 0b6869",
                "< 02 4020 0a00 0600 4000 0600 0b6c6f6e", "< 02 4020 0700 0300 0400 0b6b6b",
                "< 02 4020 0600 0200 4000 6765",
            ]
        )
        #expect(
            told.lines.dropFirst() == [
                "> l2cap \(Self.device) Credit Based Connection Request 5: SPSM 0x0027, MTU 64, MPS 64, 5 credits, "
                    + "channels 0x0040 0x0042",
                "< l2cap \(Self.device) Credit Based Connection Response 5: MTU 64, MPS 64, 5 credits, channels 0x0041 0x0043",
                "> att \(Self.device) channel 0x0041 Read Request 0x0003",
                "> att \(Self.device) channel 0x0043 Read Request 0x0004", "> att \(Self.device) Read Request 0x0005",
                "< att \(Self.device) channel 0x0042 Read Response 6869  +2.000 ms",
                "< acl \(Self.device) 4 of 6 octets of a frame", "< att \(Self.device) Read Response 6b6b  +3.000 ms",
                "< att \(Self.device) channel 0x0040 Read Response 6c6f6e6765  +6.000 ms",
            ]
        )
        #expect(told.events.map { $0.answered?.number } == [nil, nil, nil, nil, nil, nil, 5, nil, 6, 4])
        #expect(told.numbers(handles: [0x0003]) == [4, 10] && told.numbers(handles: [0x0004]) == [5, 7])
        #expect(told.numbers(att: true) == [4, 5, 6, 7, 9, 10])
        #expect(record(PacketResult(event: told.events[3]))["channel"] == .number(0x41))
        #expect(record(PacketResult(event: told.events[5]))["channel"] == .number(4))
    }

    @Test("a bearer that ends takes its request along, and a unit with too many octets is malformed")
    func ended() {
        let told = ToldCapture(
            [Self.link] + Self.bearers + [
                "> 02 4020 0900 0500 4100 0300 0a0300", "> 02 4020 0c00 0800 0500 06 09 0400 4100 4000",
                "< 02 4020 0c00 0800 0500 07 09 0400 4100 4000",
            ] + Self.bearers + [
                "< 02 4020 0900 0500 4000 0300 0b6869", "< 02 4020 0900 0500 4000 0200 0b6869",
                "< 02 4020 0500 0100 4000 ff",
            ]
        )
        #expect(
            told.lines.suffix(3) == [
                "< att \(Self.device) channel 0x0040 Read Response 6869",
                "< acl \(Self.device) malformed (3 octets for a frame of 2)",
                "< l2cap \(Self.device) channel 0x0040 of SPSM 0x0027, 1 octet: ff",
            ]
        )
        #expect(told.events.suffix(3).map(\.isMalformed) == [false, true, false])
    }

    @Test("ATT over BR/EDR: a connection to PSM 0x001F, which may be pending first")
    func basicRate() {
        let told = ToldCapture(
            "< 04 03 0b 00 0b00 ffeeddccbbaa 01 00",
            "> 02 0b20 0c00 0800 0100 02 01 0400 1f00 4000",
            "< 02 0b20 1000 0c00 0100 03 01 0800 4100 4000 0100 0200",
            "< 02 0b20 1000 0c00 0100 03 01 0800 4100 4000 0000 0000",
            "> 02 0b20 0700 0300 4100 0a 0300",
            "< 02 0b20 0700 0300 4000 0b 6869"
        )
        let device = "AA:BB:CC:DD:EE:FF"
        #expect(
            told.lines.dropFirst() == [
                "> l2cap \(device) Connection Request 1: PSM 0x001F, channel 0x0040",
                "< l2cap \(device) Connection Response 1: pending, status 0x0002",
                "< l2cap \(device) Connection Response 1: channel 0x0041, for channel 0x0040",
                "> att \(device) channel 0x0041 Read Request 0x0003",
                "< att \(device) channel 0x0040 Read Response 6869  +1.000 ms",
            ]
        )
        #expect(told.numbers(of: device, att: true) == [5, 6])
    }

    @Test("signals of a BR/EDR link: several in a frame, and other services")
    func classicSignals() {
        let told = ToldCapture(
            "> 02 0b20 1000 0c00 0100 0a 01 0200 0200 0a 02 0200 0300",
            "< 02 0b20 0c00 0800 0100 0b 01 0400 0100 0100",
            "> 02 0b20 0c00 0800 0100 02 03 0400 0100 4000",
            "< 02 0b20 1000 0c00 0100 03 03 0800 5000 4000 0000 0000",
            "> 02 0b20 0600 0200 5000 0a0b",
            "< 02 0b20 0700 0300 0100 0a 01 02",
            "< 02 0b20 1500 1100 0700 08 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
        )
        #expect(
            told.lines == [
                "> l2cap 0x000B Information Request 1: extended features; Information Request 2: fixed channels",
                "< l2cap 0x000B Information Response 1: connectionless MTU, not supported",
                "> l2cap 0x000B Connection Request 3: PSM 0x0001, channel 0x0040",
                "< l2cap 0x000B Connection Response 3: channel 0x0050, for channel 0x0040",
                "> l2cap 0x000B channel 0x0050 of PSM 0x0001, 2 octets: 0a0b",
                "< l2cap 0x000B signal: malformed (Data Length: needs 2 octets, 1 left): 0a0102",
                "< smp 0x000B Identity Information",
            ]
        )
        #expect(told.events.map(\.isMalformed) == [false, false, false, false, false, true, false])
        // The key that a Security Manager sends is nowhere, also over BR/EDR.
        #expect(told.events.last.map { record(PacketResult(event: $0))["bytes"] } == .null)
    }

    @Test("a signal with identifier 0 is decoded, with a remark")
    func identifier() {
        let told = ToldCapture(
            "< 02 0220 1000 0c00 0500 12 00 0800 1000 1800 0000 5802",
            "> 02 0200 0a00 0600 0500 13 00 0200 0000",
            "< 02 0220 0800 0400 0500 12 00 0800"
        )
        let remark = "(an identifier must not be 0)"
        #expect(
            told.lines == [
                "< l2cap 0x0002 Connection Parameter Update Request 0 \(remark): interval 20 ms to 30 ms, latency 0, "
                    + "timeout 6000 ms", "> l2cap 0x0002 Connection Parameter Update Response 0 \(remark): accepted",
                "< l2cap 0x0002 signal: malformed (Data: needs 8 octets, 0 left): 12000800",
            ]
        )
        #expect(told.events.map(\.isMalformed) == [false, false, true])
    }

    @Test("frames of an octet, of none, and what is left of one")
    func small() {
        let octets = "06 00 04 00 12 10 00 61 62 63".split(separator: " ")
        let pieces = octets.enumerated().map { "> 02 40\($0.offset == 0 ? "00" : "10") 0100 \($0.element)" }
        let told = ToldCapture(
            [Self.link] + pieces + ["> 02 4020 0000", "> 02 4020 0400 0000 0400", "< 02 4020 0100 03"]
        )
        let parts = (2...9).map { "> acl \(Self.device) \($0) of 10 octets of a frame" }
        let lines = Array(told.lines.dropFirst())
        #expect(lines.first == "> acl \(Self.device) 1 octet of a frame")
        #expect(Array(lines.dropFirst().prefix(8)) == parts)
        #expect(
            lines.suffix(4) == [
                "> att \(Self.device) Write Request 0x0010 616263", "> acl \(Self.device) 0 octets of a frame",
                "> att \(Self.device) malformed (empty PDU)", "< acl \(Self.device) 1 octet of a frame",
            ]
        )
    }

    @Test("channels that open without end take no memory without end")
    func limits() {
        var told = [Self.link]
        for number in 0x40..<0x140 {
            let channel = Hex.string([UInt8(number & 0xFF), UInt8(number >> 8)])
            told.append("> 02 4020 1200 0e00 0500 14 06 0a00 2700 \(channel) 6400 3200 0500")
            told.append("< 02 4020 1200 0e00 0500 15 06 0a00 \(channel) 6400 3200 0500 0000")
        }
        // The last one is followed, and the first one is not any more.
        told += ["> 02 4020 0900 0500 3f01 0300 0a0300", "> 02 4020 0900 0500 4000 0300 0a0300"]
        let lines = ToldCapture(told).lines.suffix(2)
        #expect(lines.first == "> att \(Self.device) channel 0x013F Read Request 0x0003")
        #expect(lines.last == "> l2cap \(Self.device) channel 0x0040, 5 octets: 03000a0300")
    }
}
