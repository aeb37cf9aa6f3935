// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import RadioSharing
import Testing

@testable import SimulatedRadio

@Suite("A world that several processes share")
struct RemoteWorldTests {
    /// Runs a test with a world, and ways into it for processes.
    private func share<Value: Sendable>(
        _ world: SimulatedWorld,
        traits: Set<AdapterTrait> = [],
        _ body: @escaping @Sendable (RunningWorld, RemoteRadioServer, VirtualTime, TaskScope) async throws -> Value
    ) throws -> Value {
        try SimulatedRadioTests.share(world) { world, time, scope in
            let server = RemoteRadioServer(
                time: time,
                makeMachine: {
                    let system = world.join(traits)
                    return RemoteRadioServer.Machine(system, leave: system.leave)
                }
            )
            return try await body(world, server, time, scope)
        }
    }

    private static func connect(
        _ system: RemoteRadioSystem,
        to address: DeviceAddress,
        _ time: VirtualTime
    ) async throws -> any ATTChannel {
        try await system.radio(named: nil).connectATT(to: address, deadline: time.now + .seconds(5))
    }

    @Test func `a value that one process writes is read by the next`() throws {
        let world = try SimulatedWorld.builtIn()
        let device = try #require(world.device(named: "workbench"))
        let uuid = try #require(BluetoothUUID("b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001"))
        let writable = try #require(device.database.characteristic(uuid)).valueHandle
        try share(world) { world, server, time, scope in
            let written = Box<String?>(nil)
            for value in ["2a", "07"] {
                let connector = PipeConnector(server: server, scope: scope)
                let system = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
                let channel = try await Self.connect(system, to: device.address, time)
                let handle = Hex.string(writable.encoded())
                let read = try await channel.exchange("0a\(handle)")
                #expect(written.value == nil || written.value == read)
                #expect(try await channel.exchange("12\(handle)\(value)") == "13")
                written.set(try await channel.exchange("0a\(handle)"))
                #expect(written.value?.hasPrefix("0b\(value)") == true)
                channel.close()
                system.leave()
                try await time.sleep(for: .seconds(1))
                #expect(world.adapterCount == 0 && server.memberCount == 0)
            }
        }
    }

    @Test func `a device that one process serves is found and read by another`() throws {
        let served = try #require(try SimulatedWorld.builtIn().device(named: "pulse-strap")).definition(seed: 1)
        try share(SimulatedWorld(devices: [])) { world, server, time, scope in
            let (ours, theirs) = (
                PipeConnector(server: server, scope: scope), PipeConnector(server: server, scope: scope)
            )
            let serving = try await RemoteRadioSystem.join(theirs, time: time, scope: scope)
            let system = try await RemoteRadioSystem.join(ours, time: time, scope: scope)
            let host = PeripheralHost(served, radio: try serving.radio(named: nil), scope: scope, time: time)
            scope.spawn { try? await host.serve { _ in .goOn } }
            let scanner = try HCIController.open(try system.radio(named: nil), scope: scope, time: time)
            let found = try await scanner.withScan(ScanParameters(), time: time, takesOver: false) { scan in
                var found: DeviceAddress?
                try await scan.forEach { report in
                    found = report.report.address
                    return .stop
                }
                return found
            }
            await scanner.close()
            let address = DeviceAddress(try serving.radio(named: nil).adapter.address, .public)
            #expect(found == address)
            for _ in 0..<2 {
                let connection = ATTConnection.start(
                    try await Self.connect(system, to: address, time),
                    scope: scope,
                    time: time
                )
                try await connection.exchangeMTU()
                #expect(try await connection.perform(DiscoverServices()).count > 2)
                connection.close()
                try await time.sleep(for: .seconds(1))
            }
            // A process that crashes takes everything along.
            let channel = try await Self.connect(system, to: address, time)
            theirs.crash()
            await #expect(throws: RadioError.self) { while true { _ = try await channel.receive() } }
            try await time.sleep(for: .seconds(1))
            #expect(world.adapterCount == 1 && server.memberCount == 1)
        }
    }

    @Test func `errors arrive unchanged`() throws {
        let world = try SimulatedWorld.builtIn()
        let device = try #require(world.device(named: "workbench"))
        try share(world) { world, server, time, scope in
            let first = try await RemoteRadioSystem.join(
                PipeConnector(server: server, scope: scope),
                time: time,
                scope: scope
            )
            let second = try await RemoteRadioSystem.join(
                PipeConnector(server: server, scope: scope),
                time: time,
                scope: scope
            )
            _ = try await Self.connect(first, to: device.address, time)
            let operation = "connection to \(device.address.address)"
            await #expect(throws: RadioError(.channelBusy(by: nil), during: operation)) {
                try await Self.connect(first, to: device.address, time)
            }
            let start = time.now
            await #expect(throws: RadioError(.connectTimedOut, during: operation)) {
                try await Self.connect(second, to: device.address, time)
            }
            #expect(time.now - start == .seconds(5))
            let listener = try first.radio(named: nil).listenATT()
            try await time.sleep(for: .seconds(1))
            await #expect(throws: RadioError(.attributesServedElsewhere, during: "hci0")) {
                _ = try await first.radio(named: nil).listenATT().accept()
            }
            listener.close()
            #expect(throws: RadioError(.adapterNotFound("hci7"), during: "shared world")) {
                _ = try second.radio(named: "hci7")
            }
            let known = try #require(try second.adapters().first)
            #expect(try second.radio(named: known.address.description).adapter.name == known.name)
        }
    }

    @Test func `other processes see at once that an adapter is switched off`() throws {
        try share(SimulatedWorld(devices: []), traits: [.off]) { world, server, time, scope in
            let connector = PipeConnector(server: server, scope: scope)
            let system = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
            #expect(throws: RadioError(.adapterDown, during: "hci0", on: "hci0")) { _ = try system.radio(named: nil) }
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            try await manager.perform(SetPowered(true), on: ManagementIndex(0))
            let radio = try system.radio(named: nil)
            let channel = try radio.openHCI()
            #expect(try await channel.status(of: HCIReset()) == .success)
            try await manager.perform(SetPowered(false), on: ManagementIndex(0))
            await #expect(throws: RadioError(.adapterDown, during: "hci0", on: "hci0")) {
                while true { _ = try await channel.receive() }
            }
            await manager.close()
        }
    }

    @Test func `a link that is made for a process that has gone in the meantime is closed`() throws {
        let world = try SimulatedWorld.builtIn()
        let device = try #require(world.device(named: "workbench"))
        try share(world) { world, server, time, scope in
            let connector = PipeConnector(server: server, scope: scope)
            let going = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
            connector.isUnheard.set(true)
            await #expect(throws: RadioError.self) { try await Self.connect(going, to: device.address, time) }
            connector.isUnheard.set(false)
            // The machine stays. The device has one link, so a second one shows that the first has ended.
            let channel = try await Self.connect(going, to: device.address, time)
            channel.close()
            going.leave()
        }
    }

    @Test func `a process without a machine gets nothing`() throws {
        try share(SimulatedWorld(devices: [])) { world, server, time, scope in
            let requests: [RemoteRequest] = [
                .hci(7, .host), .management(7), .listen(7), .accept(7, central: 1), .raise(7, link: 0x40, .medium),
                .connect(7, DeviceAddress(BluetoothAddress(rawValue: 1), .public), timeout: .seconds(1)),
            ]
            for request in requests {
                let channel = try PipeConnector(server: server, scope: scope).connect()
                try channel.send(request.encoded())
                guard case .ended = try RemotePacket(decoding: try await channel.receive()) else {
                    Issue.record("\(request)")
                    continue
                }
            }
            for octets in [[], [0x00], [0x42, 0x01], [0x42, 0x02, 0x00], [0x42, 0x01, 0xFF]] as [[UInt8]] {
                let channel = try PipeConnector(server: server, scope: scope).connect()
                try channel.send(octets)
                guard case .ended(let error) = try RemotePacket(decoding: try await channel.receive()) else {
                    Issue.record("\(octets)")
                    continue
                }
                #expect(error.cause == .system(call: "request", errno: "EPROTO"))
            }
            // The server does not wait for a process that sends nothing.
            let silent = try PipeConnector(server: server, scope: scope).connect()
            await #expect(throws: RadioError.self) { while true { _ = try await silent.receive() } }
            #expect(time.now == .zero + .seconds(5))
        }
    }

    /// The server's side of a process that has closed its connection as soon as it had the last answer.
    private struct HastyProcess: PacketChannel {
        let request: [UInt8]
        let droppedCount = 0

        func receive() async throws(RadioError) -> [UInt8] { request }
        func send(_ packet: [UInt8]) throws(RadioError) {}
        func drained() async throws(RadioError) { throw RadioError(.closedByPeer(nil), during: "test") }
        func close() {}
    }

    @Test func `a request counts although its process has gone with the last answer`() throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { world, time, scope in
            let answered = Box<[WorldRequest]>([])
            let server = RemoteRadioServer(
                time: time,
                makeMachine: { RemoteRadioServer.Machine(world.join(), leave: {}) },
                control: { _ in [.done] },
                onAnswered: { answered.set(answered.value + [$0]) }
            )
            await server.serve(HastyProcess(request: RemoteRequest.control(WorldRequest.stop.encoded()).encoded()))
            #expect(answered.value == [.stop])
        }
    }

    @Test func `a world is controlled from another process`() throws {
        let world = try SimulatedWorld.builtIn()
        try SimulatedRadioTests.share(world) { world, time, scope in
            let answered = Box<[WorldRequest]>([])
            let server = RemoteRadioServer(
                time: time,
                makeMachine: { RemoteRadioServer.Machine(world.join(), leave: {}) },
                control: { await world.control.answers(to: $0) },
                onAnswered: { answered.set(answered.value + [$0]) }
            )
            let client = WorldClient(PipeConnector(server: server, scope: scope), time: time)
            #expect(try await client.answers(to: .list).count == world.world.devices.count)
            let level = WorldRequest.Target.characteristic(0x2A19, service: nil)
            let set = try await client.answers(to: .set([12], of: level, on: "Pulse HR"))
            guard case .device(let device)? = set.first else {
                Issue.record("\(set)")
                return
            }
            #expect(device.name == "pulse-strap" && set.count == 1)
            await #expect(throws: WorldProblem.noAttribute) {
                try await client.answers(to: .set([12], of: .handle(Handle(0xFFF0)), on: "Pulse HR"))
            }
            #expect(try await client.answers(to: .stop).isEmpty)
            #expect(answered.value.last == .stop && answered.value.count == 4)
            let channel = try PipeConnector(server: server, scope: scope).connect()
            try channel.send(RemoteRequest.control([0xFF]).encoded())
            let answer = WorldAnswer.failed(.malformed).encoded()
            #expect(try RemotePacket(decoding: try await channel.receive()) == .data(answer))
        }
    }
}
