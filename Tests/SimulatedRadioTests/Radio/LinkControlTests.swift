// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Control of simulated links")
struct LinkControlTests {
    /// Runs a test with a device of the world, which is not connected yet.
    private static func with(
        _ name: String = "pulse-strap",
        observing: Bool = true,
        limited change: @escaping @Sendable (inout SimulatedDevice.Link) -> Void = { _ in },
        _ body: @escaping @Sendable (Peripheral, VirtualTime) async throws -> Void
    ) throws {
        var device = try SimulatedDevice.builtIn(name)
        change(&device.link)
        let (world, address) = (SimulatedWorld(devices: [device]), device.address)
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            try await withTaskScope { scope in
                var configuration = Peripheral.Configuration()
                configuration.observesLink = observing
                let peripheral = Peripheral(
                    address,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: configuration
                )
                try await body(peripheral, time)
                await peripheral.disconnect()
            }
        }
    }

    private static func request(_ change: (inout LinkRequest) -> Void) -> LinkRequest {
        var request = LinkRequest()
        change(&request)
        return request
    }

    private static let everything = request {
        $0.phy = .init(.le2M)
        $0.dataLength = 100
        $0.interval = .init(rawValue: 12) ... .init(rawValue: 12)
        $0.latency = 1
        $0.supervisionTimeout = .init(rawValue: 100)
    }

    @Test func `all properties of an observed link are known`() throws {
        try Self.with { peripheral, _ in
            let reading = try await peripheral.linkReading(asksPeer: false)
            #expect(reading.unknown.isEmpty)
            #expect(reading.state.role == .central && reading.state.transmitPHY == .le1M)
            #expect(reading.state.interval?.duration == .milliseconds(30) && reading.state.latency == 0)
            #expect(reading.state.transmitLength?.octets == 251 && reading.state.receiveLength?.octets == 251)
            #expect(reading.state.supervisionTimeout?.duration == .milliseconds(420))
            #expect(reading.rssi != nil && reading.transmitPower == 8)
        }
    }

    @Test func `for an older link, only properties that can be queried are known`() throws {
        try Self.with(observing: false) { peripheral, _ in
            _ = try await peripheral.connection()
            let reading = try await peripheral.linkReading(asksPeer: false)
            #expect(Set(reading.unknown.keys) == [.dataLength, .parameters, .subrate])
            #expect(reading.state.interval == nil && reading.state.transmitPHY == .le1M && reading.rssi != nil)
            // After a change the other properties are known.
            let change = try await peripheral.changeLink(to: Self.everything, within: .seconds(5))
            #expect(change.failure == nil)
            #expect(Set(try await peripheral.linkReading(asksPeer: false).unknown.keys) == [.subrate])
        }
    }

    @Test func `the device is asked once for what it says of itself`() throws {
        try Self.with { peripheral, time in
            _ = try await peripheral.connection()
            let reading = try await peripheral.linkReading(asksPeer: true)
            #expect(reading.unknown.isEmpty)
            #expect(reading.state.peerVersion?.company == 0x0059)
            #expect(reading.state.peerFeatures?.contains(.le2MPHY) == true)
            #expect(reading.channels?.channels == Array(0...36))
            #expect(reading.state.subrateFactor == 1 && reading.state.continuationNumber == 0)
            let start = time.now
            #expect(try await peripheral.linkReading(asksPeer: true).state == reading.state)
            #expect(time.now == start)
        }
    }

    @Test func `a controller without subrating rejects it`() throws {
        try Self.with { peripheral, _ in
            let change = try await peripheral.changeLink(to: Self.request { $0.subrate = 2...2 }, within: .seconds(5))
            #expect(change.results == [.init(setting: .subrate, outcome: .rejected(.unknownHCICommand))])
        }
    }

    @Test func `each setting is reached, and the answers of the device follow the interval`() throws {
        try Self.with { peripheral, time in
            _ = try await peripheral.perform(ReadValue(3))
            let change = try await peripheral.changeLink(to: Self.everything, within: .seconds(5))
            #expect(change.results.map(\.setting) == [.phy, .dataLength, .parameters])
            #expect(change.results.allSatisfy { $0.outcome == .reached } && change.failure == nil)
            let state = try await peripheral.linkReading(asksPeer: false).state
            #expect(state.transmitPHY == .le2M && state.transmitLength?.octets == 100)
            #expect(state.interval?.duration == .milliseconds(15) && state.latency == 1)
            #expect(state.supervisionTimeout?.duration == .seconds(1))
            _ = try await peripheral.perform(ReadValue(3))
            let start = time.now
            _ = try await peripheral.perform(ReadValue(3))
            #expect(time.now - start == .milliseconds(30))
        }
    }

    @Test(arguments: [
        (LinkRequest.Setting.phy, HCIStatus.unsupportedRemoteFeature),
        (.dataLength, .unsupportedRemoteFeature), (.parameters, .unacceptableConnectionParameters),
    ])
    func `a device that refuses`(_ setting: LinkRequest.Setting, _ status: HCIStatus) throws {
        try Self.with(limited: { $0.refusedSettings = [setting] }) { peripheral, _ in
            let before = try await peripheral.linkReading(asksPeer: false).state
            let change = try await peripheral.changeLink(to: Self.everything, within: .seconds(5))
            #expect(change.failure == change.results.last)
            #expect(change.failure?.setting == setting && change.failure?.outcome == .refused(status))
            let after = try await peripheral.linkReading(asksPeer: false).state
            switch setting {
            case .phy: #expect(after.transmitPHY == before.transmitPHY)
            case .dataLength: #expect(after.transmitLength == before.transmitLength)
            case .parameters: #expect(after.interval == before.interval && after.latency == before.latency)
            case .subrate: Issue.record("no controller of a simulation has it")
            }
            // The link is as usable as before.
            _ = try await peripheral.perform(ReadValue(3))
        }
    }

    @Test(arguments: [LinkRequest.Setting.phy, .dataLength, .parameters])
    func `a device that never answers`(_ setting: LinkRequest.Setting) throws {
        try Self.with(limited: { $0.unansweredSettings = [setting] }) { peripheral, time in
            let connection = try await peripheral.connection()
            let start = time.now
            let change = try await peripheral.changeLink(to: Self.everything, within: .seconds(5))
            #expect(change.failure?.setting == setting && change.failure?.outcome == .unanswered)
            #expect(time.now - start < .seconds(6))
            // The controllers give the link up after 40 s.
            try await time.sleep(for: .seconds(41))
            #expect(connection.end?.cause == .linkLost(.linkLayerResponseTimeout))
        }
    }

    @Test func `a link that ends in the meantime`() throws {
        try Self.with(limited: { $0.unansweredSettings = [.phy] }) { peripheral, _ in
            let change = try await peripheral.changeLink(to: Self.everything, within: .seconds(60))
            #expect(change.failure?.outcome == .ended(.linkLayerResponseTimeout))
        }
    }

    @Test func `a controller without the feature`() throws {
        try Self.with { peripheral, _ in
            let request = Self.request { $0.phy = .init(.coded) }
            // The strap has no coded PHY; the controller has.
            let change = try await peripheral.changeLink(to: request, within: .seconds(5))
            #expect(change.failure?.outcome == .different)
        }
        let device = try SimulatedDevice.builtIn("pulse-strap")
        let (world, address) = (SimulatedWorld(controller: .legacy, devices: [device]), device.address)
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            try await withTaskScope { scope in
                var configuration = Peripheral.Configuration()
                configuration.observesLink = true
                let peripheral = Peripheral(
                    address,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: configuration
                )
                let change = try await peripheral.changeLink(
                    to: Self.request { $0.phy = .init(.le2M) },
                    within: .seconds(5)
                )
                #expect(change.failure?.outcome == .rejected(.unknownHCICommand))
                // A controller without the command has LE 1M.
                #expect(try await peripheral.linkReading(asksPeer: false).state.transmitPHY == .le1M)
                await peripheral.disconnect()
            }
        }
    }

    @Test func `a link that must have a property gets it before the first request`() throws {
        let device = try SimulatedDevice.builtIn("pulse-strap")
        let (world, address) = (SimulatedWorld(devices: [device]), device.address)
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            try await withTaskScope { scope in
                var configuration = Peripheral.Configuration()
                configuration.link = Self.everything
                let peripheral = Peripheral(
                    address,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: configuration
                )
                _ = try await peripheral.perform(ReadValue(3))
                #expect(try await peripheral.linkReading(asksPeer: false).state.interval?.duration == .milliseconds(15))
                await peripheral.disconnect()
                // So does the next link.
                _ = try await peripheral.perform(ReadValue(3))
                #expect(try await peripheral.linkReading(asksPeer: false).state.interval?.duration == .milliseconds(15))
                await peripheral.disconnect()
            }
        }
    }

    @Test func `a request is not sent if the link does not get the property`() throws {
        var device = try SimulatedDevice.builtIn("pulse-strap")
        device.link.refusedSettings = [.parameters]
        let (world, address) = (SimulatedWorld(devices: [device]), device.address)
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            try await withTaskScope { (scope: TaskScope) async throws -> Void in
                var configuration = Peripheral.Configuration()
                configuration.link = Self.everything
                let peripheral = Peripheral(
                    address,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: configuration
                )
                let failure = await #expect(throws: LinkChangeFailure.self) {
                    _ = try await peripheral.perform(ReadValue(3))
                }
                #expect(failure?.result.outcome == .refused(.unacceptableConnectionParameters))
                // The link itself is there, and what it has can be read.
                #expect(try await peripheral.linkReading(asksPeer: false).state.interval?.duration == .milliseconds(30))
                await peripheral.disconnect()
            }
        }
    }

    @Test func `the signal can be queried repeatedly`() throws {
        try Self.with(observing: false) { peripheral, time in
            for _ in 0..<5 {
                let rssi = try #require(try await peripheral.signalStrength())
                #expect(-80 ... -40 ~= Int(rssi))
                try await time.sleep(for: .seconds(1))
            }
        }
    }
}
