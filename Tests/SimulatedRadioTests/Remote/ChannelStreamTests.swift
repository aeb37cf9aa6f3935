// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import RadioSharing
import Testing

@testable import SimulatedRadio

@Suite("Channels through one stream of octets")
struct ChannelStreamTests {
    private static let greeting = "\nblectl radio 2\n"

    /// Runs a test with both ends of a stream that cuts what it carries into pieces of `pieceLength` octets.
    private func connect(
        pieceLength: Int = .max,
        _ body:
            @escaping @Sendable (ChannelStream, ChannelStream, PacketPipe, VirtualTime, TaskScope) async throws -> Void
    ) throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { _, time, scope in
            let (left, right) = PacketPipe.pair()
            let here = ChannelStream(Pieces(channel: left, length: pieceLength), isOpener: true, during: "test")
            let there = ChannelStream(Pieces(channel: right, length: pieceLength), isOpener: false, during: "test")
            try await body(here, there, left, time, scope)
        }
    }

    @Test(arguments: [1, 3, 7, .max])
    func `packets keep their borders, each on its channel`(pieceLength: Int) throws {
        try connect(pieceLength: pieceLength) { here, there, _, _, scope in
            scope.spawn { await here.carry() }
            scope.spawn {
                await there.carry { channel in
                    scope.spawn {
                        while let packet = try? await channel.receive() { try? channel.send(packet + [0xFF]) }
                    }
                }
            }
            try await here.untilGreeted()
            let channels = [try here.connect(), try here.connect(), try here.connect()]
            let packets: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 500)]
            for packet in packets {
                for (index, channel) in channels.enumerated() { try channel.send(packet + [UInt8(index)]) }
            }
            for packet in packets {
                for (index, channel) in channels.enumerated().reversed() {
                    #expect(try await channel.receive() == packet + [UInt8(index), 0xFF])
                }
            }
            channels[0].close()
            try channels[1].send([9])
            #expect(try await channels[1].receive() == [9, 0xFF])
            await #expect(throws: RadioError.self) { try await channels[0].receive() }
            there.close()
            await #expect(throws: RadioError.self) { try await channels[1].receive() }
            #expect(throws: RadioError.self) { try here.connect() }
        }
    }

    @Test func `a slow reader holds the sender back, and nothing else`() throws {
        try connect { here, there, _, time, scope in
            let taken = Box<(any PacketChannel)?>(nil)
            scope.spawn { await here.carry() }
            scope.spawn { await there.carry { if taken.value == nil { taken.set($0) } else { $0.close() } } }
            try await here.untilGreeted()
            let channel = try here.connect()
            let sent = Box(0)
            scope.spawn {
                for number in 0..<2_000 {
                    guard (try? channel.send([UInt8(number & 0xFF)])) != nil else { return }
                    try? await channel.drained()
                    try? await time.sleep(for: .milliseconds(1))
                    sent.set(number + 1)
                }
            }
            try await time.sleep(for: .seconds(1))
            #expect((1..<1_000).contains(sent.value))
            // The stream goes on for others.
            let other = try here.connect()
            await #expect(throws: RadioError.self) { try await other.receive() }
            let reader = try #require(taken.value)
            for number in 0..<2_000 { #expect(try await reader.receive() == [UInt8(number & 0xFF)]) }
        }
    }

    @Test func `what a shell prints before is passed over`() throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { _, _, scope in
            let (left, right) = PacketPipe.pair()
            let here = ChannelStream(left, isOpener: true, during: "test")
            scope.spawn { await here.carry() }
            for text in ["Last login: today\nno line feed", "\nblectl ra", "dio 2\n"] {
                try right.send(Array(text.utf8))
            }
            try await here.untilGreeted()
        }
    }

    @Test(
        arguments: [
            // Longer than any packet, an unknown event, a packet that is cut, and no greeting.
            (greeting, [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]), (greeting, [5, 0, 0, 0, 1, 0, 0, 0, 99]),
            (greeting, [6, 0, 0, 0, 1, 0, 0, 0, 1, 9]), ("", [UInt8](repeating: 0x41, count: 70_000)),
        ] as [(String, [UInt8])]
    )
    func `nonsense ends the stream and all channels`(greeting: String, octets: [UInt8]) throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { _, _, scope in
            let (left, right) = PacketPipe.pair()
            let here = ChannelStream(left, isOpener: true, during: "test")
            let channel = try here.connect()
            try right.send(Array(greeting.utf8) + octets)
            await here.carry()
            await #expect(throws: RadioError(.controllerGarbled, during: "test")) { try await channel.receive() }
        }
    }

    @Test(arguments: [(1, true), (3, false)])
    func `another version is told, and which one is older`(version: Int, isOlder: Bool) throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { _, _, scope in
            let (left, right) = PacketPipe.pair()
            let here = ChannelStream(left, isOpener: true, during: "test")
            scope.spawn { await here.carry() }
            try right.send(Array("welcome\nblectl radio \(version)\n".utf8))
            await #expect(throws: RadioError(.otherVersion(isOlder: isOlder), during: "test")) {
                try await here.untilGreeted()
            }
        }
    }

    @Test func `another machine's radio is used through one stream`() throws {
        let world = try SimulatedWorld.builtIn()
        let device = try #require(world.device(named: "pulse-strap"))
        try SimulatedRadioTests.share(world) { world, time, scope in
            let (left, right) = PacketPipe.pair()
            let here = ChannelStream(left, isOpener: true, during: "test")
            let there = ChannelStream(right, isOpener: false, during: "test")
            let server = RemoteRadioServer(time: time) {
                let system = world.join()
                return RemoteRadioServer.Machine(system, leave: system.leave)
            }
            scope.spawn { await here.carry() }
            scope.spawn { await there.carry { channel in scope.spawn { await server.serve(channel) } } }
            let system = try await RemoteRadioSystem.join(here, named: "far", turns: .there, time: time, scope: scope)
            let radio = try system.radio(named: "far")
            let turn = try await radio.takeTurn(.device(device.address), by: time.now + .seconds(1)) { _ in }
            let link = try await radio.connectATT(to: device.address, deadline: time.now + .seconds(5))
            #expect(try await link.exchange("021700").hasPrefix("03"))
            turn.end()
            // The stream ends as that of a killed ssh does.
            left.close()
            await #expect(throws: RadioError.self) { while true { _ = try await link.receive() } }
            try await time.sleep(for: .seconds(3))
            #expect(world.adapterCount == 0 && server.memberCount == 0)
        }
    }
}

/// A stream that has no borders between packets.
private struct Pieces: ForwardingChannel {
    let channel: PacketPipe
    let length: Int

    func send(_ packet: [UInt8]) throws(RadioError) {
        var rest = packet[...]
        while !rest.isEmpty {
            try channel.send(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }
}
