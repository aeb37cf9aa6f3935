// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import SimulatedRadio

@Suite("Commands about simulated links")
struct LinkCommandsTests {
    /// Runs a test with a link to the strap, and an HCI channel that has received its event.
    private static func linked(
        _ device: String = "pulse-strap",
        _ body: @escaping @Sendable (any HCIChannel, any ATTChannel, ConnectionHandle, VirtualTime) async throws -> Void
    ) throws {
        let world = try SimulatedWorld.builtIn()
        let address = try #require(world.device(named: device)).address
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            let hci = try radio.openHCI()
            let channel = try await radio.connectATT(to: address, deadline: .zero + .seconds(5))
            let handle = ConnectionHandle(rawValue: try #require(channel.connectionHandle))
            guard case .known(let event as LEEnhancedConnectionCompleteEvent) = try await hci.event() else {
                Issue.record("no LE Enhanced Connection Complete")
                return
            }
            #expect(event.connection.connection == handle && event.connection.peer == address)
            #expect(event.connection.role == .central)
            if try SimulatedDevice.builtIn(device).link.dataLength > 27 {
                guard case .known(let event as LEDataLengthChangeEvent) = try await hci.event() else {
                    Issue.record("no LE Data Length Change")
                    return
                }
                #expect(event.connection == handle && event.transmit.octets == 251 && event.receive.octets == 251)
            }
            try await body(hci, channel, handle, time)
        }
    }

    @Test func `a program can end a link by command`() throws {
        try Self.linked { hci, channel, handle, time in
            #expect(try await hci.status(of: HCIDisconnect(handle)) == .success)
            let start = time.now
            let event = try await hci.event()
            #expect(event == .known(DisconnectionCompleteEvent(handle, reason: .connectionTerminatedByLocalHost)))
            #expect(time.now - start == .milliseconds(30))
            await #expect(throws: RadioError.self) { try await channel.receive() }
            #expect(try await hci.status(of: HCIDisconnect(handle)) == .unknownConnectionIdentifier)
        }
    }

    /// A command about one link would otherwise act on another one.
    @Test func `no two links have one handle, however many came and went`() throws {
        try share(try SimulatedWorld.builtIn()) { world, time, _ in
            let system = world.join()
            let strap = try #require(world.world.device(named: "pulse-strap")).address
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: time.now + .seconds(5))
            let handle = try #require(channel.connectionHandle)
            var adapter = try #require(world.state.withLock { $0.adapters[system.adapter.number] })
            #expect((0..<10_000).allSatisfy { _ in adapter.makeHandle().rawValue != handle })
        }
    }

    @Test func `closing the channel is reported, too`() throws {
        try Self.linked { hci, channel, handle, _ in
            channel.close()
            let event = try await hci.event()
            #expect(event == .known(DisconnectionCompleteEvent(handle, reason: .connectionTerminatedByLocalHost)))
        }
    }

    @Test func `signal strength, PHY and channels can be read`() throws {
        try Self.linked { hci, _, handle, _ in
            let rssi = try await hci.returned(by: HCIReadRSSI(handle))
            #expect(-75 ... -45 ~= Int(try #require(rssi.rssi)))
            let phy = try await hci.returned(by: LEReadPHY(handle))
            #expect(phy.transmit == .le1M && phy.receive == .le1M)
            #expect(try await hci.returned(by: LEReadChannelMap(handle)).channels.channels.count == 37)
            #expect(try await hci.status(of: HCIReadRSSI(0x0123)) == .unknownConnectionIdentifier)
        }
    }

    @Test func `the features and the version of the peer can be read`() throws {
        try Self.linked("thermometer") { hci, _, handle, _ in
            #expect(try await hci.status(of: LEReadRemoteFeatures(handle)) == .success)
            guard case .known(let features as LEReadRemoteFeaturesCompleteEvent) = try await hci.event() else {
                Issue.record("no features")
                return
            }
            #expect(!features.features.contains(.le2MPHY) && !features.features.contains(.dataPacketLengthExtension))
            #expect(try await hci.status(of: HCIReadRemoteVersionInformation(handle)) == .success)
            guard case .known(let version as ReadRemoteVersionInformationCompleteEvent) = try await hci.event() else {
                Issue.record("no version")
                return
            }
            #expect(version.version == BluetoothVersion(rawValue: 0x09))
        }
    }

    @Test func `another PHY is used if the device has it`() throws {
        for (device, phy) in [("pulse-strap", LEPHY.le2M), ("thermometer", .le1M)] {
            try Self.linked(device) { hci, _, handle, _ in
                let preference = LEPHYPreference(transmit: .le2M, receive: nil)
                let status = try await hci.status(of: LESetPHY(handle, preference))
                #expect(status == .success)
                #expect(try await hci.event() == .known(LEPHYUpdateCompleteEvent(handle, transmit: phy, receive: phy)))
                #expect(try await hci.returned(by: LEReadPHY(handle)).transmit == phy)
            }
        }
    }

    @Test func `other connection parameters change the time of an answer`() throws {
        try Self.linked { hci, channel, handle, time in
            let parameters = LEConnectionParameters(
                minimumInterval: .init(.milliseconds(100)),
                maximumInterval: .init(.milliseconds(100)),
                supervisionTimeout: .init(.seconds(2))
            )
            #expect(try await hci.status(of: LEConnectionUpdate(handle, parameters)) == .success)
            guard case .known(let event as LEConnectionUpdateCompleteEvent) = try await hci.event() else {
                Issue.record("no update")
                return
            }
            #expect(event.interval.duration == .milliseconds(100))
            _ = try await channel.exchange("0a0300")
            let start = time.now
            _ = try await channel.exchange("0a0300")
            #expect(time.now - start == .milliseconds(200))
        }
    }

    @Test func `connection parameters out of their ranges are refused`() throws {
        try Self.linked { hci, _, handle, _ in
            func status(_ minimum: UInt32, _ maximum: UInt32, _ latency: UInt16, _ timeout: UInt32) async throws
                -> HCIStatus?
            {
                let parameters = LEConnectionParameters(
                    minimumInterval: .init(rawValue: minimum),
                    maximumInterval: .init(rawValue: maximum),
                    latency: latency,
                    supervisionTimeout: .init(rawValue: timeout)
                )
                return try await hci.status(of: LEConnectionUpdate(handle, parameters))
            }
            let tooShort = try await status(0x0005, 0x0018, 0, 0x002A)
            #expect(tooShort == .invalidHCICommandParameters)
            #expect(try await status(0x0018, 0x0006, 0, 0x002A) == .invalidHCICommandParameters)
            #expect(try await status(0x0018, 0x0C81, 0, 0x0C80) == .invalidHCICommandParameters)
            #expect(try await status(0x0018, 0x0018, 500, 0x0C80) == .invalidHCICommandParameters)
            // 30 ms and latency 6: a silence of 420 ms is legal, so the timeout must be longer.
            #expect(try await status(0x0018, 0x0018, 6, 0x002A) == .invalidHCICommandParameters)
            #expect(try await status(0x0018, 0x0018, 5, 0x002A) == .success)
        }
    }

    @Test func `shorter packets make a long value slower`() throws {
        try Self.linked("workbench") { hci, _, handle, _ in
            let shorter = LESetDataLength(handle, transmit: .init(octets: 27, microseconds: 328))
            #expect(try await hci.returned(by: shorter).connection == handle)
            guard case .known(let event as LEDataLengthChangeEvent) = try await hci.event() else {
                Issue.record("no change")
                return
            }
            #expect(event.transmit == LEDataLength(octets: 27, microseconds: 328))
            #expect(event.receive == LEDataLength(octets: 251, microseconds: 2_120))
            let wrong = LESetDataLength(handle, transmit: .init(octets: 252, microseconds: 328))
            #expect(try await hci.status(of: wrong) == .invalidHCICommandParameters)
        }
    }

    @Test func `reset ends links and scans, and reports nothing of them`() throws {
        try Self.linked { hci, channel, handle, time in
            try await hci.perform([LESetExtendedScanEnable(isEnabled: true), HCIReset()])
            await #expect(throws: RadioError.self) { try await channel.receive() }
            #expect(await hci.transcript(until: time.now + .seconds(5), time).lines.isEmpty)
            #expect(try await hci.status(of: HCIReadRSSI(handle)) == .unknownConnectionIdentifier)
        }
    }

    /// The reason that the adapter at the other end of a link reports after a command of either end.
    private static func told(by isCentral: Bool, _ command: @escaping @Sendable (ConnectionHandle) -> any HCICommand)
        throws -> HCIStatus?
    {
        try share(SimulatedWorld(devices: [])) { world, time, _ in
            let (central, peripheral) = (world.join(), world.join())
            try await peripheral.perform(try AdvertisedSet().commands())
            let (one, other) = (try central.radio(named: nil).openHCI(), try peripheral.radio(named: nil).openHCI())
            let address = DeviceAddress(try peripheral.radio(named: nil).adapter.address, .public)
            let channel = try await central.radio(named: nil)
                .connectATT(to: address, deadline: time.now + .seconds(5))
            let far = world.state.withLock { $0.adapters[peripheral.adapter.number]?.links.first?.handle }
            let near = ConnectionHandle(rawValue: try #require(channel.connectionHandle))
            let (own, others) = isCentral ? (one, other) : (other, one)
            let handle = try #require(isCentral ? near : far)
            try own.send(HCIPacket.command(command(handle).packet).encoded())
            let events = await others.transcript(until: time.now + .seconds(5), time).events
            return events.compactMap { event in
                if case .known(let event as DisconnectionCompleteEvent) = event { event.reason } else { nil }
            }.first
        }
    }

    @Test(arguments: [true, false])
    func `the other end is told the reason of a command that ends a link`(_ isCentral: Bool) throws {
        let reason = HCIStatus.remoteDeviceTerminatedConnectionPowerOff
        #expect(try Self.told(by: isCentral) { HCIDisconnect($0, reason: reason) } == reason)
        #expect(try Self.told(by: isCentral) { HCIDisconnect($0, reason: .connectionTimeout) } == nil, "is refused")
        #expect(try Self.told(by: isCentral) { _ in HCIReset() } == .connectionTimeout)
    }

    @Test func `the controller reports the properties of the adapter`() throws {
        try simulate(try .builtIn()) { system, _ in
            let modern = ControllerProfile.modern
            let adapter = try #require(try system.adapters().first)
            let hci = try system.radio(named: nil).openHCI()
            let version = try await hci.returned(by: HCIReadLocalVersionInformation())
            #expect(version.hciVersion == modern.hciVersion && version.company == modern.manufacturer)
            #expect(try await hci.returned(by: HCIReadBDADDR()).address == adapter.address)
            #expect(try await hci.returned(by: HCIReadLocalSupportedFeatures()).features == adapter.lmpFeatures)
            #expect(try await hci.returned(by: LEReadLocalSupportedFeatures()) == modern.leFeatures)
            let table = try await hci.returned(by: HCIReadLocalSupportedCommands())
            #expect(table.contains(LESetExtendedScanEnable.self) && table.contains(HCIReadRSSI.self))
            #expect(!table.contains(LECreateConnection.self))
            // The controller refuses a command that is not in its table.
            #expect(try await hci.status(of: LECreateConnectionCancel()) == .unknownHCICommand)
        }
    }

    @Test func `a scan by the accept list hears only listed devices`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let hci = try system.radio(named: nil).openHCI()
            #expect(try await hci.returned(by: LEReadFilterAcceptListSize()).size == 16)
            #expect(try await hci.status(of: LEAddDeviceToFilterAcceptList(strap)) == .success)
            let parameters = LESetScanParameters(
                type: .passive,
                interval: .init(rawValue: 0x10),
                window: .init(rawValue: 0x10),
                filterPolicy: .acceptList
            )
            #expect(try await hci.status(of: parameters) == .success)
            try hci.send(LESetScanEnable(isEnabled: true))
            let heard = await hci.transcript(until: .zero + .seconds(5), time).reports
            #expect(!heard.isEmpty && heard.allSatisfy { $0.report.address == strap })
            #expect(try await hci.status(of: LEClearFilterAcceptList()) == .commandDisallowed)
        }
    }

    @Test func `the accept list is bounded`() throws {
        var controller = SimulatedController(.modern)
        let statuses = (0..<17).map { number -> [UInt8] in
            let device = DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public)
            let command = LEAddDeviceToFilterAcceptList(device)
            let packet = HCIPacket.command(command.packet).encoded()
            guard case .event(let event)? = controller.received(packet, now: .zero, link: { _ in nil }).first else {
                return []
            }
            return event.parameters
        }
        #expect(statuses.prefix(16).allSatisfy { $0.last == 0x00 })
        #expect(statuses[16].last == HCIStatus.memoryCapacityExceeded.rawValue)
    }
}

extension HCIChannel {
    /// The next event.
    func event() async throws -> HCIEvent {
        guard case .event(let packet) = try HCIPacket(decoding: try await receive()) else {
            throw DecodeError("event", .invalid(value: 0))
        }
        return try HCIEvent(packet)
    }

    /// Performs a command, and returns its return parameters.
    fileprivate func returned<Command: HCICommand>(by command: Command) async throws -> Command.ReturnParameters {
        try send(command)
        guard case .known(let answer as CommandCompleteEvent) = try await event(), answer.status == .success else {
            throw DecodeError("answer", .invalid(value: 0))
        }
        return try Command.returnParameters(decoding: Array(answer.returnParameters.dropFirst()))
    }
}
