// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import SimulatedRadio

/// Clocks of several "processes", each on a thread of its own.
@Suite("The clock of a world that processes share", .timeLimit(.minutes(1)))
struct WorldClockTests {
    /// A world on a thread of its own, which returns what it receives a second later, and writes it down.
    private final class World: Sendable {
        let time = VirtualTime()
        let clock: WorldClock
        let log = Log()

        init(patience: Duration = .seconds(5)) {
            clock = WorldClock(sharing: time, patience: patience)
            let time = time
            Thread.detachNewThread { time.runUntilClosed() }
        }

        /// The end of a connection for a process that has joined. Returns after it has the turn.
        func connection(of process: UInt32 = 1) async throws -> PacketPipe {
            let (near, far) = PacketPipe.pair()
            Task(executorPreference: time) { [self] in
                await clock.serve(ClockLink(far), to: process, greeting: { [UInt8($0.nanoseconds / 1_000_000_000)] }) {
                    channel in
                    Task(executorPreference: time) { [self] in
                        while let packet = try? await channel.receive() {
                            log.add("\(time.now): \(packet)")
                            try? await time.sleep(for: .seconds(1))
                            try? channel.send(packet)
                        }
                        log.add("\(time.now): end")
                    }
                }
            }
            return near
        }

        deinit { time.close() }
    }

    /// Joins as a process that runs a program on a thread of its own.
    private func join<Value: Sendable>(
        _ world: World,
        _ program: @escaping @Sendable (MemberClock, VirtualTime) async throws -> Value
    ) async throws -> Task<Value, any Error> {
        let pipe = try await world.connection()
        return run(program, pipe, try await pipe.receive()[0])
    }

    /// Runs a program, as a process that has joined at that second, on a thread of its own.
    private func run<Value: Sendable>(
        _ program: @escaping @Sendable (MemberClock, VirtualTime) async throws -> Value,
        _ pipe: PacketPipe,
        _ now: UInt8
    ) -> Task<Value, any Error> {
        let time = VirtualTime(at: .zero + .seconds(Int(now)))
        let member = MemberClock(joining: ClockLink(pipe), time: time)
        return Task {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            try time.run { () async throws -> Value in
                                try await withThrowingTaskGroup(of: Void.self) { group in
                                    group.addTask { await member.follow() }
                                    defer { group.cancelAll() }
                                    return try await program(member, time)
                                }
                            }
                        }
                    )
                    pipe.close()
                }
            }
        }
    }

    @Test func `processes take turns in the order in which they joined`() async throws {
        for _ in 0..<20 {
            let world = World()
            let (first, second) = (try await world.connection(), try await world.connection())
            // Both have joined before either one begins.
            let moments = (try await first.receive()[0], try await second.receive()[0])
            let programs = [(UInt8(1), first, moments.0), (2, second, moments.1)].map { name, pipe, now in
                run(
                    { member, time in
                        let channel = try member.open()
                        for number in 1...3 {
                            try await time.sleep(for: .seconds(10))
                            try channel.send([name, UInt8(number)])
                            #expect(try await channel.receive() == [name, UInt8(number)])
                            // The answer came a second later.
                            #expect(time.now == .zero + .seconds(11 * number))
                        }
                    },
                    pipe,
                    now
                )
            }
            for program in programs { try await program.value }
            let expected = [10, 21, 32].enumerated().flatMap { number, second in
                [1, 2].map { "\(Instant.zero + .seconds(second)): [\($0), \(number + 1)]" }
            }
            #expect(world.log.all.filter { !$0.hasSuffix("end") } == expected)
        }
    }

    @Test func `the clock stands still for those who do not want time`() async throws {
        let world = World()
        let idle = try await join(world) { member, time in
            member.setActive(false)
            try await time.sleep(for: .seconds(100))
            return time.now
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(world.time.now == .zero)
        let active = try await join(world) { _, time in try await time.sleep(for: .seconds(60)) }
        try await active.value
        #expect(world.time.now == .zero + .seconds(60))
        let other = try await join(world) { _, time in try await time.sleep(for: .seconds(60)) }
        #expect(try await idle.value == .zero + .seconds(100))
        try await other.value
    }

    @Test func `a world that others may join does not come to rest`() async throws {
        let world = World()
        let sleeper = try await join(world) { _, time in try await time.sleep(for: .seconds(5)) }
        let watcher = try await join(world) { _, time in
            let early = try await time.untilNothingIsDue(or: .zero + .seconds(2))
            let late = try await time.untilNothingIsDue(or: .zero + .seconds(3600))
            return (early, late, time.now)
        }
        try await sleeper.value
        let (early, late, moment) = try await watcher.value
        #expect(!early && !late)
        #expect(moment == .zero + .seconds(3600))
    }

    @Test func `a slow reader holds the sender back, and loses nothing`() async throws {
        let world = World()
        let sent = try await join(world) { member, time in
            let channel = try member.open()
            var most = 0
            for number in 0..<1_000 {
                try channel.send([UInt8(truncatingIfNeeded: number)])
                try await channel.drained()
                if time.now == .zero { most = number }
                // A turn for each, so that the other end can say that it has enough.
                try await time.sleep(for: .milliseconds(1))
                if time.now < .zero + .seconds(1) { most = number }
            }
            for number in 0..<1_000 { #expect(try await channel.receive() == [UInt8(truncatingIfNeeded: number)]) }
            return most
        }
        // The world takes one a second, and its queue has 256.
        #expect((250...400).contains(try await sent.value))
        #expect(world.log.all.filter { !$0.hasSuffix("end") }.count == 1_000)
    }

    @Test func `channels go from one process to another, and end with either`() async throws {
        let world = World()
        let server = try await join(world) { member, time in
            let (arrivals, arrive) = AsyncStream<any PacketChannel>.makeStream()
            member.offer("door") { arrive.yield($0) }
            member.setActive(false)
            for await channel in arrivals {
                let packet = try await channel.receive()
                try channel.send(packet + [9])
                await #expect(throws: RadioError.self) { try await channel.receive() }
                return time.now
            }
            return time.now
        }
        let client = try await join(world) { member, time in
            // The server makes its offer in its first turn.
            try await time.sleep(for: .seconds(1))
            let nobody = try member.open("nobody")
            await #expect(throws: RadioError(.closedByPeer(nil), during: "channel to another process")) {
                try await nobody.receive()
            }
            let channel = try member.open("door")
            try channel.send([1, 2])
            #expect(try await channel.receive() == [1, 2, 9])
            channel.close()
            try await time.sleep(for: .seconds(1))
        }
        try await client.value
        #expect(try await server.value == .zero + .seconds(1))
    }

    @Test func `a channel more than there may be ends at once`() async throws {
        let world = World()
        let client = try await join(world) { member, _ in
            let channels = try (0..<513).map { _ in try member.open() }
            await #expect(throws: RadioError(.closedByPeer(nil), during: "channel to another process")) {
                try await channels[512].receive()
            }
            try channels[511].send([1])
            #expect(try await channels[511].receive() == [1])
        }
        try await client.value
    }

    @Test func `a process that is killed does not hold the others up`() async throws {
        let world = World()
        let pipe = try await world.connection()
        _ = try await pipe.receive()
        let other = try await join(world) { _, time in try await time.sleep(for: .seconds(5)) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(world.time.now == .zero)
        pipe.close()
        try await other.value
        #expect(world.time.now == .zero + .seconds(5))
    }

    @Test func `a process that was slow itself is told who holds it up`() async throws {
        let world = World(patience: .milliseconds(20))
        let holder = try await world.connection(of: 1)
        _ = try await holder.receive()
        let other = try await world.connection(of: 2)
        _ = try await other.receive()
        // The world has looked many times before this one waits.
        try await Task.sleep(for: .milliseconds(200))
        let link = ClockLink(other)
        for second in 1...2 {
            try link.send(.waiting(until: .zero + .seconds(second), isActive: true, []))
            #expect(try await link.receive() == .held(process: 1))
            try await Task.sleep(for: .milliseconds(100))
            // Once for each time that it waits: the next message is its turn.
            try ClockLink(holder).send(.waiting(until: nil, isActive: false, []))
            #expect(try await link.receive() == .turn(now: .zero + .seconds(second), []))
            try ClockLink(holder).send(.ask)
            if second == 1 {
                try link.send(.waiting(until: nil, isActive: false, []))
                #expect(try await ClockLink(holder).receive() == .turn(now: .zero + .seconds(1), []))
            }
        }
    }

    @Test func `messages are read as they were written, and cut ones are refused`() throws {
        let packets = [
            ChannelPacket(channel: 3, event: .open(nil)), ChannelPacket(channel: 5, event: .open("door")),
            ChannelPacket(channel: 3, event: .data([1, 2, 3])), ChannelPacket(channel: 0, event: .offer("a")),
            ChannelPacket(channel: 0, event: .withdraw("a")), ChannelPacket(channel: 3, event: .pause),
            ChannelPacket(channel: 3, event: .resume), ChannelPacket(channel: 3, event: .close),
        ]
        let messages: [ClockMessage] = [
            .turn(now: .zero + .seconds(7), packets), .waiting(until: .zero + .seconds(4), isActive: true, packets),
            .waiting(until: nil, isActive: false, []), .ask, .held(process: 77),
        ]
        for message in messages {
            let bytes = message.encoded()
            #expect(try ClockMessage(decoding: bytes) == message)
            for count in 0..<bytes.count {
                // Cut between two packets, a message is one with fewer packets.
                if let shorter = try? ClockMessage(decoding: Array(bytes.prefix(count))) { #expect(shorter != message) }
            }
        }
        #expect(throws: DecodeError.self) { try ClockMessage(decoding: [9]) }
    }
}
