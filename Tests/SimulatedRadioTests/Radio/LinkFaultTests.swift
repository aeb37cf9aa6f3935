// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

/// Faults of what a controller does with a link. No command of blectl waits for these, so HCI commands show them.
@Suite("Faults of links")
struct LinkFaultTests {
    /// Runs a test with a link to the strap, which has a fault, and an HCI channel that has received its event.
    private static func linked(
        _ fault: FaultRule,
        _ body: @escaping @Sendable (any HCIChannel, any ATTChannel, ConnectionHandle, VirtualTime) async throws -> Void
    ) throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").with([fault])
        try simulate(SimulatedWorld(devices: [strap])) { system, time in
            let radio = try system.radio(named: nil)
            let hci = try radio.openHCI()
            let channel = try await radio.connectATT(to: strap.address, deadline: .zero + .seconds(5))
            let handle = ConnectionHandle(rawValue: try #require(channel.connectionHandle))
            guard case .known(is LEEnhancedConnectionCompleteEvent) = try await hci.event() else {
                Issue.record("no LE Enhanced Connection Complete")
                return
            }
            guard case .known(is LEDataLengthChangeEvent) = try await hci.event() else {
                Issue.record("no LE Data Length Change")
                return
            }
            try await body(hci, channel, handle, time)
        }
    }

    /// The time from the end of a link to its report, and the reported reason.
    private static func ending(_ effect: FaultEffect) throws -> (after: Duration, reason: HCIStatus) {
        let result = Box<(Duration, HCIStatus)?>(nil)
        try linked(FaultRule(.disconnect, nil, effect)) { hci, channel, _, time in
            let start = time.now
            channel.close()
            guard case .known(let event as DisconnectionCompleteEvent) = try await hci.event() else { return }
            result.set((time.now - start, event.reason))
        }
        return try #require(result.value)
    }

    @Test func `the end of a link is reported late, or with another reason`() throws {
        let late = try Self.ending(.delay(.seconds(2)))
        #expect(late.after == .milliseconds(2_030) && late.reason == .connectionTerminatedByLocalHost)
        let failed = try Self.ending(.error(code: nil, after: .zero))
        #expect(failed.after == .milliseconds(30) && failed.reason == .linkLayerResponseTimeout)
        let both = try Self.ending(.error(code: 0x08, after: .seconds(1)))
        #expect(both.after == .milliseconds(1_030) && both.reason == .connectionTimeout)
    }

    @Test func `an attempt that a pause keeps from a device with private addresses leaves nothing behind`() throws {
        var pairing = DevicePairing()
        pairing.addressLife = .seconds(900)
        let device = SimulatedDevice(
            name: "private",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0A), .random),
            rssi: -40,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            pairing: pairing,
            faults: [FaultRule(.connect, nil, .pause(nil))]
        )
        try simulate(SimulatedWorld(devices: [device])) { system, time in
            let peer = device.address(after: .zero)
            await #expect(throws: RadioError(.connectTimedOut, during: "connection to \(peer.address)")) {
                try await system.radio(named: nil).connectATT(to: peer, deadline: time.now + .seconds(3))
            }
            #expect(system.control.waitingConnections == 0)
        }
    }

    /// How long an attempt to connect takes that meets a pause of ten seconds, while something happens after three.
    private static func pause(_ change: @escaping @Sendable (WorldControl) async throws -> Void) throws -> Duration {
        let device = SimulatedDevice(
            name: "slow",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0A), .random),
            rssi: -40,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            faults: [FaultRule(.connect, nil, .pause(.seconds(10)), times: 1)]
        )
        return try simulate(SimulatedWorld(devices: [device])) { system, time in
            try await withTaskScope { scope in
                scope.spawn {
                    try? await time.sleep(for: .seconds(3))
                    try? await change(system.control)
                }
                let start = time.now
                _ = try await system.radio(named: nil)
                    .connectATT(to: device.address, deadline: start + .seconds(30))
                return time.now - start
            }
        }
    }

    @Test func `a pause of a connection ends with its time, or before when it is released or taken away`() throws {
        let seconds = try [
            Self.pause { _ in }, Self.pause { try $0.setConnectable("slow", true) },
            Self.pause { try await $0.setPaused("slow", false) }, Self.pause { try await $0.removeFaults(of: "slow") },
        ].map { $0 / .seconds(1) }
        #expect(seconds.map { Int($0) } == [10, 10, 3, 3], "\(seconds)")
    }

    /// The answer to the question for the signal's strength, and when it comes; `nil` if none comes.
    private static func answer(_ effect: FaultEffect) throws -> (after: Duration, status: HCIStatus, rssi: Int8?)? {
        let result = Box<(Duration, HCIStatus, Int8?)?>(nil)
        try linked(FaultRule(.rssi, nil, effect)) { hci, _, handle, time in
            let start = time.now
            try hci.send(HCIReadRSSI(handle))
            for line in await hci.transcript(until: start + .seconds(60), time).lines {
                guard
                    case .event(let packet) = try HCIPacket(decoding: line.bytes),
                    case .known(let answer as CommandCompleteEvent) = try HCIEvent(packet), let status = answer.status
                else { continue }
                // The strength stands behind the status and the handle.
                let rssi = answer.returnParameters.dropFirst(3).first.map { Int8(bitPattern: $0) }
                result.set((line.instant - start, status, rssi))
            }
        }
        return result.value
    }

    @Test func `the strength of the signal is reported late, wrong, as an error, or not at all`() throws {
        let late = try #require(try Self.answer(.delay(.seconds(2))))
        #expect(late.after == .seconds(2) && late.status == .success)
        #expect(try Self.answer(.report(-12)).map { [Int($0.rssi ?? 0), Int($0.status.rawValue)] } == [-12, 0])
        #expect(try Self.answer(.report(127))?.rssi == 127)
        #expect(try Self.answer(.error(code: 0x0C, after: .zero))?.status == .commandDisallowed)
        #expect(try Self.answer(.noAnswer) == nil)
    }
}
