// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Scanning the simulated air")
struct ScanningTests {
    private static func scan(
        _ settings: ScanSettings = ScanSettings(),
        for duration: Duration = .seconds(10),
        seed: UInt64 = 1
    ) throws -> Transcript {
        try simulate(try .builtIn(seed: seed)) { system, time in
            let transcript = try await settings.scan(system, for: duration, time)
            #expect(!system.isScanning)
            return transcript
        }
    }

    private static func addresses(_ transcript: Transcript) -> Set<DeviceAddress> {
        Set(transcript.reports.map(\.report.address))
    }

    @Test func `an extended scan hears every device of the world`() throws {
        let world = try SimulatedWorld.builtIn()
        #expect(Self.addresses(try Self.scan()) == Set(world.devices.map(\.address)))
    }

    @Test func `a legacy scan hears all but the extended advertiser`() throws {
        let transcript = try Self.scan(ScanSettings(isExtended: false))
        let world = try SimulatedWorld.builtIn()
        let expected = world.devices.filter { $0.name != "weather-mast" }.map(\.address)
        #expect(Self.addresses(transcript) == Set(expected))
        #expect(transcript.reports.allSatisfy { $0.report.properties.contains(.legacy) })
    }

    @Test func `all kinds of addresses occur`() throws {
        let kinds = Set(Self.addresses(try Self.scan()).map(\.kind))
        #expect(kinds.isSuperset(of: [.public, .randomStatic, .resolvable]))
    }

    @Test(arguments: [true, false])
    func `advertisements come an interval and at most 10 ms apart`(isExtended: Bool) throws {
        let world = try SimulatedWorld.builtIn()
        let reports = try Self.scan(ScanSettings(isExtended: isExtended), for: .seconds(60)).reports
        for device in world.devices {
            let heard = reports.filter {
                $0.report.address == device.address && !$0.report.properties.contains(.scanResponse)
            }
            .filter { $0.report.dataStatus == .complete }
            let interval = try #require(device.advertising.first).interval
            guard device.name != "weather-mast" || isExtended else { continue }
            for (earlier, later) in zip(heard, heard.dropFirst()) {
                // Lost advertisements cause gaps of several intervals.
                let gap = later.instant - earlier.instant
                let intervals = max(1, Int((gap / (interval + .milliseconds(5))).rounded()))
                let range = interval * intervals...(interval + .milliseconds(10)) * intervals
                #expect(range.contains(gap), "\(device.name): \(gap)")
            }
            let most = Duration.seconds(60) / interval + 1
            #expect(Double(heard.count) > most * 0.6, "\(device.name): \(heard.count) of \(most)")
            #expect(Double(heard.count) <= most)
        }
    }

    @Test func `scan responses come in active scans only, as reports of their own`() throws {
        let active = try Self.scan(ScanSettings(isExtended: false)).reports
        let passive = try Self.scan(ScanSettings(isExtended: false, isActive: false)).reports
        #expect(passive.allSatisfy { !$0.report.properties.contains(.scanResponse) })
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        let responses = active.filter {
            $0.report.address == strap.address && $0.report.properties.contains(.scanResponse)
        }
        let advertisements = active.filter {
            $0.report.address == strap.address && !$0.report.properties.contains(.scanResponse)
        }
        #expect(!responses.isEmpty && responses.count <= advertisements.count)
        #expect(responses.allSatisfy { $0.report.data == strap.advertising[0].response(.start) })
        #expect(advertisements.allSatisfy { $0.report.properties == .advInd })
        let beacon = try SimulatedDevice.builtIn("ibeacon")
        #expect(
            !active.contains { $0.report.address == beacon.address && $0.report.properties.contains(.scanResponse) }
        )
    }

    @Test func `an extended scan marks the scan response of a connectable device as connectable`() throws {
        let responses = try Self.scan().reports.filter { $0.report.properties.contains(.scanResponse) }
        #expect(!responses.isEmpty)
        #expect(responses.allSatisfy { $0.report.properties == [.connectable, .scannable, .scanResponse, .legacy] })
    }

    @Test func `some events carry several reports, most carry one`() throws {
        for isExtended in [false, true] {
            let counts = try Self.scan(ScanSettings(isExtended: isExtended)).events.compactMap { event -> Int? in
                switch event {
                case .known(let event as LEAdvertisingReportEvent): event.reports.count
                case .known(let event as LEExtendedAdvertisingReportEvent): event.reports.count
                default: nil
                }
            }
            #expect(counts.contains(2) && counts.filter { $0 == 1 }.count > counts.count / 2)
        }
    }

    @Test func `long extended data come in fragments`() throws {
        let mast = try SimulatedDevice.builtIn("weather-mast")
        let reports = try Self.scan().reports.map(\.report).filter { $0.address == mast.address }
        let first = try #require(reports.first)
        #expect(first.dataStatus == .moreToCome && first.data.count == 229)
        #expect(reports[1].dataStatus == .complete)
        let data = mast.advertising[0].data(.init(uptime: .zero, event: 0))
        #expect(data.count > 300 && data.count <= 458)
        #expect(reports[0].data + reports[1].data == data)
        #expect(first.advertisingSID == 3 && first.secondaryPHY == .le2M && first.txPower == 8)
    }

    @Test func `the duplicate filter reports each advertisement and each scan response once`() throws {
        for isExtended in [false, true] {
            let settings = ScanSettings(isExtended: isExtended, filtersDuplicates: true)
            let reports = try Self.scan(settings, for: .seconds(30)).reports.map(\.report)
            let keys = reports.map { "\($0.address) \($0.properties.contains(.scanResponse)) \($0.dataStatus)" }
            #expect(Set(keys).count == keys.count)
            // Only extended scans receive one of them.
            let devices = try SimulatedWorld.builtIn().devices.count
            #expect(Set(reports.map(\.address)).count == (isExtended ? devices : devices - 1))
        }
    }

    @Test func `a window of half the interval hears about half`() throws {
        let address = try SimulatedDevice.builtIn("ibeacon").address
        func count(window: Duration) throws -> Int {
            let settings = ScanSettings(interval: .milliseconds(60), window: window)
            return try Self.scan(settings, for: .seconds(60)).reports.filter { $0.report.address == address }.count
        }
        let all = try count(window: .milliseconds(60))
        let half = try count(window: .milliseconds(30))
        #expect(0.4...0.6 ~= Double(half) / Double(all))
    }

    @Test func `nothing is heard on a PHY on which nobody advertises`() throws {
        #expect(try Self.scan(ScanSettings(phys: .coded)).reports.isEmpty)
    }

    @Test func `signal strengths move around their mean`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        let reports = try Self.scan(for: .seconds(120)).reports.map(\.report).filter { $0.address == strap.address }
        let strengths = reports.compactMap(\.rssi).map(Int.init)
        let mean = Double(strengths.reduce(0, +)) / Double(strengths.count)
        #expect(abs(mean - Double(strap.signal.rssi)) < 3)
        #expect(Set(strengths).count > 5)
        let largestStep = zip(strengths, strengths.dropFirst()).map { abs($0 - $1) }.max()
        #expect(try #require(largestStep) < 15)
    }

    @Test func `one seed gives one transcript, another seed another`() throws {
        let first = try Self.scan()
        #expect(try Self.scan() == first)
        #expect(try Self.scan(seed: 2) != first)
    }

    @Test func `an additional device does not change what the others send`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        func heard(_ devices: [SimulatedDevice]) throws -> [TimedReport] {
            try simulate(SimulatedWorld(devices: devices)) { system, time in
                try await ScanSettings(isActive: false).scan(system, for: .seconds(10), time).reports
            }
            .filter { $0.report.address == strap.address }
        }
        #expect(try heard([strap]) == heard([.builtIn("ibeacon"), strap, .builtIn("eddystone")]))
    }

    @Test func `Eddystone sends URL and telemetry in turn, and its counters follow the time`() throws {
        let address = try SimulatedDevice.builtIn("eddystone").address
        let reports = try Self.scan(for: .seconds(30)).reports.filter { $0.report.address == address }
        #expect(Set(reports.map { $0.report.data[11] }) == [0x10, 0x20])
        let telemetry = reports.filter { $0.report.data[11] == 0x20 }
        func counters(_ report: TimedReport) throws -> (advertisements: UInt32, tenths: UInt32) {
            var reader = ByteReader(report.report.data[17...])
            return (try reader.uint32BigEndian("ADV_CNT"), try reader.uint32BigEndian("SEC_CNT"))
        }
        let first = try counters(try #require(telemetry.first))
        let last = try counters(try #require(telemetry.last))
        #expect(270...300 ~= last.tenths - first.tenths)
        #expect(80...96 ~= last.advertisements - first.advertisements)
        let interval = Double(first.tenths) / 10 / Double(first.advertisements)
        #expect(abs(interval - 0.32375) < 0.003)
    }

    @Test func `10,000 advertisers are heard, and a slow reader's queue stays bounded`() throws {
        let devices = (0..<10_000).map { number in
            SimulatedDevice(
                name: "tag \(number)",
                address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_00 + UInt64(number)), .random),
                rssi: -60,
                advertising: [DeviceAdvertising(.nonConnectable, interval: .seconds(1), data: [0x02, 0x01, 0x06])]
            )
        }
        let (heard, queued, dropped) = try simulate(SimulatedWorld(devices: devices)) { system, time in
            let heard = try await ScanSettings(filtersDuplicates: true).scan(system, for: .seconds(3), time).reports
            let channel = try system.radio(named: nil).openHCI()
            #expect(try await channel.status(of: LESetExtendedScanEnable(isEnabled: true)) == .success)
            try await time.sleep(for: .seconds(2))
            try channel.send(LESetExtendedScanEnable(isEnabled: false))
            var queued = 0
            while try await channel.receive()[1] != 0x0E { queued += 1 }
            return (Set(heard.map(\.report.address)).count, queued, channel.droppedCount)
        }
        #expect(heard > 9_900)
        #expect(queued <= 1_024 && dropped > 10_000)
    }
}
