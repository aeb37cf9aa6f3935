// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

private let strap = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)

private func report(
    _ elements: [ADElement],
    _ properties: AdvertisingReport.Properties = .advInd,
    address: DeviceAddress = strap,
    sid: UInt8? = nil,
    txPower: Int8? = nil,
    rssi: Int8? = -60
) -> (AdvertisingReport, AdvertisingData) {
    let data = AdvertisingData(elements)
    let report = AdvertisingReport(
        address: address,
        properties: properties,
        advertisingSID: sid,
        txPower: txPower,
        rssi: rssi,
        data: data.encoded()
    )
    return (report, data)
}

extension AdvertiserInfo {
    fileprivate init(_ first: (AdvertisingReport, AdvertisingData), at instant: Instant = .zero) {
        self.init(first.0, first.1, now: instant)
    }

    fileprivate mutating func merge(_ next: (AdvertisingReport, AdvertisingData), at instant: Instant = .zero) {
        merge(next.0, next.1, now: instant)
    }
}

@Suite("What is known of an advertiser")
struct AdvertiserInfoTests {
    @Test("advertisement and scan response are merged")
    func addUp() {
        var info = AdvertiserInfo(
            report([.flags([.generalDiscoverable]), .services(ADServiceList(.complete, .bits16, [0x180D]))])
        )
        info.merge(
            report(
                [
                    .localName(ADLocalName("Strap")), .txPower(4),
                    .services(ADServiceList(.complete, .bits16, [0x180F])),
                ],
                .scanRsp,
                rssi: -70
            ),
            at: .zero + .seconds(3)
        )
        #expect(info.address == strap)
        #expect(info.name == ADLocalName("Strap"))
        #expect(info.services == [0x180D, 0x180F])
        #expect(info.flags == [.generalDiscoverable])
        #expect(info.txPower == 4)
        #expect(info.rssi == -70)
        #expect(info.reportCount == 2)
        #expect(info.isConnectable && info.isScannable && info.hasScanResponse && info.isLegacy)
        #expect(info.firstSeen == .zero)
        #expect(info.lastSeen == .zero + .seconds(3))
    }

    @Test("a complete name beats a shortened one, the newer beats the older, an empty one says nothing")
    func names() {
        var info = AdvertiserInfo(report([.localName(ADLocalName("St", isComplete: false))]))
        info.merge(report([.localName(ADLocalName("Str", isComplete: false))]))
        #expect(info.name?.text == "Str")
        info.merge(report([.localName(ADLocalName("Strap"))]))
        info.merge(report([.localName(ADLocalName("Str", isComplete: false))]))
        #expect(info.name == ADLocalName("Strap"))
        info.merge(report([.localName(ADLocalName("")), .localName(ADLocalName([0, 0x41], isComplete: true))]))
        #expect(info.name == ADLocalName("Strap"))
        info.merge(report([.localName(ADLocalName("Belt"))]))
        #expect(info.name == ADLocalName("Belt"))
    }

    @Test("data of manufacturers and services: the last of each counts")
    func data() {
        var info = AdvertiserInfo(report([.manufacturerData(ADManufacturerData(company: 0x0059, [1]))]))
        info.merge(
            report([
                .manufacturerData(ADManufacturerData(company: 2, [2])),
                .manufacturerData(ADManufacturerData(company: 0x0059, [3])),
                .serviceData(ADServiceData(0x180F, [99])), .appearance(0x0341),
                .services(ADServiceList(.solicited, .bits16, [0x1805])),
            ])
        )
        info.merge(report([.serviceData(ADServiceData(0x180F, [98]))]))
        #expect(
            info.manufacturerData == [ADManufacturerData(company: 0x0059, [3]), ADManufacturerData(company: 2, [2])]
        )
        #expect(info.serviceData == [ADServiceData(0x180F, [98])])
        #expect(info.appearance == 0x0341)
        #expect(info.solicitedServices == [0x1805])
        #expect(info.advertises(0x180F))
        #expect(!info.advertises(0x1805))
        #expect(info.hasManufacturerData(company: 2))
        #expect(!info.hasManufacturerData(company: 3))
    }

    @Test("the controller's transmit power counts if the device states none")
    func power() {
        var info = AdvertiserInfo(report([], [.connectable], txPower: 7))
        #expect(info.txPower == 7)
        info.merge(report([.txPower(2)], [.connectable], txPower: 7))
        #expect(info.txPower == 2)
        info.merge(report([], rssi: nil))
        #expect(info.rssi == -60)
        #expect(info.txPower == 2)
    }

    @Test("a beacon is kept, and replaced by the next one")
    func beacon() throws {
        let first = Beacon(IBeacon(uuid: 0x1234, major: 1, minor: 2, measuredPower: -59))
        let second = Beacon(try #require(EddystoneURL(txPower: 0, url: "https://a.com")))
        var info = AdvertiserInfo(report(first.elements, .advNonconnInd))
        #expect(info.beacon == first)
        #expect(!info.isConnectable)
        info.merge(report([.flags([])], .advNonconnInd))
        #expect(info.beacon == first)
        info.merge(report(second.elements, .advNonconnInd))
        #expect(info.beacon == second)
    }

    @Test("the data kept for one device is bounded")
    func bounded() {
        var info = AdvertiserInfo(report([]))
        for round in 0..<2_000 as Range<UInt16> {
            info.merge(
                report([
                    .services(ADServiceList(.complete, .bits16, [BluetoothUUID(round)])),
                    .services(ADServiceList(.solicited, .bits16, [BluetoothUUID(round)])),
                    .manufacturerData(ADManufacturerData(company: round, [1])),
                    .serviceData(ADServiceData(BluetoothUUID(round), [1])),
                ])
            )
        }
        #expect(info.services.count == AdvertiserInfo.Limit.services)
        #expect(info.solicitedServices.count == AdvertiserInfo.Limit.services)
        #expect(info.manufacturerData.count == AdvertiserInfo.Limit.manufacturers)
        #expect(info.serviceData.count == AdvertiserInfo.Limit.serviceData)
        #expect(info.forgottenCount == 2_000 - info.manufacturerData.count + 2_000 - info.serviceData.count)
        info.merge(report([.manufacturerData(ADManufacturerData(company: 0, [2]))]))
        #expect(info.manufacturerData.last == ADManufacturerData(company: 0, [2]), "the newest are kept")
        #expect(info.manufacturerData.count == AdvertiserInfo.Limit.manufacturers)
    }

    @Test func `of several beacons in turn the last content of each is kept`() throws {
        func telemetry(_ count: UInt32) -> Beacon {
            Beacon(
                EddystoneTLM(
                    batteryMillivolts: 3_000,
                    temperature256ths: nil,
                    advertisementCount: count,
                    uptimeTenths: count
                )
            )
        }
        let url = Beacon(try #require(EddystoneURL(txPower: 0, url: "https://a.com")))
        let others = [1, 2].map { Beacon(IBeacon(uuid: 0x1234, major: 1, minor: $0, measuredPower: -59)) }
        var info = AdvertiserInfo(report(url.elements))
        for round in 0..<100 as Range<UInt32> {
            for beacon in [url, telemetry(round)] + others { info.merge(report(beacon.elements)) }
        }
        #expect(info.beacons == [url, telemetry(99)] + others)
        #expect(info.beacon == others.last)
        #expect(info.serviceData.count == 2 && info.manufacturerData.count == 2)
        #expect(info.forgottenCount == 0)
    }

    @Test func `measurements that a sensor sends in parts are all kept`() throws {
        func parts(_ hex: String) throws -> Beacon {
            try #require(Beacon(.serviceData(ADServiceData(MiBeacon.service, octets(hex)))))
        }
        let (warm, warmer) = (try parts("5020aa01da219335342d580d1004fe004802"), "5020aa01db219335342d580d1004ff004802")
        let battery = try parts("5020aa01dc219335342d580a100164")
        var info = AdvertiserInfo(report(warm.elements))
        info.merge(report(battery.elements))
        info.merge(report(try parts(warmer).elements))
        #expect(info.beacons == [try parts(warmer), battery])
    }

    @Test func `data of one company or service are kept from each place`() {
        func data(_ octets: [UInt8]...) -> [ADElement] {
            octets.map { .manufacturerData(ADManufacturerData(company: 1, $0)) }
                + octets.map { .serviceData(ADServiceData(0x180F, $0)) }
        }
        var info = AdvertiserInfo(report(data([1], [2])))
        info.merge(report(data([3]), .scanRsp))
        #expect(info.manufacturerData.map(\.data) == [[1], [2], [3]])
        #expect(info.serviceData.map(\.data) == [[1], [2], [3]])
        info.merge(report(data([4], [2])))
        info.merge(report(data([5]), .scanRsp))
        #expect(info.manufacturerData.map(\.data) == [[4], [2], [5]], "the last one from each place")
        info.merge(report(data([4]), .scanRsp))
        #expect(info.serviceData.map(\.data) == [[4], [2]], "equal data once")
        info.merge(report(data([6]), [], sid: 3))
        #expect(info.serviceData.map(\.data) == [[4], [2], [6]])
        #expect(info.forgottenCount == 0)
    }

    @Test func `ever new beacons make room for each other, and are counted`() {
        var info = AdvertiserInfo(report([]))
        let steady = Beacon(IBeacon(uuid: 0x1234, major: 0xFFFF, minor: 0, measuredPower: -59))
        for minor in 0..<1_000 as Range<UInt16> {
            info.merge(report(steady.elements))
            info.merge(report(Beacon(IBeacon(uuid: 0x1234, major: 1, minor: minor, measuredPower: -59)).elements))
        }
        let kept = info.beacons.compactMap { ($0.content as? IBeacon)?.minor }
        #expect(kept == [0] + Array(993..<1_000), "the one that is sent all the time stays")
        #expect(info.beacons.first == steady)
        #expect(info.forgottenCount == 2 * (1_001 - AdvertiserInfo.Limit.beacons), "beacons and manufacturer data")
    }
}

@Suite("The table of advertisers")
struct AdvertiserTableTests {
    private func device(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(BluetoothAddress(rawValue: number), .random)
    }

    private func receive(_ table: inout AdvertiserTable, _ number: UInt64, at second: Int = 0) -> AdvertiserInfo {
        let (report, data) = report([], address: device(number))
        return table.received(report, data, now: .zero + .seconds(second))
    }

    @Test("reports of one address belong to one advertiser")
    func merges() {
        var table = AdvertiserTable()
        #expect(receive(&table, 1).reportCount == 1)
        #expect(receive(&table, 1).reportCount == 2)
        #expect(receive(&table, 2).reportCount == 1)
        let (other, data) = report([], address: DeviceAddress(BluetoothAddress(rawValue: 1), .public))
        #expect(table.received(other, data, now: .zero).reportCount == 1)
        #expect(table.count == 3)
        #expect(table.evictedCount == 0)
    }

    @Test("anonymous advertisers are told apart by their sets")
    func anonymous() {
        var table = AdvertiserTable()
        let nobody = DeviceAddress(BluetoothAddress(rawValue: 0), .anonymous)
        for sid in [1, 2, 1] as [UInt8] {
            let (report, data) = report([], [], address: nobody, sid: sid)
            table.received(report, data, now: .zero)
        }
        #expect(table.count == 2)
        // The sets of a device with an address belong to one advertiser.
        for sid in [1, 2] as [UInt8] {
            let (report, data) = report([], [], sid: sid)
            table.received(report, data, now: .zero)
        }
        #expect(table.count == 3)
    }

    @Test("the advertiser that was silent longest is removed first")
    func eviction() {
        var table = AdvertiserTable(limit: 3)
        for number in [1, 2, 3, 1, 4] as [UInt64] { _ = receive(&table, number) }
        #expect(Set(table.advertisers.map(\.address)) == [device(1), device(3), device(4)])
        #expect(table.evictedCount == 1)
        #expect(receive(&table, 3).reportCount == 2)
        _ = receive(&table, 5)
        #expect(Set(table.advertisers.map(\.address)) == [device(3), device(4), device(5)])
        #expect(receive(&table, 1).reportCount == 1)
        #expect(Set(table.advertisers.map(\.address)) == [device(3), device(5), device(1)])
    }

    @Test("a table with room for one advertiser")
    func single() {
        var table = AdvertiserTable(limit: 1)
        for number in [1, 1, 2, 2, 1] as [UInt64] { _ = receive(&table, number) }
        #expect(table.advertisers.map(\.address) == [device(1)])
        #expect(table.advertisers.first?.reportCount == 1)
        #expect(table.evictedCount == 2)
    }

    @Test("it behaves like a plain list, for any order of reports")
    func model() {
        var generator = SeededGenerator(seed: 0x5441_424C)
        var table = AdvertiserTable(limit: 8)
        var order: [UInt64] = []
        for _ in 0..<5_000 {
            let number = UInt64.random(in: 0..<24, using: &generator)
            let isKnown = order.contains(number)
            #expect((receive(&table, number).reportCount > 1) == isKnown)
            order.removeAll { $0 == number }
            order.append(number)
            if order.count > 8 { order.removeFirst() }
            #expect(Set(table.advertisers.map(\.address.address.rawValue)) == Set(order))
        }
    }

    @Test("the table stays bounded with 100,000 addresses")
    func flood() {
        var table = AdvertiserTable(limit: 1_000)
        for number in 0..<100_000 as Range<UInt64> { _ = receive(&table, number) }
        #expect(table.count == 1_000)
        #expect(table.evictedCount == 99_000)
        #expect(receive(&table, 99_999).reportCount == 2)
    }
}
