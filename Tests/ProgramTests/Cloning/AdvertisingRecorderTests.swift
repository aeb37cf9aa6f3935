// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import Toolkit

@Suite("Advertising sets from reports")
struct AdvertisingRecorderTests {
    private static let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)

    private static func report(
        _ data: [UInt8],
        at nanoseconds: Int64,
        _ properties: AdvertisingReport.Properties = .advInd,
        sid: UInt8? = nil
    ) -> ScanReport {
        let report = AdvertisingReport(
            address: address,
            properties: properties,
            secondaryPHY: sid == nil ? nil : .le2M,
            advertisingSID: sid,
            txPower: 4,
            rssi: -50,
            target: properties.contains(.directed) ? address : nil,
            data: data
        )
        return ScanReport(report, Instant(nanoseconds: nanoseconds), WallTime(nanosecondsSince1970: 0))
    }

    @Test(arguments: [20, 152.5, 211.25, 1_000, 10_240])
    func `an interval is found despite delays and losses`(_ milliseconds: Double) throws {
        var random = SeededGenerator(seed: 3)
        var recorder = AdvertisingRecorder()
        var time: Int64 = 0
        for number in 0..<60 {
            time += Int64(milliseconds * 1_000_000) + Int64.random(in: 0...10_000_000, using: &random)
            guard number % 5 != 3 else { continue }
            recorder.add(Self.report([2, 1, 6], at: time))
        }
        let set = try #require(recorder.sets.first)
        let found = Double(set.interval.clampedNanoseconds) / 1_000_000
        #expect(abs(found - milliseconds) < 3, "\(found)")
        #expect(set.kind == .connectable && set.scanResponse == nil && set.frames.count == 1)
    }

    @Test func `an interval without random delays is exact`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<10 { recorder.add(Self.report([2, 1, 6], at: Int64(number) * 100_000_000)) }
        #expect(recorder.sets.first?.interval == .milliseconds(100))
    }

    @Test func `an interval is found by a host that gets some reports late`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<60 {
            let lateness: Int64 = number % 7 == 3 ? 30_000_000 : 0
            recorder.add(Self.report([2, 1, 6], at: Int64(number) * 45_000_000 + lateness))
        }
        let found = try #require(recorder.sets.first).interval
        #expect(found >= .milliseconds(40) && found <= .milliseconds(46), "\(found)")
    }

    @Test func `a set that was heard once has no known interval`() {
        var recorder = AdvertisingRecorder()
        recorder.add(Self.report([2, 1, 6], at: 0))
        #expect(recorder.sets.first?.interval == .seconds(1))
        #expect(recorder.remarks.count == 1)
    }

    @Test func `reports that are further apart than any interval tell none`() {
        var recorder = AdvertisingRecorder()
        for minute in 0..<6 {
            let time = Int64(minute) * 60_000_000_000
            recorder.add(Self.report([2, 1, 6], at: time))
            recorder.add(Self.report([2, 1, 6], at: time, [], sid: 1))
        }
        #expect(recorder.sets.map(\.interval) == [.seconds(1), .seconds(60)])
        #expect(recorder.remarks == ["a set was received too seldom to tell its interval; 1 s is assumed"])
        // The times of a capture may be any.
        recorder.add(Self.report([2, 1, 6], at: .max))
        recorder.add(Self.report([2, 1, 6], at: 0))
        recorder.add(Self.report([2, 1, 6], at: .max))
        #expect(recorder.sets.map(\.interval) == [.seconds(1), .seconds(60)])
    }

    @Test func `what a device file cannot have is left out`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<2 {
            let time = Int64(number) * 100_000_000
            recorder.add(Self.report([2, 1, 6], at: time, [.connectable, .directed], sid: 1))
            recorder.add(Self.report([], at: time, .advDirectInd))
            recorder.add(Self.report([UInt8](repeating: 0, count: 32), at: time, .advNonconnInd))
        }
        #expect(recorder.sets.map(\.target) == [nil, Self.address])
        #expect(recorder.remarks.count == 1)
        var device = DeviceDefinition(label: "x", address: Self.address, hasStandardServices: false)
        device.advertising = recorder.sets
        let file = Array(DeviceFile.text(of: device).utf8)
        #expect(try DeviceFile.read(file, named: "x").advertising == device.advertising)
    }

    @Test func `octets are kept exactly, valid or invalid`() throws {
        for data in [
            [], [2, 1, 6], [3, 3, 0x0D, 0x18], [2, 1], [0, 7], [5, 9, 0xFF, 0xFE, 0x41, 0x42], [2, 0x0A],
        ] as [[UInt8]] {
            var recorder = AdvertisingRecorder()
            recorder.add(Self.report(data, at: 0))
            #expect(recorder.sets.first?.data(.start) == data)
        }
    }

    @Test func `frames are sent in the order of their reports`() throws {
        var recorder = AdvertisingRecorder()
        let order: [UInt8] = [1, 2, 1, 3]
        for number in 0..<16 {
            recorder.add(Self.report([2, 0x0A, order[number % 4]], at: Int64(number) * 100_000_000))
        }
        #expect(recorder.sets.first?.frames.map { $0.encoded(at: .start)[2] } == order)
    }

    @Test func `data that never repeat are limited, with a report`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<2_000 {
            let data = [3, 0xFF, UInt8(number / 256), UInt8(number % 256)]
            recorder.add(Self.report(data, at: Int64(number) * 100_000_000))
        }
        #expect(recorder.sets.first?.frames.count == 32)
        #expect(recorder.remarks.count == 1)
    }

    @Test func `telemetry of Eddystone becomes one frame that counts on`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<50 {
            let counters = [UInt8](repeating: 0, count: 7) + [UInt8(number)]
            let data: [UInt8] = [0x11, 0x16, 0xAA, 0xFE, 0x20, 0x00, 0x0B, 0xB8, 0x15, 0x80] + counters
            recorder.add(Self.report(data, at: Int64(number) * 100_000_000, .advNonconnInd))
        }
        let field = AdvertisingFrame.Field.eddystoneTelemetry(millivolts: 3_000, temperature: 21.5)
        #expect(recorder.sets.first?.frames == [AdvertisingFrame([field])])
        #expect(recorder.remarks.isEmpty)
    }

    @Test func `scan responses belong to their sets, and sets are told apart`() throws {
        var recorder = AdvertisingRecorder()
        for number in 0..<4 {
            let time = Int64(number) * 100_000_000
            recorder.add(Self.report([2, 1, 6], at: time))
            recorder.add(Self.report([2, 0x0A, 4], at: time, .scanRsp))
            recorder.add(Self.report([2, 1, 4], at: time, .advNonconnInd))
            recorder.add(Self.report([2, 1, 2], at: time, [], sid: 3))
        }
        let sets = recorder.sets
        try #require(sets.count == 3)
        #expect(sets[0].response(.start) == [2, 0x0A, 4] && sets[0].txPower == nil)
        #expect(sets[1].kind == .nonConnectable && sets[1].scanResponse == nil)
        #expect(sets[2].kind == .extended(sid: 3, isConnectable: false, primaryPHY: .le1M, secondaryPHY: .le2M))
        #expect(sets[2].txPower == 4)
        #expect(recorder.remarks.isEmpty)
        recorder.add(Self.report([2, 0x0A, 5], at: 400_000_000, .scanRsp))
        #expect(recorder.sets[0].response(.start) == [2, 0x0A, 5])
        #expect(recorder.remarks == ["its scan responses change; the last one is kept"])
    }

    @Test func `the number of sets that a device can cause is limited`() {
        var recorder = AdvertisingRecorder()
        for sid in 0..<200 { recorder.add(Self.report([2, 1, 6], at: 0, [], sid: UInt8(sid))) }
        #expect(recorder.sets.count == 16)
    }
}
