// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

private let strap = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
private let phone = DeviceAddress(BluetoothAddress(rawValue: 0x0010_2030_4050), .public)

@Suite("LE Advertising Report (Vol 4, Part E, 7.7.65.2)")
struct LEAdvertisingReportEventTests {
    @Test("each event type becomes its properties, and back")
    func eventTypes() {
        let kinds: [(String, AdvertisingReport.Properties)] = [
            ("00", .advInd), ("01", .advDirectInd), ("02", .advScanInd), ("03", .advNonconnInd), ("04", .scanRsp),
        ]
        for (type, properties) in kinds {
            let report = AdvertisingReport(address: strap, properties: properties, rssi: -60, data: [2, 1, 6])
            expectWire(LEAdvertisingReportEvent([report]), "01 \(type) 01 f5f4f3f2f1f0 03 020106 c4")
        }
        let reserved = octets("01 05 01 f5f4f3f2f1f0 00 c4")
        #expect(throws: DecodeError("Event_Type", .invalid(value: 5))) {
            try LEAdvertisingReportEvent(decoding: reserved)
        }
    }

    @Test("every report of an event is read")
    func several() {
        let event = LEAdvertisingReportEvent([
            AdvertisingReport(address: strap, properties: .advInd, rssi: -60, data: [2, 1, 6]),
            AdvertisingReport(address: phone, properties: .scanRsp, rssi: nil, data: []),
            AdvertisingReport(address: strap, properties: .advNonconnInd, rssi: 20, data: [0]),
        ])
        expectWire(
            event,
            "03 00 01 f5f4f3f2f1f0 03 020106 c4  04 00 504030201000 00 7f  03 01 f5f4f3f2f1f0 01 00 14"
        )
    }

    @Test("a report of 31 octets of data")
    func full() throws {
        let data = [UInt8](repeating: 0xFF, count: 31)
        let report = AdvertisingReport(address: phone, properties: .advInd, rssi: -127, data: data)
        expectWire(
            LEAdvertisingReportEvent([report]),
            "01 00 00 504030201000 1f \(String(repeating: "ff", count: 31)) 81"
        )
    }

    @Test("a count that the event does not hold is refused", arguments: [2, 25, 255] as [UInt8])
    func shortBody(_ count: UInt8) {
        let body = octets("00 01 f5f4f3f2f1f0 03 020106 c4")
        #expect(throws: DecodeError.self) { try LEAdvertisingReportEvent(decoding: [count] + body) }
    }

    @Test("a data length that the event does not hold is refused", arguments: [4, 25, 31, 255] as [UInt8])
    func dataLength(_ length: UInt8) {
        let bytes = octets("01 00 01 f5f4f3f2f1f0") + [length] + octets("020106 c4")
        #expect(throws: DecodeError.self) { try LEAdvertisingReportEvent(decoding: bytes) }
    }

    @Test("an event without reports is empty, and octets after the reports are ignored")
    func lenient() throws {
        #expect(try LEAdvertisingReportEvent(decoding: [0]).reports.isEmpty)
        let packet = HCIEventPacket(.leMeta, parameters: octets("02 01 03 00 504030201000 00 7f 0000"))
        guard case .known(let event as LEAdvertisingReportEvent) = try HCIEvent(packet) else {
            Issue.record("\(packet)")
            return
        }
        #expect(event.reports == [AdvertisingReport(address: phone, properties: .advNonconnInd, rssi: nil, data: [])])
    }
}

@Suite("LE Extended Advertising Report (Vol 4, Part E, 7.7.65.13)")
struct LEExtendedAdvertisingReportEventTests {
    @Test("an extended advertisement with every field")
    func extended() {
        let report = AdvertisingReport(
            address: strap,
            properties: [.connectable, .directed],
            primaryPHY: .coded,
            secondaryPHY: .le2M,
            advertisingSID: 0x0B,
            txPower: 4,
            rssi: -70,
            periodicInterval: LEInterval(rawValue: 0x0050),
            target: phone,
            data: [2, 1, 6]
        )
        expectWire(
            LEExtendedAdvertisingReportEvent([report]),
            "01 0500 01 f5f4f3f2f1f0 03 02 0b 04 ba 5000 00 504030201000 03 020106"
        )
    }

    @Test("legacy PDUs are recognised by their five combinations")
    func legacy() {
        let kinds: [(String, AdvertisingReport.Properties)] = [
            ("1300", .advInd), ("1500", .advDirectInd), ("1200", .advScanInd), ("1000", .advNonconnInd),
            ("1b00", [.connectable, .scannable, .scanResponse, .legacy]), ("1a00", .scanRsp),
        ]
        for (type, properties) in kinds {
            let target = properties.contains(.directed) ? phone : nil
            let report = AdvertisingReport(
                address: strap,
                properties: properties,
                rssi: -60,
                target: target,
                data: [2, 1, 6]
            )
            let direct = target == nil ? "00 000000000000" : "00 504030201000"
            expectWire(
                LEExtendedAdvertisingReportEvent([report]),
                "01 \(type) 01 f5f4f3f2f1f0 01 00 ff 7f c4 0000 \(direct) 03 020106"
            )
        }
    }

    @Test("the data status marks fragments")
    func dataStatus() {
        let kinds: [(String, AdvertisingReport.DataStatus)] = [
            ("0000", .complete), ("2000", .moreToCome), ("4000", .truncated), ("6000", .reserved),
        ]
        for (type, status) in kinds {
            let report = AdvertisingReport(
                address: strap,
                properties: [],
                dataStatus: status,
                secondaryPHY: .le1M,
                advertisingSID: 0,
                rssi: -60,
                data: [9]
            )
            expectWire(
                LEExtendedAdvertisingReportEvent([report]),
                "01 \(type) 01 f5f4f3f2f1f0 01 01 00 7f c4 0000 00 000000000000 01 09"
            )
        }
    }

    @Test("every report of an event is read")
    func several() throws {
        let reports = (0..<8).map { index in
            AdvertisingReport(
                address: DeviceAddress(BluetoothAddress(rawValue: UInt64(index)), .random),
                properties: .advNonconnInd,
                rssi: Int8(-index),
                data: []
            )
        }
        let packet = LEExtendedAdvertisingReportEvent(reports).packet
        #expect(try HCIEvent(packet) == .known(LEExtendedAdvertisingReportEvent(reports)))
        #expect(packet.parameters.count == 2 + 8 * 24)
    }

    @Test("an anonymous advertiser has no address, even if the event has octets for it")
    func anonymous() throws {
        let bytes = octets("01 0000 ff f5f4f3f2f1f0 01 02 03 7f 7f 0000 00 000000000000 00")
        let report = try #require(LEExtendedAdvertisingReportEvent(decoding: bytes).reports.first)
        #expect(report.address == DeviceAddress(BluetoothAddress(rawValue: 0), .anonymous))
        #expect(report.address.kind == .anonymous)
        #expect(report.advertisingSID == 3)
        #expect(report.rssi == nil)
    }

    @Test("undefined bits, PHYs and address types are kept")
    func reserved() {
        let report = AdvertisingReport(
            address: DeviceAddress(strap.address, AddressType(rawValue: 0x77)),
            properties: AdvertisingReport.Properties(rawValue: 0x8080),
            primaryPHY: LEPHY(rawValue: 0x55),
            secondaryPHY: LEPHY(rawValue: 0x66),
            advertisingSID: 0xFE,
            rssi: -60,
            data: []
        )
        expectWire(
            LEExtendedAdvertisingReportEvent([report]),
            "01 8080 77 f5f4f3f2f1f0 55 66 fe 7f c4 0000 00 000000000000 00"
        )
    }

    @Test("the most data of one event fit exactly")
    func full() throws {
        let data = (0..<LEExtendedAdvertisingReportEvent.maximumDataLength).map { UInt8(truncatingIfNeeded: $0) }
        let event = LEExtendedAdvertisingReportEvent([
            AdvertisingReport(address: phone, properties: [], rssi: -1, data: data)
        ])
        #expect(event.packet.parameters.count == 255)
        #expect(try HCIEvent(event.packet) == .known(event))
    }

    @Test("counts and lengths that the event does not hold are refused", arguments: [2, 10, 25, 255] as [UInt8])
    func shortBody(_ number: UInt8) {
        let head = "1300 01 f5f4f3f2f1f0 01 00 ff 7f c4 0000 00 000000000000"
        let count = [number] + octets(head + "03 020106")
        #expect(throws: DecodeError.self) { try LEExtendedAdvertisingReportEvent(decoding: count) }
        let length = octets("01" + head) + [max(number, 4)] + octets("020106")
        #expect(throws: DecodeError.self) { try LEExtendedAdvertisingReportEvent(decoding: length) }
    }
}
