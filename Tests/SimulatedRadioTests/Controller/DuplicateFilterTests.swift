// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import SimulatedRadio

@Suite("Duplicate filter")
struct DuplicateFilterTests {
    private static func report(
        _ number: UInt64,
        _ properties: AdvertisingReport.Properties = .advInd,
        sid: UInt8? = nil,
        data: [UInt8] = []
    ) -> AdvertisingReport {
        let address = DeviceAddress(BluetoothAddress(rawValue: number), .public)
        return AdvertisingReport(
            address: address,
            properties: properties,
            advertisingSID: sid,
            rssi: Int8(truncatingIfNeeded: number),
            data: data
        )
    }

    @Test func `legacy advertisements are told apart by report type and address, not by their data`() {
        var filter = DuplicateFilter()
        func admits(_ report: AdvertisingReport) -> Bool { filter.insert(report) }
        #expect(admits(Self.report(1)))
        #expect(!admits(Self.report(1, data: [0x02, 0x01, 0x06])))
        #expect(admits(Self.report(1, .scanRsp)))
        #expect(admits(Self.report(2)))
        filter.reset()
        #expect(admits(Self.report(1)))
    }

    @Test func `extended advertisements are also told apart by their set and data`() {
        var filter = DuplicateFilter()
        func admits(_ report: AdvertisingReport) -> Bool { filter.insert(report) }
        #expect(admits(Self.report(1, [], sid: 1)))
        #expect(!admits(Self.report(1, [], sid: 1)))
        #expect(admits(Self.report(1, [], sid: 2)))
        #expect(admits(Self.report(1, [], sid: 1, data: [0x00])))
    }

    @Test func `a full table forgets the oldest`() {
        var filter = DuplicateFilter(limit: 3)
        func admits(_ report: AdvertisingReport) -> Bool { filter.insert(report) }
        for number in 1...4 as ClosedRange<UInt64> { #expect(admits(Self.report(number))) }
        #expect(filter.count == 3)
        #expect(!admits(Self.report(2)))
        #expect(admits(Self.report(1)))
        #expect(admits(Self.report(2)))
        #expect(filter.count == 3)
    }
}
