// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Foundation
import Terminal
import Testing

@testable import Commands
@testable import Records

@Suite("AdvertisementResult")
struct AdvertisementResultTests {
    /// Whether the record of a scan response says that its sender accepts a connection, after an advertisement.
    private func isConnectable(
        response: AdvertisingReport.Properties,
        after advertisement: AdvertisingReport.Properties
    ) -> Bool {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)
        var table = AdvertiserTable()
        var line: [UInt8] = []
        for properties in [advertisement, response] {
            let report = AdvertisingReport(address: address, properties: properties, rssi: -50, data: [])
            let scanned = ScanReport(report, Instant(nanoseconds: 0), WallTime(nanosecondsSince1970: 0))
            let device = table.received(report, scanned.data, now: scanned.instant)
            line = Output.line(of: AdvertisementResult(report: scanned, device: device))
        }
        return String(decoding: line, as: UTF8.self).contains(#""connectable":true"#)
    }

    @Test func `a scan response is connectable if its advertisement is, whatever its report says`() {
        #expect(isConnectable(response: .scanRsp, after: .advInd))
        #expect(isConnectable(response: .scanRsp.union(.connectable), after: .advInd))
        #expect(!isConnectable(response: .scanRsp, after: .advScanInd))
    }

    private func line(_ hex: String) throws -> String {
        let octets = try #require(Hex.bytes(hex.filter { $0 != " " }))
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            properties: .advInd,
            rssi: -50,
            data: octets
        )
        let scanned = ScanReport(report, Instant(nanoseconds: 0), WallTime(nanosecondsSince1970: 0))
        var table = AdvertiserTable()
        let device = table.received(report, scanned.data, now: scanned.instant)
        let line = try #require(AdvertisementResult(report: scanned, device: device).text(.plain))
        return String(line.split(separator: "(no name)", maxSplits: 1).last ?? "").trimmingCharacters(in: .whitespaces)
    }

    @Test func `a device that sends only data has a line that says whose`() throws {
        #expect(try line("0416cdab01") == "service data 0xABCD")
        #expect(try line("041695fe01") == "service data MiBeacon (Xiaomi Inc.)")
        #expect(try line("0416cdab01 0416cdab02") == "service data 0xABCD", "each service once")
        #expect(try line("05fff10501 02 05fff10501 03 0416cdab01") == "The Linux Foundation, service data 0xABCD")
        #expect(try line("0303cdab 0416cdab01") == "0xABCD", "the list names it already")
        #expect(try line("0516b2fc0101 0416cdab01") == "Location tracker Apple near its owner")
    }

    @Test func `a record has all beacons of its report, the first one also alone`() throws {
        let data = try #require(
            Hex.bytes("1aff4c000215f7826da64fa24e988024bc5b71e0893e0001002ac5" + "0a16aafe10ec0261046208")
        )
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            properties: [],
            rssi: -50,
            data: data
        )
        let scanned = ScanReport(report, Instant(nanoseconds: 0), WallTime(nanosecondsSince1970: 0))
        var table = AdvertiserTable()
        let device = table.received(report, scanned.data, now: scanned.instant)
        let result = AdvertisementResult(report: scanned, device: device)
        let record = String(decoding: Output.line(of: result), as: UTF8.self)
        let first = #"{"kind":"ibeacon","major":1,"measured_power_dbm":-59,"minor":42,"#
        #expect(record.contains(#""beacon":"# + first), "\(record)")
        #expect(record.contains(#""beacons":["# + first) && record.contains(#""kind":"eddystone-url""#), "\(record)")
        #expect(scanned.data.beacons.map(\.kind) == ["ibeacon", "eddystone-url"])
    }

    @Test func `a private service has its name of the format file, in the list and with its data`() {
        let formats = FormatCatalogue(services: [FormatCatalogue.Service(0xFFF0, "Acme Climate")])
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            properties: .advInd,
            rssi: -50,
            data: [0x03, 0x03, 0xF0, 0xFF, 0x04, 0x16, 0xF0, 0xFF, 0x2A]
        )
        let scanned = ScanReport(report, Instant(nanoseconds: 0), WallTime(nanosecondsSince1970: 0))
        var table = AdvertiserTable()
        let device = table.received(report, scanned.data, now: scanned.instant)
        let result = AdvertisementResult(report: scanned, device: device, formats: formats)
        let record = String(decoding: Output.line(of: result), as: UTF8.self)
        #expect(record.contains(#""service_names":["Acme Climate"]"#), "\(record)")
        let data = #""service_data":[{"data":"2a","name":"Acme Climate","uuid":"0xFFF0"}]"#
        #expect(record.contains(data), "\(record)")
        #expect(result.text(.plain)?.hasSuffix("(no name)  Acme Climate") == true)
    }
}
