// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// Lends a radio to other processes: each gets a machine with an adapter of its own, for as long as it holds its connection.
///
/// Requests and packets come from other programs, so every length is checked, every queue is bounded, and a program that does not
/// read is left behind without stopping anything else.
public final class RemoteRadioServer: Sendable {
    /// A machine that a process has joined as.
    public struct Machine: Sendable {
        let system: any RadioSystem
        let leave: @Sendable () -> Void

        /// Creates a machine. `leave` ends its links and everything else that it has.
        public init(_ system: any RadioSystem, leave: @escaping @Sendable () -> Void) {
            self.system = system
            self.leave = leave
        }
    }

    private struct Member {
        let system: any RadioSystem
        /// The centrals that have connected and whose channels nobody has taken over yet.
        var centrals: [UInt32: any ATTChannel] = [:]
        var lastCentral: UInt32 = 0
    }

    private struct State {
        var members: [RemoteRequest.Member: Member] = [:]
        var connections = 0
    }

    /// The most connections at a time. Further ones are closed at once.
    static let maximumConnections = 512
    /// The most centrals of a machine that wait for their channel to be taken over.
    static let maximumCentrals = 16
    /// The time for the first packet of a connection.
    private static let requestPatience = Duration.seconds(5)
    /// The time in which a process has to take the last packets of a channel.
    private static let farewellPatience = Duration.seconds(2)

    private let time: any TimeSource
    private let makeMachine: @Sendable () -> Machine?
    private let guests: (any RadioSystem)?
    private let answer: @Sendable ([UInt8]) async -> Answer
    /// The packet that comes before a link that is lent; `nil` if there is no link to lend.
    private let introduction: (@Sendable () -> [UInt8])?
    /// Carries out the command of a process; `nil` if there is no link for it.
    private let perform: (@Sendable ([UInt8], any PacketChannel) async -> Void)?
    private let state = Mutex(State())

    /// The answer to a `control` request.
    struct Answer: Sendable {
        let packets: [[UInt8]]
        /// Called when they were sent.
        var whenSent: @Sendable () -> Void = {}
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - time: The clock of the requests' deadlines.
    ///   - makeMachine: Makes a machine for a process that joins.
    ///   - control: Carries out a request to the world, and returns the answers.
    ///   - onAnswered: Called when the answers were sent.
    public init(
        time: any TimeSource,
        makeMachine: @escaping @Sendable () -> Machine,
        control: @escaping @Sendable (WorldRequest) async -> [WorldAnswer] = { _ in [.failed(.malformed)] },
        onAnswered: @escaping @Sendable (WorldRequest) -> Void = { _ in }
    ) {
        self.time = time
        self.makeMachine = makeMachine
        guests = nil
        introduction = nil
        perform = nil
        answer = { bytes in
            guard let request = try? WorldRequest(decoding: bytes) else {
                return Answer(packets: [WorldAnswer.failed(.malformed).encoded()])
            }
            return Answer(packets: await control(request).map { $0.encoded() }) { onAnswered(request) }
        }
    }

    /// Creates a server that nobody joins: all processes use the same system, as guests.
    ///
    /// - Parameters:
    ///   - time: The clock of the requests' deadlines.
    ///   - guests: What all processes use.
    ///   - introduction: Describes the link to a process before it gets it.
    ///   - perform: Carries out a command, and replies on the channel until it has ended.
    ///   - answer: Answers a `control` request.
    init(
        time: any TimeSource,
        guests: any RadioSystem,
        introduction: @escaping @Sendable () -> [UInt8],
        perform: @escaping @Sendable ([UInt8], any PacketChannel) async -> Void,
        answer: @escaping @Sendable ([UInt8]) async -> Answer
    ) {
        self.introduction = introduction
        self.perform = perform
        self.time = time
        makeMachine = { nil }
        self.guests = guests
        self.answer = answer
    }

    /// The number of machines.
    public var memberCount: Int { state.withLock { $0.members.count } }

    /// Serves one connection, until it ends or the task is cancelled.
    public func serve(_ channel: any PacketChannel) async {
        defer { channel.close() }
        let isWelcome = state.withLock { state in
            guard state.connections < Self.maximumConnections else { return false }
            state.connections += 1
            return true
        }
        guard isWelcome else { return }
        defer { state.withLock { $0.connections -= 1 } }
        do throws(RadioError) {
            try await carryOut(try await request(on: channel), on: channel)
        } catch {
            await end(channel, error)
        }
    }

    private func request(on channel: any PacketChannel) async throws(RadioError) -> RemoteRequest {
        do {
            let bytes = try await withDeadline(time.now + Self.requestPatience, time, operation: "request") {
                try await channel.receive()
            }
            return try RemoteRequest(decoding: bytes)
        } catch let error as RadioError {
            throw error
        } catch is DecodeError {
            throw RadioError(.system(call: "request", errno: "EPROTO"), during: "shared world")
        } catch {
            throw RadioError(.cancelled, during: "shared world")
        }
    }

    private func carryOut(_ request: RemoteRequest, on channel: any PacketChannel) async throws(RadioError) {
        switch request {
        case .join: try await join(channel)
        case .hci(let member, let use):
            let local = try radio(of: member).openHCI(for: use)
            try channel.send(RemotePacket.opened.encoded())
            await carry(local, to: channel)
        case .management(let member):
            let system = try system(of: member)
            let local = try system.openManagement()
            try channel.send(RemotePacket.opened.encoded())
            // The state of the adapter comes before the event that tells of it, so that a program that acts on the event
            // finds the new state.
            await carry(local, to: channel) { .adapter((try? await system.adapters())?.first) }
        case .connect(let member, let device, let patience):
            let local = try await connect(to: device, by: radio(of: member), patience, for: channel)
            try channel.send(RemotePacket.connected(.init(local)).encoded())
            await carry(local, to: channel)
        case .listen(let member): try await listen(member, channel)
        case .accept(let member, let number):
            let local = state.withLock { $0.members[member]?.centrals.removeValue(forKey: number) }
            guard let local else { throw RadioError(.closedByPeer(nil), during: "link to a central") }
            try channel.send(RemotePacket.connected(.init(local)).encoded())
            await carry(local, to: channel)
        case .control(let bytes):
            let answer = await answer(bytes)
            for packet in answer.packets {
                try channel.send(RemotePacket.data(packet).encoded())
                // A long list waits for its reader here, and in no queue.
                try await channel.drained()
            }
            answer.whenSent()
        case .perform(let bytes):
            guard let perform else { throw RadioError(.unsupported, during: "shared world") }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await perform(bytes, channel) }
                // A process that was interrupted wants nothing more.
                group.addTask { await Self.untilEnd(of: channel) }
                await group.next()
                group.cancelAll()
            }
        case .attach(let device, let patience):
            guard let guests, let introduction else { throw RadioError(.unsupported, during: "shared world") }
            try channel.send(RemotePacket.data(introduction()).encoded())
            let local = try await connect(to: device, by: guests.radio(named: nil), patience, for: channel)
            try channel.send(RemotePacket.connected(.init(local)).encoded())
            await carry(local, to: channel)
        }
    }

    private func system(of member: RemoteRequest.Member) throws(RadioError) -> any RadioSystem {
        if member == RemoteRequest.guest, let guests { return guests }
        guard let system = state.withLock({ $0.members[member]?.system }) else {
            throw RadioError(.noAdapter, during: "shared world")
        }
        return system
    }

    private func radio(of member: RemoteRequest.Member) throws(RadioError) -> any Radio {
        try system(of: member).radio(named: nil)
    }

    // MARK: - Machines

    private func join(_ channel: any PacketChannel) async throws(RadioError) {
        guard let machine = makeMachine() else { throw RadioError(.unsupported, during: "shared world") }
        defer { machine.leave() }
        let management = try machine.system.openManagement()
        defer { management.close() }
        let member = state.withLock { state in
            var number = RemoteRequest.Member.random(in: .min ... .max)
            while number == RemoteRequest.guest || state.members[number] != nil { number &+= 1 }
            state.members[number] = Member(system: machine.system)
            return number
        }
        defer {
            let left = state.withLock { $0.members.removeValue(forKey: member) }
            for central in left?.centrals.values.map({ $0 }) ?? [] { central.close() }
        }
        try channel.send(RemotePacket.adapter(try await machine.system.adapters().first).encoded())
        try channel.send(RemotePacket.joined(member).encoded())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await management.receive()) != nil {
                    let adapter = (try? await machine.system.adapters())?.first
                    guard (try? channel.send(RemotePacket.adapter(adapter).encoded())) != nil else { return }
                    guard (try? await channel.drained()) != nil else { return }
                }
            }
            group.addTask { await Self.untilEnd(of: channel) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the other process has closed the connection.
    private static func untilEnd(of channel: any PacketChannel) async {
        while (try? await channel.receive()) != nil {}
    }

    // MARK: - Links

    private func connect(
        to device: DeviceAddress,
        by radio: any Radio,
        _ patience: Duration,
        for channel: any PacketChannel
    ) async throws(RadioError) -> any ATTChannel {
        let operation = "connection to \(device.address)"
        let deadline = time.now + patience
        let outcome = await withTaskGroup(of: Result<any ATTChannel, RadioError>?.self) { group in
            group.addTask {
                do throws(RadioError) {
                    return .success(try await radio.connectATT(to: device, deadline: deadline))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await Self.untilEnd(of: channel)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The attempt may have succeeded at the very moment at which the process gave it up.
            for await last in group {
                if first == nil, case .success(let late)? = last { late.close() }
            }
            return first
        }
        guard let outcome else { throw RadioError(.cancelled, during: operation) }
        return try outcome.get()
    }

    private func listen(_ member: RemoteRequest.Member, _ channel: any PacketChannel) async throws(RadioError) {
        let listener = try radio(of: member).listenATT()
        defer { listener.close() }
        try channel.send(RemotePacket.opened.encoded())
        let failure = await withTaskGroup(of: RadioError?.self) { group in
            group.addTask {
                do throws(RadioError) {
                    while true { try await self.offer(try await listener.accept(), to: member, on: channel) }
                } catch {
                    return error
                }
            }
            group.addTask {
                await Self.untilEnd(of: channel)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let failure { throw failure }
    }

    /// Offers the channel of a central to the process, or closes it if the process does not take over those before it.
    private func offer(
        _ central: any ATTChannel,
        to member: RemoteRequest.Member,
        on channel: any PacketChannel
    ) async throws(RadioError) {
        let number = state.withLock { state -> UInt32? in
            guard let count = state.members[member]?.centrals.count, count < Self.maximumCentrals else { return nil }
            state.members[member]?.lastCentral &+= 1
            guard let number = state.members[member]?.lastCentral else { return nil }
            state.members[member]?.centrals[number] = central
            return number
        }
        guard let number else { return central.close() }
        try channel.send(RemotePacket.central(number).encoded())
        try await channel.drained()
    }

    // MARK: - Packets

    /// Carries packets between the radio's channel and the process, until one of them ends.
    ///
    /// - Parameter announcement: A packet to send before those of the channel.
    private func carry(
        _ local: any PacketChannel,
        to remote: any PacketChannel,
        announcement: @escaping @Sendable () async -> RemotePacket? = { nil }
    ) async {
        defer { local.close() }
        let time = time
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(RadioError) {
                    try await Self.carryBack(local, remote, announcement)
                } catch {
                    // Only the process gives up its side without telling.
                    await self.end(remote, error)
                }
            }
            group.addTask { await Self.carryThere(remote, local) }
            await group.next()
            // The other direction ends by itself: the radio's channel is closing, and so is the process's. A process that
            // does not read what is left is not waited for.
            group.addTask { try? await time.sleep(for: Self.farewellPatience) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func carryBack(
        _ local: any PacketChannel,
        _ remote: any PacketChannel,
        _ announcement: @Sendable () async -> RemotePacket?
    ) async throws(RadioError) {
        var dropped = 0
        while true {
            let packets = try await local.receiveAged()
            if let packet = await announcement() { try remote.send(packet.encoded()) }
            let now = local.droppedCount
            if now != dropped {
                dropped = now
                try remote.send(RemotePacket.dropped(UInt32(clamping: now)).encoded())
            }
            for packet in packets.prefix(while: { $0.bytes.count <= RemotePacket.maximumData }) {
                let isNew = packet.age == .zero
                let sent = isNew ? RemotePacket.data(packet.bytes) : .kept(packet.bytes, age: packet.age)
                try remote.send(sent.encoded())
            }
            // While the process does not read, packets wait in the channel, which drops what a real one would drop.
            try await remote.drained()
        }
    }

    /// Carries the packets of the process until it closes its connection. Packets that it has sent before still go out.
    private static func carryThere(_ remote: any PacketChannel, _ local: any PacketChannel) async {
        do throws(RadioError) {
            while true {
                for packet in try await remote.receiveWaiting() {
                    do throws(RadioError) {
                        try local.send(packet)
                        try await local.drained()
                    } catch {
                        // The radio's channel ends, and tells why.
                        local.hangUp(error)
                        return
                    }
                }
            }
        } catch {
            try? await local.drained()
            local.close()
        }
    }

    /// Tells the process why the channel has ended.
    private func end(_ channel: any PacketChannel, _ error: RadioError) async {
        guard (try? channel.send(RemotePacket.ended(error).encoded())) != nil else { return }
        _ = try? await untilDeadline(time.now + Self.farewellPatience, time) { try await channel.drained() }
    }
}
