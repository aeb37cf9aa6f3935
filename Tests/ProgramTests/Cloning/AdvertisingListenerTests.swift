// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing
import Toolkit

@testable import CaptureCommands
@testable import Commands
@testable import Toolkit

@Suite("Listening to the device that is cloned")
struct AdvertisingListenerTests {
    private static let beacon = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)

    /// An advertisement with the Heart Rate service.
    private static func report(_ properties: AdvertisingReport.Properties, on phy: LEPHY, second: Int64) -> ScanReport {
        let report = AdvertisingReport(
            address: beacon,
            properties: properties,
            primaryPHY: phy,
            secondaryPHY: phy,
            advertisingSID: 0,
            rssi: -50,
            data: [0x03, 0x03, 0x0D, 0x18]
        )
        return ScanReport(report, Instant(nanoseconds: second * 1_000_000_000), WallTime(nanosecondsSince1970: 0))
    }

    @Test func `a beacon that the last scan misses keeps its earlier advertisements`() async throws {
        let listener = AdvertisingListener(selector: .advertising(name: nil, services: [0x180D]))
        for second: Int64 in 0..<5 {
            let isFound = await listener.add(Self.report([], on: .coded, second: second))
            #expect(!isFound)
        }
        let isSettled = await listener.settle()
        #expect(isSettled)
        let earlier = await listener.heard
        #expect(earlier.sets.map(\.interval) == [.seconds(1)])
        // What the last scan hears takes precedence: it has no gaps.
        _ = await listener.add(Self.report([], on: .le1M, second: 10))
        let last = await listener.heard
        #expect(last.sets.count == 1 && last.remarks.count == 1)
        guard case .extended(_, _, .le1M, .le1M)? = last.sets.first?.kind else {
            Issue.record("\(last.sets)")
            return
        }
    }
}
