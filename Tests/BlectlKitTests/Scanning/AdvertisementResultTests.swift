// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import BlectlKit

@Suite("AdvertisementResult")
struct AdvertisementResultTests {
    /// Whether the record of a scan response says that its sender accepts a connection, after an advertisement.
    private func isConnectable(
        response: AdvertisingReport.Properties,
        after advertisement: AdvertisingReport.Properties
    ) -> Bool {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)
        var table = AdvertiserTable()
        var json = JSONWriter()
        for properties in [advertisement, response] {
            let report = AdvertisingReport(address: address, properties: properties, rssi: -50, data: [])
            let scanned = ScanReport(report, Instant(nanoseconds: 0), WallTime(nanosecondsSince1970: 0))
            json = JSONWriter()
            let device = table.received(report, scanned.data, now: scanned.instant)
            AdvertisementResult(report: scanned, device: device).write(to: &json)
        }
        return String(decoding: json.bytes, as: UTF8.self).contains(#""connectable":true"#)
    }

    @Test func `a scan response is connectable if its sender is, whether its report says it or not`() {
        #expect(isConnectable(response: .scanRsp, after: .advInd))
        #expect(isConnectable(response: .scanRsp.union(.connectable), after: .advInd))
        #expect(!isConnectable(response: .scanRsp, after: .advScanInd))
    }
}
