// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Several adapters in one air")
struct SharedAirTests {
    private static let empty = SimulatedWorld(devices: [])
    private static let name: [UInt8] = [0x04, 0x09] + Array("Abc".utf8)

    private static func reports(
        from address: BluetoothAddress,
        in transcript: Transcript
    ) -> [AdvertisingReport] {
        transcript.reports.map(\.report).filter { $0.address.address == address }
    }

    // MARK: - Advertisements

    @Test func `each adapter hears the devices`() throws {
        let counts = try share(try .builtIn()) { world, time, _ in
            let (first, second) = (world.join(), world.join())
            async let one = ScanSettings().scan(first, for: .seconds(5), time)
            async let two = ScanSettings().scan(second, for: .seconds(5), time)
            let transcripts = try await [one, two]
            #expect(!first.isScanning && !second.isScanning)
            return transcripts.map { Set($0.reports.map(\.report.address)).count }
        }
        #expect(counts[0] > 10 && counts[0] == counts[1])
    }

    @Test func `an adapter hears the legacy advertising of another one with its scan response, and not its own`() throws
    {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            let radio = try server.radio(named: nil)
            #expect(radio.adapter.address != (try client.radio(named: nil)).adapter.address)
            let set = AdvertisedSet(scanResponse: Self.name)
            try await server.perform(try set.commands())
            async let own = ScanSettings().scan(server, for: .seconds(2), time)
            let heard = Self.reports(
                from: radio.adapter.address,
                in: try await ScanSettings().scan(client, for: .seconds(2), time)
            )
            #expect(try await own.reports.isEmpty)
            // 100 to 110 ms apart, two in a hundred lost.
            let advertisements = heard.filter { !$0.properties.contains(.scanResponse) }
            #expect(17...20 ~= advertisements.count)
            #expect(advertisements.allSatisfy { $0.data == set.data && $0.properties == .advInd })
            let responses = heard.filter { $0.properties.contains(.scanResponse) }
            #expect(responses.count > 15 && responses.allSatisfy { $0.data == Self.name })
            // Data that change while the set is on the air are heard at once, and then nothing after its end.
            let fragment = try #require(LEAdvertisingDataFragment(set.handle, .complete, Self.name))
            try await server.perform([LESetExtendedAdvertisingData(fragment)])
            let later = Self.reports(
                from: radio.adapter.address,
                in: try await ScanSettings(isActive: false).scan(client, for: .seconds(2), time)
            )
            #expect(17...20 ~= later.count && later.allSatisfy { $0.data == Self.name })
            try await server.perform(try set.stop())
            #expect(try await ScanSettings().scan(client, for: .seconds(2), time).reports.isEmpty)
        }
    }

    @Test func `extended advertising carries long data under the set's random address`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            let address = BluetoothAddress(rawValue: 0xC0_11_22_33_44_55)
            let long = Array("a long text ".utf8) + [UInt8](repeating: 0x2E, count: 400)
            let set = AdvertisedSet(
                properties: .connectable,
                ownAddressType: .random,
                randomAddress: address,
                data: long
            )
            try await server.perform(try set.commands())
            let heard = Self.reports(
                from: address,
                in: try await ScanSettings().scan(client, for: .seconds(1), time)
            )
            #expect(heard.allSatisfy { $0.address.type == .random && $0.advertisingSID == 5 })
            #expect(heard.prefix(2).flatMap(\.data) == long)
            // A scanner with legacy commands hears no extended advertisement.
            let legacy = try await ScanSettings(isExtended: false).scan(world.join(), for: .seconds(1), time)
            #expect(legacy.reports.isEmpty)
        }
    }

    @Test func `a random address has to be set before it is used`() throws {
        try share(Self.empty) { world, _, _ in
            let channel = try world.join().radio(named: nil).openHCI()
            let commands = try AdvertisedSet(ownAddressType: .random).commands()
            try await channel.perform(commands.dropLast())
            let enable = try #require(commands.last)
            try channel.send(HCIPacket.command(enable.packet).encoded())
            #expect(try await channel.status() == .invalidHCICommandParameters)
        }
    }

    @Test func `a second scan continues after the first one, and a machine that leaves ends its advertising`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, first, second) = (world.join(), world.join(), world.join())
            try await server.perform(try AdvertisedSet().commands())
            async let short = ScanSettings().scan(first, for: .seconds(1), time)
            async let long = ScanSettings().scan(second, for: .seconds(3), time)
            try await time.sleep(for: .seconds(2))
            server.leave()
            let last = try await long.reports.map(\.instant).max() ?? .zero
            #expect(try await short.reports.count > 5)
            #expect(last > .zero + .milliseconds(1_800) && last < .zero + .milliseconds(2_000))
            #expect(world.adapterCount == 2)
            #expect(throws: RadioError(.noAdapter, during: "simulated adapter")) { _ = try server.radio(named: nil) }
        }
    }

    // MARK: - Links

    private static func connect(
        _ client: SimulatedRadioSystem,
        to server: SimulatedRadioSystem,
        within limit: Duration = .seconds(5)
    ) async throws -> any ATTChannel {
        let address = DeviceAddress(try server.radio(named: nil).adapter.address, .public)
        let time = client.adapter.time
        return try await client.radio(named: nil).connectATT(to: address, deadline: time.now + limit)
    }

    @Test func `a link has an end at each adapter, with its events`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            let listener = try server.radio(named: nil).listenATT()
            let (ours, theirs) = (try client.radio(named: nil).openHCI(), try server.radio(named: nil).openHCI())
            try await theirs.perform(try AdvertisedSet().commands())
            let near = try await Self.connect(client, to: server)
            let far = try await listener.accept()
            #expect(far.peer == DeviceAddress(try client.radio(named: nil).adapter.address, .public))
            #expect(near.peer == DeviceAddress(try server.radio(named: nil).adapter.address, .public))
            // A connection ends the set, so that a second central has to wait for the next one.
            #expect(!server.isAdvertising)

            let sent = time.now
            try near.send([0x0A, 0x01, 0x00])
            #expect(try await far.receive() == [0x0A, 0x01, 0x00])
            try far.send([0x0B, 0x2A])
            #expect(try await near.receive() == [0x0B, 0x2A])
            // One connection interval in each direction.
            #expect(time.now - sent > .milliseconds(30) && time.now - sent <= .milliseconds(60))

            near.close()
            await #expect(
                throws: RadioError(.closedByPeer(.remoteUserTerminatedConnection), during: "\(far.operation)")
            ) {
                try await far.receive()
            }
            try await time.sleep(for: .seconds(1))
            #expect(client.linkCount == 0 && server.linkCount == 0)
            let events = await [ours, theirs].asyncMap { await $0.transcript(until: time.now, time).events }
            let complete = events.map { $0.compactMap(\.completedLink) }
            #expect(complete.map { $0.map(\.role) } == [[.central], [.peripheral]])
            #expect(complete[0].map(\.connection.rawValue) == [try #require(near.connectionHandle)])
            #expect(complete[1].map(\.connection.rawValue) == [try #require(far.connectionHandle)])
            let ends = events.map { $0.compactMap(\.disconnectionReason) }
            #expect(ends == [[.connectionTerminatedByLocalHost], [.remoteUserTerminatedConnection]])
        }
    }

    @Test func `the serving side can end a link, also by a command`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            let listener = try server.radio(named: nil).listenATT()
            let channel = try server.radio(named: nil).openHCI()
            for isCommand in [false, true] {
                try await server.perform(try AdvertisedSet().commands())
                let near = try await Self.connect(client, to: server)
                let far = try await listener.accept()
                if isCommand {
                    try channel.send(HCIDisconnect(ConnectionHandle(rawValue: try #require(far.connectionHandle))))
                } else {
                    far.close()
                }
                await #expect(
                    throws: RadioError(.closedByPeer(.remoteUserTerminatedConnection), during: near.operation)
                ) { try await near.receive() }
                await #expect(throws: RadioError(.closedLocally, during: far.operation)) { try await far.receive() }
                try await time.sleep(for: .seconds(1))
                #expect(client.linkCount == 0 && server.linkCount == 0)
            }
        }
    }

    @Test func `a change of the link's parameters is reported at both ends`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            try await server.perform(try AdvertisedSet().commands())
            let near = try await Self.connect(client, to: server)
            let channels = try [client, server].map { try $0.radio(named: nil).openHCI() }
            let parameters = LEConnectionParameters(
                minimumInterval: .init(.milliseconds(100)),
                maximumInterval: .init(.milliseconds(100)),
                supervisionTimeout: .init(.seconds(2))
            )
            let handle = ConnectionHandle(rawValue: try #require(near.connectionHandle))
            try channels[0].send(LEConnectionUpdate(handle, parameters))
            for channel in channels {
                let events = await channel.transcript(until: time.now + .seconds(2), time).events
                let intervals = events.compactMap { event -> Duration? in
                    guard case .known(let update as LEConnectionUpdateCompleteEvent) = event else { return nil }
                    return update.interval.duration
                }
                #expect(intervals == [.milliseconds(100)])
            }
        }
    }

    @Test func `a machine that leaves breaks its links`() throws {
        try share(Self.empty) { world, time, _ in
            let (server, client) = (world.join(), world.join())
            try await server.perform(try AdvertisedSet().commands())
            let near = try await Self.connect(client, to: server)
            server.leave()
            await #expect(throws: RadioError.self) { try await near.receive() }
            try await time.sleep(for: .seconds(1))
            #expect(client.linkCount == 0)
        }
    }

    @Test func `an attempt waits until a device advertises at the address`() throws {
        try share(Self.empty) { world, time, scope in
            let (server, client) = (world.join(), world.join())
            let commands = try AdvertisedSet().commands()
            scope.spawn {
                try? await time.sleep(for: .seconds(3))
                try? await server.perform(commands)
            }
            _ = try await Self.connect(client, to: server, within: .seconds(10))
            #expect(time.now > .zero + .seconds(3) && time.now < .zero + .seconds(4))
            await #expect(throws: RadioError.self) { try await Self.connect(world.join(), to: server) }
        }
    }

    // MARK: - Devices

    @Test func `two adapters share a device up to its number of links, as different clients`() throws {
        var world = try SimulatedWorld.builtIn()
        world.devices = world.devices.filter { $0.name == "workbench" }
        world.devices[0].link.maximumConnections = 2
        let device = world.devices[0]
        try share(world) { world, time, _ in
            let systems = [world.join(), world.join(), world.join()]
            var channels: [any ATTChannel] = []
            for system in systems.prefix(2) {
                let radio = try system.radio(named: nil)
                channels.append(try await radio.connectATT(to: device.address, deadline: time.now + .seconds(5)))
            }
            // Two clients with the same handle of their own adapters: the device has to keep them apart.
            #expect(channels[0].connectionHandle == channels[1].connectionHandle)
            for (channel, mtu) in zip(channels, [64, 128] as [UInt8]) {
                #expect(try await channel.exchange("02\(Hex.string([mtu]))00").hasPrefix("03"))
            }
            let third = try systems[2].radio(named: nil)
            await #expect(throws: RadioError(.connectTimedOut, during: "connection to \(device.address.address)")) {
                _ = try await third.connectATT(to: device.address, deadline: time.now + .seconds(5))
            }
            channels[0].close()
            _ = try await third.connectATT(to: device.address, deadline: time.now + .seconds(5))
            #expect(try await channels[1].exchange("0a0300").isEmpty == false)
        }
    }

    @Test func `a device that one machine serves is read by another, and no visitors come`() throws {
        let served = try #require(try SimulatedWorld.builtIn().device(named: "pulse-strap")).definition(seed: 1)
        try share(Self.empty) { world, time, scope in
            let (server, client) = (world.join(), world.join())
            let host = PeripheralHost(served, radio: try server.radio(named: nil), scope: scope, time: time)
            let centrals = Box<[DeviceAddress?]>([])
            scope.spawn {
                try? await host.serve { event in
                    if case .connected(let connection) = event { centrals.set(centrals.value + [connection.central]) }
                    return .goOn
                }
            }
            let radio = try client.radio(named: nil)
            for _ in 0..<2 {
                let channel = try await Self.connect(client, to: server)
                let connection = ATTConnection.start(channel, scope: scope, time: time)
                try await connection.exchangeMTU()
                #expect(try await connection.perform(DiscoverServices()).count > 2)
                connection.close()
                try await time.sleep(for: .seconds(1))
            }
            try await time.sleep(for: .seconds(60))
            let own = DeviceAddress(radio.adapter.address, .public)
            #expect(centrals.value == [own, own])
        }
    }

    @Test func `the first machine hears the same as if it were alone`() throws {
        let world = try SimulatedWorld.builtIn(seed: 5)
        let alone = try simulate(world) { system, time in
            try await ScanSettings().scan(system, for: .seconds(5), time)
        }
        let together = try share(world) { world, time, _ in
            let (first, second) = (world.join(), world.join())
            async let other = ScanSettings().scan(second, for: .seconds(5), time)
            let transcript = try await ScanSettings().scan(first, for: .seconds(5), time)
            _ = try await other
            return transcript
        }
        #expect(!alone.lines.isEmpty && together == alone)
    }
}

extension ATTChannel {
    /// The operation of errors of a simulated link.
    fileprivate var operation: String {
        switch self {
        case let channel as SimulatedATTChannel: channel.link.operation
        case let channel as PeerATTChannel: channel.link.operation
        default: ""
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}

extension HCIEvent {
    fileprivate var completedLink: LEConnectionCompleteEvent? {
        switch self {
        case .known(let event as LEConnectionCompleteEvent): event
        case .known(let event as LEEnhancedConnectionCompleteEvent): event.connection
        default: nil
        }
    }

    fileprivate var disconnectionReason: HCIStatus? {
        guard case .known(let event as DisconnectionCompleteEvent) = self else { return nil }
        return event.reason
    }
}
