// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

/// The processing of a scan, from the controller's octets to the table.
private struct Pipeline {
    var reassembler = ExtendedReportReassembler(limit: 16)
    var table = AdvertiserTable(limit: 64)
    var malformed = 0
    var reports = 0

    mutating func received(_ bytes: [UInt8], now: Instant = .zero) {
        do {
            guard case .event(let packet) = try HCIPacket(decoding: bytes) else { return }
            switch try HCIEvent(packet) {
            case .known(let event as LEAdvertisingReportEvent): take(event.reports, now)
            case .known(let event as LEExtendedAdvertisingReportEvent): take(event.reports, now)
            case .known(let event as LEDirectedAdvertisingReportEvent): take(event.reports, now)
            default: break
            }
        } catch {
            malformed += 1
        }
    }

    private mutating func take(_ fragments: [AdvertisingReport], _ now: Instant) {
        for fragment in fragments {
            for report in reassembler.received(fragment, now: now) {
                reports += 1
                table.received(report, AdvertisingData(parsing: report.data), now: now)
            }
        }
    }
}

@Suite("Hostile advertisers, from octets to the table")
struct HostileAdvertiserTests {
    private func legacy(_ data: [UInt8], address: UInt64 = 1) -> [UInt8] {
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: address), .random),
            properties: .advInd,
            rssi: -60,
            data: data
        )
        return HCIPacket.event(LEAdvertisingReportEvent([report]).packet).encoded()
    }

    @Test("if the data of one address change with every report, only the last are kept")
    func alternating() throws {
        var pipeline = Pipeline()
        for round in 0..<1_000 {
            let name = ADElement.localName(ADLocalName("name \(round)"))
            let service = ADElement.services(ADServiceList(.complete, .bits16, [BluetoothUUID(UInt16(round))]))
            pipeline.received(legacy(AdvertisingData([name, service]).encoded()))
        }
        let info = try #require(pipeline.table.advertisers.first)
        #expect(pipeline.table.count == 1)
        #expect(info.reportCount == 1_000)
        #expect(info.name?.text == "name 999")
        #expect(info.services.count == AdvertiserInfo.Limit.services)
    }

    @Test("the table stays as large as it is with 10,000 addresses")
    func addressFlood() {
        var pipeline = Pipeline()
        for address in 0..<10_000 as Range<UInt64> { pipeline.received(legacy([2, 1, 6], address: address)) }
        #expect(pipeline.reports == 10_000)
        #expect(pipeline.table.count == 64)
        #expect(pipeline.table.evictedCount == 9_936)
    }

    @Test(
        "names with control characters, escapes, bidi marks and markup arrive as they were sent",
        arguments: [
            "1b5b324a", "1b5d303b7807", "9b33316d", "07", "0d0a", "7f", "c29b", "e280ae", "e2808b", "0922", "5c",
            "3c2f7363726970743e", "2428726d29", "2d2d68656c70", "ff", "c0af", "eda080", "e282",
        ]
    )
    func names(_ hex: String) throws {
        let name = ADLocalName(octets("61" + hex + "62"), isComplete: true)
        var pipeline = Pipeline()
        pipeline.received(legacy(AdvertisingData([.localName(name)]).encoded()))
        let info = try #require(pipeline.table.advertisers.first)
        #expect(info.name?.bytes == octets("61" + hex + "62"))
        #expect(info.name?.text.hasPrefix("a") == true)
        #expect(info.name?.text.hasSuffix("b") == true)
    }

    @Test("a truncated event, or one with a wrong count or length, is counted and dropped")
    func lies() {
        let packet = legacy([2, 1, 6])
        var pipeline = Pipeline()
        for length in 0..<packet.count { pipeline.received(Array(packet.prefix(length))) }
        for value in [2, 25, 255] as [UInt8] {
            var count = packet
            count[4] = value
            pipeline.received(count)
            var length = packet
            length[13] = max(value, 4)
            pipeline.received(length)
        }
        #expect(pipeline.malformed == packet.count + 6)
        #expect(pipeline.reports == 0)
        pipeline.received(packet)
        #expect(pipeline.reports == 1)
    }

    @Test("randomly changed octets never trap")
    func mutations() {
        var generator = SeededGenerator(seed: 0x484F_5354)
        var pipeline = Pipeline()
        let extended = LEExtendedAdvertisingReportEvent([
            AdvertisingReport(
                address: DeviceAddress(BluetoothAddress(rawValue: 5), .random),
                properties: [.scannable],
                dataStatus: .moreToCome,
                secondaryPHY: .le2M,
                advertisingSID: 1,
                rssi: -60,
                data: octets("020106 0303aafe 0516aafe10ec 05094e616d65")
            )
        ])
        let originals = [legacy(octets("020106 05ff4c001002")), HCIPacket.event(extended.packet).encoded()]
        for round in 0..<20_000 {
            var packet = originals[round % 2]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 3..<packet.count, using: &generator)
                packet[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            pipeline.received(packet, now: Instant(nanoseconds: Int64(round) * 10_000_000))
        }
        #expect(pipeline.table.count <= 64)
        #expect(pipeline.reports > 1_000)
        #expect(pipeline.malformed > 1_000)
        #expect(pipeline.reassembler.flush().count <= 16)
    }
}
