// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Signals of devices")
struct DeviceSignalTests {
    private static func beacon(_ signal: DeviceSignal) -> SimulatedDevice {
        var device = SimulatedDevice(
            name: "beacon",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random),
            rssi: 0,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [0x02, 0x01, 0x06])]
        )
        device.signal = signal
        return device
    }

    /// The instants and strengths of what a scan of that duration hears.
    private static func heard(_ signal: DeviceSignal, for duration: Duration) throws -> [TimedReport] {
        try simulate(SimulatedWorld(devices: [beacon(signal)])) { system, time in
            try await ScanSettings(isActive: false).scan(system, for: duration, time).reports
        }
    }

    @Test func `the mean follows the movement`() {
        let path = DeviceSignal(rssi: -40, movement: .path(to: -80, over: .seconds(10), returns: false))
        #expect([0, 5, 10, 99].map { path.level(at: .seconds($0)).mean } == [-40, -60, -80, -80])
        let back = DeviceSignal(rssi: -40, movement: .path(to: -80, over: .seconds(10), returns: true))
        #expect([0, 5, 10, 15, 20, 25].map { back.level(at: .seconds($0)).mean } == [-40, -60, -80, -60, -40, -60])
        let jump = DeviceSignal(rssi: -40, movement: .path(to: 10, over: .zero, returns: false))
        #expect(jump.level(at: .seconds(1)).mean == 10)
        let endless = DeviceSignal(rssi: -40, movement: .path(to: 10, over: .seconds(Int64.max), returns: true))
        #expect(endless.level(at: .seconds(Int64.max)).mean <= 10)
    }

    @Test func `a still device is heard with nearly the same strength, a moving one with its mean`() throws {
        let still = try Self.heard(DeviceSignal(rssi: -50, movement: .still), for: .seconds(20)).map(\.report.rssi)
        #expect(still.compactMap { $0 }.allSatisfy { -54 ... -46 ~= $0 })
        let signal = DeviceSignal(rssi: -40, movement: .path(to: -70, over: .seconds(20), returns: false))
        let moving = try Self.heard(signal, for: .seconds(20))
        #expect(moving.count > 150)
        for report in moving {
            let expected = -40 - 30 * Double((report.instant - .zero).clampedNanoseconds) / 20e9
            #expect(abs(Double(try #require(report.report.rssi)) - expected) < 6)
        }
    }

    @Test func `absences are found for any period`() {
        let once = DeviceSignal(absences: [.init(from: .seconds(10), until: .seconds(20))])
        #expect(once.absence(at: .seconds(9)) == nil && once.absence(at: .seconds(20)) == nil)
        #expect(once.absence(at: .seconds(10)) == .some(.seconds(20)))
        #expect(once.nextAbsence(after: .seconds(3)) == .seconds(10) && once.nextAbsence(after: .seconds(10)) == nil)
        let forever = DeviceSignal(absences: [.init(from: .seconds(10))])
        #expect(forever.absence(at: .seconds(1_000)) == .some(nil) && forever.absence(at: .zero) == nil)
        let again = DeviceSignal(absences: [.init(from: .seconds(10), until: .seconds(20), every: .seconds(60))])
        #expect(again.absence(at: .seconds(75)) == .some(.seconds(80)) && again.absence(at: .seconds(85)) == nil)
        #expect(again.nextAbsence(after: .seconds(10)) == .seconds(70))
        #expect(again.nextAbsence(after: .seconds(69)) == .seconds(70))
        let always = DeviceSignal(absences: [.init(from: .zero, until: .seconds(2), every: .seconds(1))])
        #expect(always.absence(at: .seconds(7)) == .some(nil))
    }

    @Test func `a device out of range is not heard, and comes back`() throws {
        let absence = DeviceSignal.Absence(from: .seconds(2), until: .seconds(5), every: .seconds(10))
        let instants = try Self.heard(DeviceSignal(rssi: -50, absences: [absence]), for: .seconds(30)).map(\.instant)
        #expect(instants.count > 150)
        for instant in instants {
            let phase = (instant - .zero).clampedNanoseconds % 10_000_000_000
            #expect(!(2_000_000_000..<5_000_000_000).contains(phase))
        }
        let gone = DeviceSignal(rssi: -50, absences: [.init(from: .seconds(2))])
        #expect(try Self.heard(gone, for: .seconds(600)).allSatisfy { $0.instant < .zero + .seconds(2) })
    }

    @Test func `a link is lost when the device goes, and an attempt waits for its return`() throws {
        let absence = DeviceSignal.Absence(from: .seconds(2), until: .seconds(5))
        let device = Self.beacon(DeviceSignal(rssi: -50, absences: [absence]))
        try simulate(SimulatedWorld(devices: [device])) { system, time in
            let radio = try system.radio(named: nil)
            let channel = try await radio.connectATT(to: device.address, deadline: time.now + .seconds(1))
            let lost = RadioError(.linkLost(.connectionTimeout), during: "link to \(device.address.address)")
            await #expect(throws: lost) { try await channel.receive() }
            // The supervision timeout of 420 ms after the device has gone.
            #expect(time.now == .zero + .milliseconds(2_420))
            _ = try await radio.connectATT(to: device.address, deadline: time.now + .seconds(10))
            #expect(time.now > .zero + .seconds(5) && time.now < .zero + .milliseconds(5_300))
        }
    }
}
