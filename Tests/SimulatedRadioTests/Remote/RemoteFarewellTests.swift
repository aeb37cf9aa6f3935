// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import RadioSharing
@testable import SimulatedRadio

/// The ends of channels that a server carries packets for.
@Suite("The end of a channel between the radio and a process")
struct RemoteFarewellTests {
    /// A credit-based channel to a device that takes units after a time, and may close the channel with the first.
    private final class SlowChannel: L2CAPChannel {
        let peer = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        let connectionHandle: UInt16? = nil
        let spsm = SPSM(0x80)
        let receiveMTU: UInt16 = 100
        let sendMTU: UInt16 = 100
        let unsentOctets = 0
        let droppedCount = 0
        /// The units that were sent.
        let sent = Box<[[UInt8]]>([])
        /// The time of the first close from this side.
        let closedAt = Box<Instant?>(nil)
        private let pause: Duration
        private let endsAtOnce: Bool
        private let received = PacketQueue(limit: 16, overflow: .pauseProducer)
        private let time: VirtualTime

        init(taking pause: Duration, endsAtOnce: Bool = false, _ time: VirtualTime) {
            self.pause = pause
            self.endsAtOnce = endsAtOnce
            self.time = time
        }

        func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

        func send(_ packet: [UInt8]) throws(RadioError) {
            sent.set(sent.value + [packet])
            if endsAtOnce { received.finish(RadioError(.closedByPeer(nil), during: "test")) }
        }

        func drained() async throws(RadioError) {
            do {
                try await time.sleep(for: pause)
            } catch {
                throw RadioError(.cancelled, during: "test")
            }
        }

        func close() {
            if closedAt.value == nil { closedAt.set(time.now) }
            received.finish(RadioError(.closedLocally, during: "test"))
        }
    }

    /// A device that takes nothing, as far as a test can see.
    private static let never = Duration.seconds(1_000_000)

    /// Gives a process a channel. `body` gets the process's end of the connection. Returns how often the server has
    /// said that the channel is closed.
    private static func handOver(
        _ makeChannel: @escaping @Sendable (VirtualTime) -> SlowChannel,
        _ body: @escaping @Sendable (PacketPipe, SlowChannel, VirtualTime) async throws -> Void
    ) throws -> Int {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let server = RemoteRadioServer(
                time: time,
                makeMachine: { RemoteRadioServer.Machine(world.join(), leave: {}) }
            )
            let channel = makeChannel(time)
            let (near, far) = PacketPipe.pair()
            let closings = Box(0)
            scope.spawn {
                try? await server.handOver(
                    channel,
                    as: .opened,
                    to: far,
                    whenClosed: { closings.set(closings.value + 1) }
                )
                far.close()
            }
            try await body(near, channel, time)
            try await time.sleep(for: .seconds(10))
            return closings.value
        }
    }

    @Test func `a blocked channel is closed two seconds after the end of its process`() throws {
        let closings = try Self.handOver({ SlowChannel(taking: Self.never, $0) }) { process, channel, time in
            for unit in 1...3 as ClosedRange<UInt8> { try process.send([unit]) }
            try await time.sleep(for: .seconds(60))
            #expect(channel.closedAt.value == nil && channel.sent.value == [[1]])
            let gone = time.now
            process.close()
            try await time.sleep(for: .seconds(10))
            let closed = try #require(channel.closedAt.value)
            #expect(closed - gone == RemoteRadioServer.farewellTimeout)
        }
        #expect(closings == 1)
    }

    @Test func `a process that is held back is alive, and its end is noticed`() throws {
        let closings = try Self.handOver({ SlowChannel(taking: Self.never, $0) }) { process, channel, time in
            for unit in 0..<1_000 { try process.send([UInt8(unit & 0xFF)]) }
            try await time.sleep(for: .seconds(61))
            #expect(channel.closedAt.value == nil)
            let gone = time.now
            process.close()
            try await time.sleep(for: .seconds(10))
            let closed = try #require(channel.closedAt.value)
            #expect(closed - gone <= RemoteRadioServer.farewellTimeout * 2)
        }
        #expect(closings == 1)
    }

    @Test func `data that a process has sent before its end are still sent, if the channel takes them in time`()
        throws
    {
        let closings = try Self.handOver({ SlowChannel(taking: .milliseconds(10), $0) }) { process, channel, time in
            // The channel is open by then.
            try await time.sleep(for: .seconds(1))
            let start = time.now
            let units = (0..<150).map { [UInt8($0)] }
            for unit in units { try process.send(unit) }
            process.close()
            try await time.sleep(for: .seconds(10))
            #expect(channel.sent.value == units)
            #expect(try #require(channel.closedAt.value) <= start + .milliseconds(1_500))
        }
        #expect(closings == 1)
    }

    @Test func `a process learns that its last octets were sent before it learns of the end`() throws {
        let closings = try Self.handOver({ SlowChannel(taking: .seconds(1), endsAtOnce: true, $0) }) {
            process,
            channel,
            time in
            try process.send([1, 2, 3])
            var packets: [RemotePacket] = []
            while packets.count < 4 { packets.append(try RemotePacket(decoding: try await process.receive())) }
            let end = RadioError(.closedByPeer(nil), during: "test")
            #expect(packets == [.finished(0), .opened, .finished(3), .ended(end)])
            process.close()
        }
        #expect(closings == 1)
    }
}
