// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Commands

@Suite("The interval of a device that is heard now and then")
struct AdvertisingRhythmTests {
    private static func report(_ milliseconds: Int64, isResponse: Bool = false) -> ScanReport {
        let report = AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
            properties: isResponse ? .scanRsp : .advInd,
            rssi: -50,
            data: []
        )
        let instant = Instant(nanoseconds: milliseconds * 1_000_000)
        return ScanReport(report, instant, WallTime(nanosecondsSince1970: milliseconds * 1_000_000))
    }

    private static func history(_ reports: [ScanReport], by adapter: String? = nil) throws -> DeviceHistory {
        var table = AdvertiserTable()
        var history: DeviceHistory?
        for report in reports {
            let info = table.received(report.report, report.data, now: report.instant)
            if history?.add(report, info, by: adapter) == nil {
                history = DeviceHistory(report, info, by: adapter)
            }
        }
        return try #require(history)
    }

    /// Of the advertisements of a device that sends each 417 ms, those that are heard.
    private static let heard = [0, 2, 6, 7, 11, 14, 15, 20, 24, 25, 29, 33, 34].map { report($0 * 417) }

    @Test func `the summary shows the interval of what is sent, and not of what is heard`() throws {
        #expect(try Self.history(Self.heard).interval == 417)
        #expect(try Self.history(Self.heard, by: "hci0").interval == 417)
    }

    @Test func `the summary and the live table agree`() throws {
        var track = AdvertiserTrack()
        for (index, report) in Self.heard.enumerated() {
            #expect((track.interval == nil) == (index < 5), "four times between five advertisements")
            track.received(report)
        }
        #expect(track.interval == .milliseconds(417))
    }

    @Test func `a short scan has an estimate from two advertisements, and none from one`() throws {
        #expect(try Self.history([Self.report(0)]).interval == nil)
        #expect(try Self.history([Self.report(0), Self.report(3, isResponse: true)]).interval == nil)
        #expect(try Self.history([Self.report(0), Self.report(100)]).interval == 100)
        let answered = [0, 100, 200].flatMap { [Self.report($0), Self.report($0 + 7, isResponse: true)] }
        #expect(try Self.history(answered).interval == 100)
    }

    @Test func `the adapter that has heard it first gives the rhythm`() {
        var rhythm = AdvertisingRhythm()
        for number in 0..<10 as Range<Int64> {
            rhythm.received(Self.report(number * 100), by: "hci0")
            rhythm.received(Self.report(number * 100 + 30), by: "hci1")
        }
        #expect(rhythm.interval(fromGaps: 4) == .milliseconds(100))
        #expect(rhythm.interval(fromGaps: 10) == nil)
    }
}
