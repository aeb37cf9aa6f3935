// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Foundation
import SimulatedRadio
import TestProcesses
import Testing

@testable import Commands
@testable import Toolkit

/// A radio whose controller claims LE Coded, and refuses to scan there.
private struct RefusingRadio: ForwardingRadio {
    let base: any Radio

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        RefusingChannel(base: try base.openHCI(for: use))
    }
}

private struct RefusingChannel: HCIChannel {
    let base: any HCIChannel

    var droppedCount: Int { base.droppedCount }
    func receive() async throws(RadioError) -> [UInt8] { try await base.receive() }
    func drained() async throws(RadioError) { try await base.drained() }
    func close() { base.close() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        var packet = packet
        // LE Set Extended Scan Parameters for LE Coded alone becomes one for LE 2M, where no controller scans.
        if packet.starts(with: [0x01, 0x41, 0x20]), packet.count > 6, packet[6] == 0x04 { packet[6] = 0x02 }
        try base.send(packet)
    }
}

@Suite("Looking for a device on LE 1M and LE Coded")
struct LookupScanTests {
    private static let name = DeviceSelector.name("Pulse HR")

    /// The end of a search.
    private struct Outcome: Sendable {
        var device: DeviceReference?
        var error: BlectlError?
        var time = Duration.zero
        var notes: [String] = []
    }

    /// A strap that advertises on LE Coded alone, ten times in a second.
    private static func longRange(_ faults: FaultRule...) throws -> SimulatedDevice {
        var device = try SimulatedDevice.builtIn("pulse-strap")
        device.advertising = [
            DeviceAdvertising(
                .extended(sid: 0, isConnectable: true, primaryPHY: .coded, secondaryPHY: .coded),
                interval: .milliseconds(100),
                data: [0x09, 0x09] + Array("Pulse HR".utf8)
            )
        ]
        device.faults = faults
        return device
    }

    /// A strap that advertises on LE 1M, from a moment on.
    private static func strap(from moment: Duration) throws -> SimulatedDevice {
        var device = try SimulatedDevice.builtIn("pulse-strap")
        device.signal.absences = [DeviceSignal.Absence(from: .zero, until: moment)]
        return device
    }

    private static var withoutCoded: ControllerProfile {
        var controller = ControllerProfile.modern
        controller.leFeatures.remove(.codedPHY)
        return controller
    }

    private static func find(
        _ device: SimulatedDevice,
        with controller: ControllerProfile = .modern,
        within timeout: Duration = .seconds(10),
        mustBeOnlyOne: Bool = false,
        besidesAnotherScan: Bool = false,
        through radio: @escaping @Sendable (any Radio) -> any Radio = { $0 }
    ) throws -> Outcome {
        let time = VirtualTime()
        return try time.run { () async throws -> Outcome in
            try await withTaskScope { scope in
                let world = SimulatedWorld(controller: controller, devices: [device])
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                let own = radio(try system.radio(named: nil))
                if besidesAnotherScan {
                    let other = try HCIController.open(own, scope: scope, time: time)
                    try await other.perform(LESetExtendedScanEnable(isEnabled: true))
                }
                let log = OperationLog()
                let finder = DeviceFinder(
                    selector: Self.name,
                    mustBeOnlyOne: mustBeOnlyOne,
                    central: Central(own, scope: scope, time: time),
                    timeout: timeout,
                    state: nil,
                    databases: nil,
                    notes: log
                )
                var outcome = Outcome()
                var turn: (any Turn)?
                do {
                    outcome.device = try await finder.find(&turn)
                } catch let error as BlectlError {
                    outcome.error = error
                }
                outcome.time = time.now - Instant.zero
                outcome.notes = log.notes
                #expect(system.isScanning == besidesAnotherScan)
                return outcome
            }
        }
    }

    @Test func `a device on LE Coded alone is found during the scan of that PHY`() throws {
        let outcome = try Self.find(try Self.longRange())
        #expect(outcome.device?.wasHeardOnCoded == true, "\(outcome)")
        #expect(outcome.time > LookupScan.firstTurn && outcome.time < LookupScan.firstTurn + .milliseconds(250))
    }

    @Test func `a command that changes it listens for a second match on the same PHY`() throws {
        let outcome = try Self.find(try Self.longRange(), mustBeOnlyOne: true)
        #expect(outcome.device != nil, "\(outcome)")
        #expect(outcome.time > .seconds(6) && outcome.time < .milliseconds(6_250))
    }

    @Test func `a short search does not find it, nor does a controller without that PHY`() throws {
        let short = try Self.find(try Self.longRange(), within: .seconds(4))
        #expect(short.error?.status == .notFound && short.time == .seconds(4), "\(short)")
        let deaf = try Self.find(try Self.longRange(), with: Self.withoutCoded)
        #expect(deaf.error?.status == .notFound && deaf.time == .seconds(10), "\(deaf)")
    }

    @Test(arguments: [(true, 6), (false, 3)])
    func `LE Coded follows even a short time, if the controller has it`(
        _ hasCoded: Bool,
        _ seconds: Int
    ) throws {
        let time = VirtualTime()
        let ended = try time.run { () async throws -> Instant in
            try await withTaskScope { scope in
                let world = SimulatedWorld(controller: hasCoded ? .modern : Self.withoutCoded, devices: [])
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                let lookup = LookupScan(
                    central: Central(try system.radio(named: nil), scope: scope, time: time),
                    state: nil,
                    notes: OperationLog()
                )
                try await lookup.run(for: .seconds(3), thenCoded: .seconds(3)) { _, end in
                    try await time.sleep(until: end)
                    return false
                }
                #expect(!system.isScanning)
                return time.now
            }
        }
        let expected = Instant.zero + .seconds(seconds)
        #expect(ended >= expected && ended < expected + .milliseconds(100))
    }

    @Test func `LE 1M gets its turn again, and all of the time on a controller without LE Coded`() throws {
        let late = try Self.find(try Self.strap(from: .milliseconds(4_200)))
        #expect(late.device?.wasHeardOnCoded == false, "\(late)")
        #expect(late.time > .seconds(5) && late.time < .milliseconds(5_500), "\(late)")
        let soon = try Self.find(try Self.strap(from: .milliseconds(4_200)), with: Self.withoutCoded)
        #expect(soon.device != nil && soon.time < .milliseconds(4_700), "\(soon)")
    }

    @Test func `a controller that refuses to scan on LE Coded continues on LE 1M at once`() throws {
        let outcome = try Self.find(try Self.strap(from: .milliseconds(4_200)), through: { RefusingRadio(base: $0) })
        #expect(outcome.device != nil && outcome.time < .milliseconds(4_700), "\(outcome)")
    }

    @Test func `while another program scans its PHYs are used, and that is reported once`() throws {
        let outcome = try Self.find(try Self.longRange(), besidesAnotherScan: true)
        #expect(outcome.error?.status == .notFound && outcome.time == .seconds(10), "\(outcome)")
        #expect(outcome.notes.count { $0.contains("another program is scanning") } == 1, "\(outcome)")
    }

    @Test func `a device on LE Coded is connected to and read`() throws {
        try OperationBench.run(Self.name, among: [try Self.longRange()]) { bench in
            try await bench.provider.withDevice { device in
                let read = ReadOperation(ReadOptions(targets: [.attribute(try AttributeTarget("0x2A19"))]))
                try await read.perform(on: device, in: bench.context)
            }
            #expect(bench.log.values == ["57"])
        }
    }

    @Test func `the error for a device on LE Coded that does not answer has the PHYs of the kernel`() throws {
        let fault = FaultRule(.connect, nil, .noAnswer)
        try OperationBench.run(Self.name, among: [try Self.longRange(fault)]) { bench in
            let error = await #expect(throws: BlectlError.self) { try await bench.provider.withDevice { _ in } }
            #expect(error?.status == .timedOut)
            #expect(error?.hint?.contains("'sudo btmgmt phy' shows LECODEDTX and LECODEDRX") == true)
        }
        var strap = try SimulatedDevice.builtIn("pulse-strap")
        strap.faults = [fault]
        try OperationBench.run(Self.name, among: [strap]) { bench in
            let error = await #expect(throws: BlectlError.self) { try await bench.provider.withDevice { _ in } }
            #expect(error?.status == .timedOut && error?.hint?.contains("btmgmt") == false)
        }
    }

    @Test func `a device that an earlier scan heard there has the same error`() async throws {
        let device = try Self.longRange(FaultRule(.connect, nil, .noAnswer))
        try await TemporaryFolder.use { folder in
            let state = StateFolder(base: folder.path, own: ["blectl"])
            var known = KnownDevices(in: state)
            known.remember(device.address, name: nil, seen: "2026-11-22T00:00:00Z", isCoded: true)
            await known.save(time: SystemTimeSource { WallTime(nanosecondsSince1970: 0) })
            try OperationBench.run(.address(device.address.address, nil), among: [device]) { bench in
                let finder = DeviceFinder(
                    selector: bench.provider.finder.selector,
                    mustBeOnlyOne: false,
                    central: bench.provider.finder.central,
                    timeout: .seconds(10),
                    state: state,
                    databases: nil,
                    notes: bench.log
                )
                var turn: (any Turn)?
                let found = try await finder.find(&turn)
                #expect(found.wasHeardOnCoded && bench.context.time.now == .zero)
                var remembered = bench.provider
                remembered.found = found
                let provider = remembered
                let error = await #expect(throws: BlectlError.self) { try await provider.withDevice { _ in } }
                #expect(error?.hint?.contains("'sudo btmgmt phy' shows LECODEDTX and LECODEDRX") == true)
            }
        }
    }
}
