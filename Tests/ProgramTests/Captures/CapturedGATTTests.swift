// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Captures
@testable import Commands
@testable import Toolkit

/// The names that discovery gives to the handles of a capture, and how long they last.
@Suite("CapturedGATT")
struct CapturedGATTTests {
    /// An ATT PDU as ACL data of a connection: `att("> 40", "0a 03 00")`.
    private static func att(_ start: String, _ pdu: String) -> String {
        let octets = (Hex.bytes(pdu.filter { $0 != " " }) ?? []).count
        func length(_ count: Int) -> String { Hex.string([UInt8(count & 0xFF), UInt8(count >> 8)]) }
        let flags = start.hasPrefix(">") ? "00" : "20"
        return "\(start.prefix(2))02 \(start.dropFirst(2)) \(flags) \(length(octets + 4)) \(length(octets)) 0400 \(pdu)"
    }

    /// Battery at 0x0010, with Battery Level at 0x0012 and its configuration at 0x0013.
    private static func discovery(_ handle: String = "40") -> [String] {
        [
            att("> \(handle)", "10 0100 ffff 0028"), att("< \(handle)", "11 06 1000 1300 0f18"),
            att("> \(handle)", "08 1000 1300 0328"), att("< \(handle)", "09 07 1100 12 1200 192a"),
            att("> \(handle)", "04 1300 1300"), att("< \(handle)", "05 01 1300 0229"),
        ]
    }

    private static func names(_ events: [CapturedEvent]) -> [String?] {
        events.map { $0.attributes.first?.reference.attributeName }
    }

    @Test("requests and values have the names of the discovery before them, also on the next link")
    func lasting() {
        let read = [Self.att("> 40", "0a 1200"), Self.att("< 40", "0b 57")]
        let again = [Self.att("> 41", "0a 1200"), Self.att("< 41", "0b 58")]
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery() + read + ["< 04 05 04 00 4000 13", ToldCapture.link("4100")]
                + again
        )
        let named = capture.named
        #expect(Self.names(Array(named[7...8])) == ["Battery Level", "Battery Level"])
        #expect(named[8].attributes.first?.presentation?.text == "87 %")
        #expect(Self.names(Array(named.suffix(2))) == ["Battery Level", "Battery Level"])
        #expect(named.last?.line.contains("Battery Level: 88 %") == true)
    }

    @Test("another device with the same handles has names of its own")
    func devices() {
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery()
                + [
                    ToldCapture.link("4100", to: "0000000000c0"), Self.att("> 41", "0a 1200"),
                    Self.att("< 41", "0b 57"),
                ]
        )
        #expect(Self.names(Array(capture.named.suffix(2))) == [nil, nil])
    }

    @Test("the host's own server is another one than the device's")
    func ownServer() {
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery()
                + [Self.att("< 40", "0a 1200"), Self.att("> 40", "0b 57")]
        )
        #expect(Self.names(Array(capture.named.suffix(2))) == [nil, nil])
    }

    @Test("Service Changed ends the names in its range")
    func serviceChanged() {
        // Generic Attribute at 0x0001 with Service Changed at 0x0003.
        let own = [
            Self.att("> 40", "10 0100 0f00 0028"), Self.att("< 40", "11 06 0100 0400 0118"),
            Self.att("> 40", "08 0100 0400 0328"), Self.att("< 40", "09 07 0200 20 0300 052a"),
        ]
        let changed = Self.att("< 40", "1d 0300 1000 ffff")
        let read = [Self.att("> 40", "0a 1200"), Self.att("> 40", "0a 0300")]
        let capture = ToldCapture([ToldCapture.link("4000")] + Self.discovery() + own + [changed] + read)
        #expect(Self.names(Array(capture.named.suffix(3))) == ["Service Changed", nil, "Service Changed"])
    }

    @Test("another Database Hash ends all names; the same one ends none")
    func databaseHash() {
        func hash(_ octet: String) -> [String] {
            let value = String(repeating: octet, count: 16)
            return [Self.att("> 40", "08 0100 ffff 2a2b"), Self.att("< 40", "09 12 0500 \(value)")]
        }
        let read = Self.att("> 40", "0a 1200")
        let start = [ToldCapture.link("4000")] + hash("aa") + Self.discovery()
        #expect(
            Self.names([ToldCapture(start + hash("aa") + [read]).named.last].compactMap(\.self)) == ["Battery Level"]
        )
        let changed = ToldCapture(start + hash("bb") + [read, Self.att("> 40", "0a 0500")]).named
        #expect(Self.names(Array(changed.suffix(2))) == [nil, "Database Hash"])
    }

    @Test(
        "a write to the only descriptor of a characteristic that sends values is a subscription",
        arguments: [
            ("12", "1300", "12 1300 0100", "Battery Level, Client Characteristic Configuration"),
            // Without the property, with two descriptors, of another length, or to another handle, nothing is known.
            ("02", "1300", "12 1300 0100", nil), ("12", "1400", "12 1300 0100", nil),
            ("12", "1300", "12 1300 01", nil), ("12", "1300", "12 1400 0100", nil),
        ] as [(String, String, String, String?)]
    )
    func inferredConfiguration(properties: String, end: String, write: String, name: String?) {
        let capture = ToldCapture(
            ToldCapture.link("4000"),
            Self.att("> 40", "10 0100 ffff 0028"),
            Self.att("< 40", "11 06 1000 \(end) 0f18"),
            Self.att("> 40", "08 1000 \(end) 0328"),
            Self.att("< 40", "09 07 1100 \(properties) 1200 192a"),
            Self.att("> 40", write)
        )
        #expect(Self.names([capture.named.last].compactMap(\.self)) == [name])
    }

    @Test("an answer that the procedures refuse names nothing")
    func hostile() {
        let capture = ToldCapture([
            ToldCapture.link("4000"),
            // Handles that fall, a group that ends before it begins, a declaration out of its range.
            Self.att("> 40", "10 0100 ffff 0028"), Self.att("< 40", "11 06 1000 0500 0f18"),
            Self.att("> 40", "08 1000 1300 0328"), Self.att("< 40", "09 07 1100 12 0001 192a"),
            Self.att("> 40", "04 1300 1300"), Self.att("< 40", "05 01 1200 0229"),
            Self.att("> 40", "0a 1200"),
        ])
        #expect(Self.names([capture.named.last].compactMap(\.self)) == [nil])
    }

    @Test("a device file or another capture tells what the capture does not")
    func hint() {
        let capture = ToldCapture(ToldCapture.link("4000"), Self.att("> 40", "0a 1200"), Self.att("< 40", "0b 57"))
        let elsewhere = DiscoveredDatabase(
            services: [GATTService(uuid: 0x180F, range: HandleRange(0x10, 0x12), isPrimary: true)],
            includes: [],
            declarations: [
                GATTCharacteristic(declaration: 0x11, valueHandle: 0x12, properties: .read, uuid: 0x2A19, end: 0x12)
            ],
            attributes: [AttributeType(handle: 0x12, uuid: 0x2A19)],
            coverage: DiscoveredDatabase.Coverage()
        )
        var gatt = CapturedGATT(knowing: { $0 == BluetoothAddress(ToldCapture.device) ? elsewhere : nil })
        let named = capture.events.map { event in
            var event = event
            gatt.add(&event)
            return event
        }
        #expect(named.last?.attributes.first?.presentation?.text == "87 %")
        #expect(gatt.unknownHandles.isEmpty)
        #expect(capture.operations.map(\.attribute.uuid) == [nil])
    }

    // MARK: - Operations

    @Test("a long value is one read, and its end is known by the last part")
    func longRead() {
        let part = String(repeating: "61", count: 22)
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery()
                + [
                    Self.att("> 40", "0a 1200"), Self.att("< 40", "0b \(part)"),
                    Self.att("> 40", "0c 1200 1600"), Self.att("< 40", "0d 6262"),
                    Self.att("> 40", "0a 1200"), Self.att("< 40", "0b 57"),
                ]
        )
        let operations = capture.operations
        #expect(operations.map(\.value) == [[UInt8](repeating: 0x61, count: 22) + [0x62, 0x62], [0x57]])
        #expect(operations.map(\.mayBeCut) == [false, false])
        #expect(operations.first?.packets == 8...11)
        #expect(operations.first?.duration == .milliseconds(3))
    }

    @Test("a read that fills its packet and does not go on may be cut")
    func cutRead() {
        let part = String(repeating: "61", count: 22)
        let capture = ToldCapture(
            ToldCapture.link("4000"),
            Self.att("> 40", "0a 1200"),
            Self.att("< 40", "0b \(part)"),
            Self.att("> 40", "0a 1300"),
            Self.att("< 40", "0b 0000")
        )
        #expect(capture.operations.map(\.mayBeCut) == [true, false])
    }

    @Test("prepared parts are one write, with the outcome of its execution")
    func longWrite() {
        func write(_ flags: String, _ answer: String) -> [CapturedOperation] {
            ToldCapture(
                [ToldCapture.link("4000")] + Self.discovery()
                    + [
                        Self.att("> 40", "16 1200 0000 0102"), Self.att("< 40", "17 1200 0000 0102"),
                        Self.att("> 40", "16 1200 0200 03"), Self.att("< 40", "17 1200 0200 03"),
                        Self.att("> 40", "18 \(flags)"), Self.att("< 40", answer),
                    ]
            ).operations
        }
        let written = write("01", "19")
        #expect(written.map(\.value) == [[1, 2, 3]] && written.map(\.kind) == [.write(.longWrite)])
        #expect(written.map(\.outcome) == [.success] && written.first?.packets == 8...13)
        #expect(write("00", "19").map(\.outcome) == [.discarded])
        #expect(write("01", "01 18 1200 0d").map(\.outcome) == [.refused(.invalidAttributeValueLength)])
    }

    @Test("subscriptions, updates, refusals and silence")
    func kinds() {
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery()
                + [
                    Self.att("> 40", "12 1300 0100"), Self.att("< 40", "13"),
                    Self.att("< 40", "1b 1200 56"), Self.att("> 40", "52 1200 01"),
                    Self.att("> 40", "12 1200 02"), Self.att("< 40", "01 12 1200 03"),
                    Self.att("> 40", "0a 1200"), "< 04 05 04 00 4000 13",
                ]
        )
        let operations = capture.operations
        #expect(
            operations.map(\.kind) == [
                .write(.writeRequest), .notification, .write(.writeCommand), .write(.writeRequest), .read,
            ]
        )
        #expect(operations.map(\.isSubscription) == [true, false, false, false, false])
        #expect(operations.first?.valueHandle == Handle(0x12))
        #expect(operations.map(\.isFromHost) == [true, false, true, true, true])
        #expect(
            operations.map(\.outcome) == [.success, .success, .success, .refused(.writeNotPermitted), .unanswered]
        )
    }

    @Test("values found by their type are reads of their attributes")
    func byType() {
        let capture = ToldCapture(
            ToldCapture.link("4000"),
            Self.att("> 40", "08 0100 ffff 192a"),
            Self.att("< 40", "09 03 1200 57"),
            Self.att("> 40", "08 0100 ffff 1a2a"),
            Self.att("< 40", "01 08 0100 0a")
        )
        #expect(capture.operations.map(\.attribute.characteristic) == [0x2A19])
        #expect(capture.operations.map(\.value) == [[0x57]])
    }

    // MARK: - The summary

    @Test("a summary counts links, operations and refusals")
    func summary() {
        let capture = ToldCapture(
            [ToldCapture.link("4000")] + Self.discovery()
                + [
                    Self.att("> 40", "0a 1200"), Self.att("< 40", "0b 57"),
                    Self.att("> 40", "0a 1200"), Self.att("< 40", "01 0a 1200 0e"),
                    "< 04 08 04 00 4000 01", "< 04 05 04 00 4000 13", "> 01 03 0c 00", ToldCapture.link("4100"),
                    "> 01 03 0c 00", "< 04 0e 04 01 03 0c 00",
                ]
        )
        var summary = CaptureSummary()
        for event in capture.named { summary.add(event) }
        for operation in capture.operations { summary.add(operation) }
        #expect(summary.devices.map(\.address.address.description) == [ToldCapture.device])
        #expect(summary.links.map(\.isEncrypted) == [true, false])
        #expect(summary.links.map(\.reason) == [.remoteUserTerminatedConnection, nil])
        #expect(summary.links.allSatisfy { $0.begin != nil && $0.end != nil })
        let attribute = summary.attributes.first
        #expect(attribute?.reads == 2 && attribute?.refusals == [.unlikelyError: 1])
        #expect(attribute?.last?.value == [0x57])
    }
}
