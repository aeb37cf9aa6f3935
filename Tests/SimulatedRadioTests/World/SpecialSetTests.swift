// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Sets for one device, and extended sets that are scanned")
struct SpecialSetTests {
    private static let response: [UInt8] = [0x04, 0x09] + Array("Abc".utf8)
    private static let serverAddress = BluetoothAddress(rawValue: 0x02_00_00_00_00_01)
    private static let clientAddress = BluetoothAddress(rawValue: 0x02_00_00_00_00_02)

    private static func reports(
        _ system: SimulatedRadioSystem,
        of address: BluetoothAddress,
        isActive: Bool = true,
        _ time: any TimeSource
    ) async throws -> [AdvertisingReport] {
        try await ScanSettings(isActive: isActive).scan(system, for: .seconds(2), time).reports.map(\.report)
            .filter { $0.address.address == address }
    }

    private static func connects(
        _ system: SimulatedRadioSystem,
        to device: DeviceAddress,
        _ time: any TimeSource
    ) async throws -> Bool {
        do throws(RadioError) {
            try await system.radio(named: nil).connectATT(to: device, deadline: time.now + .seconds(3)).close()
            return true
        } catch {
            #expect(error.cause == .connectTimedOut)
            return false
        }
    }

    /// Checks that only the second machine of a world hears a set, and connects through it.
    private static func checkIsForSecond(
        _ others: [SimulatedRadioSystem],
        _ second: SimulatedRadioSystem,
        _ device: DeviceAddress,
        _ time: any TimeSource
    ) async throws {
        for other in others {
            #expect(try await reports(other, of: device.address, time).isEmpty)
            #expect(try await !connects(other, to: device, time))
        }
        let heard = try await reports(second, of: device.address, time)
        #expect(heard.count > 15 && heard.allSatisfy { $0.data.isEmpty && $0.properties == .advDirectInd })
        #expect(heard.first?.target == DeviceAddress(clientAddress, .public))
        #expect(try await connects(second, to: device, time))
    }

    @Test func `a set of a device for one central is heard by that one alone, and takes it alone`() throws {
        var set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [0x02, 0x01, 0x06])
        set.target = DeviceAddress(Self.clientAddress, .public)
        let device = SimulatedDevice(
            name: "a",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0A), .random),
            rssi: -40,
            advertising: [set]
        )
        try share(SimulatedWorld(devices: [device])) { world, time, _ in
            let (first, second) = (world.join(), world.join())
            try await Self.checkIsForSecond([first], second, device.address, time)
        }
    }

    @Test(arguments: [true, false])
    func `a set of an adapter for one central is heard by that one alone, and takes it alone`(
        _ isExtended: Bool
    ) throws {
        let target = DeviceAddress(Self.clientAddress, .public)
        let interval = LEInterval<625>(.milliseconds(100))
        let handle = LEAdvertisingHandle(rawValue: 1)
        let enable = try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle)]))
        let commands: [any HCICommand] =
            isExtended
            ? [
                LESetExtendedAdvertisingParameters(
                    set: handle,
                    properties: [.legacy, .connectable, .directed],
                    minimumInterval: interval,
                    maximumInterval: interval,
                    peer: target
                ), enable,
            ]
            : [
                LESetAdvertisingParameters(
                    minimumInterval: interval,
                    maximumInterval: interval,
                    kind: .directedLowDutyCycle,
                    peer: target
                ), LESetAdvertisingEnable(isEnabled: true),
            ]
        try share(SimulatedWorld(devices: [])) { world, time, _ in
            let (server, second, third) = (world.join(), world.join(), world.join())
            try await server.perform(commands)
            let address = DeviceAddress(Self.serverAddress, .public)
            try await Self.checkIsForSecond([third], second, address, time)
        }
    }

    /// What a machine whose address the accept list may lack gets of a set with that policy.
    private static func answers(
        _ policy: LEAdvertisingFilterPolicy,
        isExtended: Bool,
        isListed: Bool
    ) throws -> (isScanned: Bool, connects: Bool) {
        let interval = LEInterval<625>(.milliseconds(100))
        let handle = LEAdvertisingHandle(rawValue: 1)
        let other = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0B), .random)
        let listed = LEAddDeviceToFilterAcceptList(isListed ? DeviceAddress(clientAddress, .public) : other)
        var commands: [any HCICommand] = [listed]
        if isExtended {
            let parameters = LESetExtendedAdvertisingParameters(
                set: handle,
                properties: [.legacy, .connectable, .scannable],
                minimumInterval: interval,
                maximumInterval: interval,
                filterPolicy: policy
            )
            commands.append(parameters)
            for fragment in LEAdvertisingDataFragment.fragments(of: response, set: handle) {
                commands.append(LESetExtendedScanResponseData(fragment))
            }
            commands.append(try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle)])))
        } else {
            let parameters = LESetAdvertisingParameters(
                minimumInterval: interval,
                maximumInterval: interval,
                filterPolicy: policy
            )
            commands.append(parameters)
            commands.append(try #require(LESetScanResponseData(response)))
            commands.append(LESetAdvertisingEnable(isEnabled: true))
        }
        let all = commands
        return try share(SimulatedWorld(devices: [])) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            try await server.perform(all)
            let channel = try server.radio(named: nil).openHCI()
            let status = try await channel.status(of: LEClearFilterAcceptList())
            #expect(status == (policy == .all ? .success : .commandDisallowed))
            let heard = try await reports(client, of: serverAddress, time)
            #expect(heard.count > 15)
            let isScanned = heard.contains { $0.properties.contains(.scanResponse) }
            return (isScanned, try await connects(client, to: DeviceAddress(serverAddress, .public), time))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a set of an adapter answers those whom its filter policy admits`(_ isExtended: Bool, _ isListed: Bool) throws
    {
        for (policy, isScanned, connects) in [
            (.all, true, true), (.scanAcceptList, isListed, true), (.connectAcceptList, true, isListed),
            (.acceptList, isListed, isListed),
        ] as [(LEAdvertisingFilterPolicy, Bool, Bool)] {
            let answers = try Self.answers(policy, isExtended: isExtended, isListed: isListed)
            #expect(answers.isScanned == isScanned && answers.connects == connects, "\(policy)")
        }
    }

    /// Checks that an active scanner gets the response, and a passive one the empty advertisements alone.
    private static func checkIsScanned(
        _ system: SimulatedRadioSystem,
        _ address: BluetoothAddress,
        _ time: any TimeSource
    ) async throws {
        let passive = try await reports(system, of: address, isActive: false, time)
        #expect(passive.count > 15 && passive.allSatisfy { $0.data.isEmpty && $0.properties == .scannable })
        let active = try await reports(system, of: address, time)
        let responses = active.filter { $0.properties == [.scannable, .scanResponse] }
        #expect(responses.count > 15 && responses.allSatisfy { $0.data == response && $0.advertisingSID == 5 })
    }

    @Test func `an extended set of a device with a scan response sends it to active scanners`() throws {
        let kind = DeviceAdvertising.Kind.extended(
            sid: 5,
            isConnectable: false,
            primaryPHY: .le1M,
            secondaryPHY: .le1M
        )
        let set = DeviceAdvertising(kind, interval: .milliseconds(100), data: [2, 1, 6], scanResponse: Self.response)
        let device = SimulatedDevice(
            name: "a",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_0A), .random),
            rssi: -40,
            advertising: [set]
        )
        try simulate(SimulatedWorld(devices: [device])) { system, time in
            try await Self.checkIsScanned(system, device.address.address, time)
        }
    }

    @Test func `an extended set of an adapter that can be scanned sends its response to active scanners`() throws {
        let set = AdvertisedSet(properties: .scannable, scanResponse: Self.response)
        // Such a set takes no data.
        let commands = try set.commands().filter { !($0 is LESetExtendedAdvertisingData) }
        try share(SimulatedWorld(devices: [])) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            try await server.perform(commands)
            try await Self.checkIsScanned(client, Self.serverAddress, time)
        }
    }
}
