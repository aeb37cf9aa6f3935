// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Commands

@Suite("ScanFilter")
struct ScanFilterTests {
    private static func device(rssi: Int8?) -> AdvertiserInfo {
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            properties: .advInd,
            rssi: rssi,
            data: []
        )
        return AdvertiserInfo(report, AdvertisingData(parsing: []), now: .zero)
    }

    @Test(arguments: [-127, -70, -1, 0, 20])
    func `a device with exactly the least signal passes, and one dBm less does not`(_ least: Int) {
        var filter = ScanFilter()
        filter.minimumRSSI = least
        #expect(filter.accepts(Self.device(rssi: Int8(least))))
        #expect(filter.accepts(Self.device(rssi: Int8(least + 1))))
        #expect(!filter.accepts(Self.device(rssi: Int8(least - 1))))
        #expect(!filter.accepts(Self.device(rssi: nil)), "a signal that is not known may be weaker")
    }
}
