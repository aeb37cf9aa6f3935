// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import RadioSharing
import SimulatedRadio
import TestProcesses
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// A radio on which other programs have links; connected devices do not advertise.
private struct SharedRadio: Radio {
    let base: any Radio
    let connected: [DeviceAddress]

    var adapter: AdapterDescription { base.adapter }
    func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await base.connectATT(to: device, deadline: deadline)
    }
    func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }
    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { connected.first { $0.address == address } }
    func connectedAddresses() -> Set<BluetoothAddress> { Set(connected.map(\.address)) }
}

/// A cache in which each device has a service.
private struct ServiceStore: DatabaseStore {
    let services: [DeviceAddress: BluetoothUUID]

    func load(_ device: DeviceAddress) -> StoredDatabase? {
        services[device].map { uuid in
            var database = DiscoveredDatabase()
            let service = GATTService(uuid: uuid, range: HandleRange(1, 5), isPrimary: true)
            database.learn(.services([service]), from: .services(isPrimary: true, .all))
            return StoredDatabase(hash: [UInt8](repeating: 1, count: 16), database: database)
        }
    }

    func save(_ stored: StoredDatabase, of device: DeviceAddress) async {}
}

@Suite("Finding a device")
struct DeviceFinderTests {
    private static let lamp = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_11), .random)
    private static let other = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_12), .random)
    private static let service: BluetoothUUID = 0xFFE0

    struct Outcome: Equatable, Sendable {
        var address: DeviceAddress?
        var status: CommandLineInterface.ExitStatus?
        var milliseconds: Int64
        var message: String?
        var hint: String?
    }

    /// Looks for a device in the built-in world, beside which the machine is connected to a lamp and another device.
    private func find(
        _ selector: DeviceSelector,
        mustBeOnlyOne: Bool = false,
        log: OperationLog = OperationLog()
    ) async throws -> Outcome {
        try await TemporaryFolder.use { folder in
            let state = StateFolder(base: folder.path, own: ["blectl"])
            let clock = SystemTimeSource { WallTime(nanosecondsSince1970: 1_800_000_000_000_000_000) }
            var known = KnownDevices(in: state)
            known.remember(Self.lamp, name: "Desk Lamp", seen: "2026-11-22T00:00:00Z", isConnected: true)
            known.remember(Self.other, name: "Pulse HR", seen: "2026-11-22T00:00:00Z", isConnected: true)
            await known.save(time: clock)
            let time = VirtualTime()
            return try time.run { () async throws -> Outcome in
                try await withTaskScope { scope in
                    let system = SimulatedRadioSystem(try .builtIn(), time: time, scope: scope)
                    let finder = DeviceFinder(
                        selector: selector,
                        mustBeOnlyOne: mustBeOnlyOne,
                        central: Central(
                            SharedRadio(base: try system.radio(named: nil), connected: [Self.lamp, Self.other]),
                            scope: scope,
                            time: time
                        ),
                        timeout: .seconds(10),
                        state: state,
                        databases: ServiceStore(services: [Self.lamp: Self.service, Self.other: 0x180D]),
                        notes: log
                    )
                    var outcome = Outcome(milliseconds: 0)
                    var turn: (any Turn)?
                    do {
                        outcome.address = try await finder.find(&turn).address
                    } catch let error as BlectlError {
                        outcome.status = error.status
                        (outcome.message, outcome.hint) = (error.message, error.hint)
                    }
                    outcome.milliseconds = time.now.nanoseconds / 1_000_000
                    return outcome
                }
            }
        }
    }

    @Test func `a device that is connected is found by its name at once`() async throws {
        #expect(try await find(.name("Desk Lamp")) == Outcome(address: Self.lamp, milliseconds: 0))
    }

    @Test func `a search by part of a name or by a service finds it if nobody advertises that`() async throws {
        let byName = try await find(.advertising(name: Glob("Desk L*"), services: []))
        #expect(byName == Outcome(address: Self.lamp, milliseconds: 2_000))
        let byService = try await find(.advertising(name: nil, services: [Self.service]))
        #expect(byService == Outcome(address: Self.lamp, milliseconds: 2_000))
        #expect(try await find(.likely(Self.service)) == Outcome(address: Self.lamp, milliseconds: 2_000))
    }

    @Test func `an advertiser of the service precedes a connected device`() async throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        #expect(try await find(.likely(0x180D)).address == strap)
    }

    @Test func `a command that changes something rejects a second match, even a connected one`() async throws {
        #expect(try await find(.name("Desk Lamp"), mustBeOnlyOne: true).address == Self.lamp)
        #expect(try await find(.name("Pulse HR"), mustBeOnlyOne: true).status == .notFound)
    }

    @Test func `the search for a missing device lasts as long as it may`() async throws {
        let outcome = try await find(.name("Nobody"))
        #expect(outcome.status == .notFound)
        #expect(outcome.milliseconds == 10_000)
        #expect(outcome.message == "no device named 'Nobody' was found in 10 s")
    }

    @Test(
        arguments: [
            (0x5A_00_00_00_00_11, true), (0xC0_00_00_00_00_77, false), (0x00_1A_7D_DA_71_13, false),
        ] as [(UInt64, Bool)]
    )
    func `a hint says whether an address may have changed`(_ address: UInt64, _ mayHaveChanged: Bool) async throws {
        let outcome = try await find(.address(BluetoothAddress(rawValue: address), nil))
        #expect(outcome.status == .notFound)
        #expect(outcome.hint?.contains("a private address changes") == mayHaveChanged, "\(outcome)")
    }

    @Test(arguments: [
        DeviceSelector.name("thermo 1"), .name("THERMO 1"), .advertising(name: Glob("thermo 1"), services: []),
    ])
    func `the case of a name does not matter`(_ selector: DeviceSelector) async throws {
        #expect(try await find(selector).address == SimulatedDevice.builtIn("thermometer").address)
    }

    @Test func `nor does the case matter for a connected device`() async throws {
        #expect(try await find(.name("desk lamp")) == Outcome(address: Self.lamp, milliseconds: 0))
    }

    @Test(arguments: [
        (DeviceSelector.name("Thermo"), "Thermo 1"), (.name("Termo 1"), "Thermo 1"), (.name("pulse hrm"), "Pulse HR"),
        (.name("Workbanch"), "Workbench"), (.advertising(name: Glob("*thermos*"), services: []), "Thermo 1"),
    ])
    func `an unheard name is reported with a similar one`(_ selector: DeviceSelector, _ near: String) async throws {
        let outcome = try await find(selector)
        #expect(outcome.status == .notFound)
        #expect(outcome.message?.hasSuffix("was found in 10 s; did you mean '\(near)'?") == true, "\(outcome)")
        #expect(outcome.hint == "-d '\(near)'")
    }

    @Test(arguments: [
        (DeviceSelector.name("Pulse HR"), "several devices match", "Pulse HR"),
        (.name("Termo 1"), "did you mean 'Thermo 1'?", "Thermo 1"),
        (.name("weather mast north"), "it advertises, but accepts no connection", "Weather Mast North"),
    ])
    func `names in an error are absent from redacted messages`(
        _ selector: DeviceSelector,
        _ message: String,
        _ name: String
    ) async throws {
        let log = OperationLog()
        let outcome = try await find(selector, mustBeOnlyOne: true, log: log)
        #expect(outcome.message?.contains(message) == true, "\(outcome)")
        #expect(log.concealed.contains(name), "\(log.concealed)")
    }

    @Test func `a device that takes no connection is reported as such, by name and by address`() async throws {
        let beacon = try #require(BluetoothAddress("E2:0D:77:41:C3:19"))
        let byAddress = try await find(.address(beacon, nil))
        #expect(byAddress.status == .protocolError)
        #expect(byAddress.message?.hasPrefix("cannot connect to \(beacon): it advertises, but accepts") == true)
        let byName = try await find(.name("weather mast north"))
        #expect(byName.status == .protocolError)
        #expect(byName.message?.contains("Weather Mast North (") == true, "\(byName)")
        #expect(byName.message?.hasSuffix(": it advertises, but accepts no connection") == true)
        #expect(byName.hint == byAddress.hint)
    }
}
