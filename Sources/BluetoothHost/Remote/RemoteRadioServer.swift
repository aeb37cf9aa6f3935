// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// Lends a radio to other processes: each gets its own machine with an adapter, for as long as it holds its connection.
///
/// Requests and packets come from other programs, so every length is checked, every queue is bounded, and a program
/// that does not read loses packets without stopping anything else.
public final class RemoteRadioServer: Sendable {
    /// A machine that a process has joined as.
    public struct Machine: Sendable {
        /// The adapter of the machine, and its management channel.
        let system: any RadioSystem
        /// Ends the machine.
        let leave: @Sendable () -> Void

        /// Creates a machine. `leave` ends its links and everything else that it has.
        public init(_ system: any RadioSystem, leave: @escaping @Sendable () -> Void) {
            self.system = system
            self.leave = leave
        }
    }

    /// A process that has joined.
    private struct Member {
        /// The system of its machine.
        let system: any RadioSystem
        /// The links whose ATT channels the process has.
        let links = RemoteLinks()
        /// The centrals that have connected and whose channels no process has taken over yet.
        var centrals: [UInt32: (channel: any ATTChannel, listener: Listener)] = [:]
        /// The number of the last central or channel that was offered.
        var lastCentral: UInt32 = 0
        /// The credit-based channels that have opened and wait for their takeover.
        var channels: [UInt32: (opened: OpenedChannel, listener: Listener)] = [:]
        /// The observers of frames by their numbers, with the number of connections that use each.
        var observers: [UInt32: (frames: ShownFrames, uses: Int)] = [:]
    }

    /// The connection on which a process listens.
    final class Listener: Sendable {
        /// Carries the numbers of those that have arrived.
        private let channel: any PacketChannel

        init(_ channel: any PacketChannel) { self.channel = channel }

        /// Tells the process the number of a central or channel, and waits until it has taken it.
        func announce(_ number: UInt32) async throws(RadioError) {
            try channel.send(RemotePacket.central(number).encoded())
            try await channel.drained()
        }
    }

    /// The state that the connections share.
    private struct State {
        /// The machines by their numbers.
        var members: [RemoteRequest.Member: Member] = [:]
        /// The number of open connections, for the limit.
        var connections = 0
    }

    /// The most connections at a time. Further ones are closed at once.
    static let maximumConnections = 512
    /// The most centrals of a machine that wait for their channel to be taken over.
    static let maximumCentrals = 16
    /// The time for the first packet of a connection.
    private static let requestTimeout = Duration.seconds(5)
    /// The time that each side has for its part of a farewell: the process takes the last packets of a channel, and the
    /// server ends the machine of a process.
    static let farewellTimeout = Duration.seconds(2)

    /// The clock of all deadlines.
    let time: any TimeSource
    /// Makes a machine for a process; returns `nil` if processes cannot join.
    private let makeMachine: @Sendable () -> Machine?
    /// The system for processes that have not joined; `nil` if every process has to join.
    private let guests: (any RadioSystem)?
    /// Answers a `control` request.
    private let answer: @Sendable ([UInt8]) async -> Answer
    /// The packet that comes before a link that is lent; `nil` if there is no link to lend.
    private let introduction: (@Sendable () -> [UInt8])?
    /// Carries out the command of a process; `nil` if there is no link for it.
    private let perform: (@Sendable ([UInt8], any PacketChannel) async -> Void)?
    /// Locked, because each connection is served by its own task.
    private let state = Mutex(State())

    /// The answer to a `control` request.
    struct Answer: Sendable {
        /// The packets in their order.
        let packets: [[UInt8]]
        /// Called when they were sent, or when the process has gone.
        var whenSent: @Sendable () -> Void = {}
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - time: The clock of the requests' deadlines.
    ///   - makeMachine: Makes a machine for a process that joins.
    ///   - control: Carries out a request to the world, and returns the answers.
    ///   - onAnswered: Called when the answers were sent, or when the process has gone.
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

    /// Creates a server whose processes are all guests: they use the same system.
    ///
    /// - Parameters:
    ///   - time: The clock of the requests' deadlines.
    ///   - guests: The system for all processes.
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

    /// The first packet of a connection. One that sends none within five seconds, or something else, is
    /// refused.
    private func request(on channel: any PacketChannel) async throws(RadioError) -> RemoteRequest {
        do {
            let bytes = try await withDeadline(time.now + Self.requestTimeout, time, operation: "request") {
                try await channel.receive()
            }
            return try RemoteRequest(decoding: bytes)
        } catch let error as RadioError {
            throw error
        } catch is DecodeError {
            // Another program or another version has connected. It gets an error and loses the connection.
            throw RadioError(.system(call: "request", errno: "EPROTO"), during: "shared world")
        } catch {
            throw RadioError(.cancelled, during: "shared world")
        }
    }

    /// Carries out a request on the connection that it came on, and returns at the end of either.
    ///
    /// - Parameter observer: The observer of the frames of credit-based channels; `nil` for none.
    private func carryOut(
        _ request: RemoteRequest,
        shownTo observer: UInt32? = nil,
        on channel: any PacketChannel
    ) async throws(RadioError) {
        switch request {
        case .join: try await join(channel)
        case .hci(let member, let use):
            try await handOver(try radio(of: member).openHCI(for: use), as: .opened, to: channel)
        case .management(let member):
            let system = try system(of: member)
            let local = try system.openManagement()
            // The state of the adapter goes out before the event about it, so that a program that acts on the event
            // finds the new state.
            let reader = links(of: member).map { RemoteLinks.Reader($0) }
            try await handOver(local, as: .opened, to: channel) {
                [.adapter((try? await system.adapters())?.first)] + (reader?.news() ?? [])
            }
        case .connect(let member, let device, let timeout):
            let local = try await connect(to: device, by: radio(of: member), timeout, for: channel)
            try await handOver(local, of: member, to: channel)
        case .listen(let member): try await listen(member, channel)
        case .accept(let member, let number):
            let local = state.withLock { $0.members[member]?.centrals.removeValue(forKey: number)?.channel }
            guard let local else { throw RadioError(.closedByPeer(nil), during: "link to a central") }
            try await handOver(local, of: member, to: channel)
        case .raise(let member, let link, let level): try await raise(link, of: member, to: level, for: channel)
        case .connectChannel(let member, let device, let request, let timeout):
            let frames = try use(observer, of: member)
            defer { release(observer, of: member) }
            try await connectChannel(to: device, request, of: member, timeout, shownTo: frames, for: channel)
        case .offer(let member, let request):
            let frames = try use(observer, of: member)
            defer { release(observer, of: member) }
            try await offer(request, of: member, shownTo: frames, on: channel)
        case .acceptChannel(let member, let number):
            let opened = state.withLock { $0.members[member]?.channels.removeValue(forKey: number)?.opened }
            guard let opened else { throw RadioError(.closedByPeer(nil), during: "channel") }
            try await accept(opened, number, for: channel)
        case .observe(let member, let observer):
            guard let frames = try use(observer, of: member) else { return }
            defer { release(observer, of: member) }
            try await show(frames, on: channel)
        case .observed(let observer, let request):
            try await carryOut(request, shownTo: observer, on: channel)
        case .control(let bytes): try await control(bytes, on: channel)
        case .perform(let bytes): try await carryOut(command: bytes, on: channel)
        case .attach(let device, let timeout):
            guard let guests, let introduction else { throw RadioError(.unsupported, during: "shared world") }
            try channel.send(RemotePacket.data(introduction()).encoded())
            let local = try await connect(to: device, by: guests.radio(named: nil), timeout, for: channel)
            try await handOver(local, as: .connected(.init(local)), to: channel)
        }
    }

    /// Answers a `control` request.
    private func control(_ bytes: [UInt8], on channel: any PacketChannel) async throws(RadioError) {
        let answer = await answer(bytes)
        // Also if the process has gone: a client that has read the last answer closes its connection at once, and
        // what it has asked for counts.
        defer { answer.whenSent() }
        for packet in answer.packets {
            try channel.send(RemotePacket.data(packet).encoded())
            // A long list waits for its reader here, and in no queue.
            try await channel.drained()
        }
    }

    /// Carries out a command, until it has ended or the process has gone.
    private func carryOut(command bytes: [UInt8], on channel: any PacketChannel) async throws(RadioError) {
        guard let perform else { throw RadioError(.unsupported, during: "shared world") }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await perform(bytes, channel) }
            // The end of an interrupted process cancels its request.
            group.addTask { await Self.untilEnd(of: channel) }
            await group.next()
            group.cancelAll()
        }
    }

    /// The system of a machine. Throws if the machine is gone, or was never there.
    private func system(of member: RemoteRequest.Member) throws(RadioError) -> any RadioSystem {
        if member == RemoteRequest.guest, let guests { return guests }
        guard let system = state.withLock({ $0.members[member]?.system }) else {
            throw RadioError(.noAdapter, during: "shared world")
        }
        return system
    }

    /// The links of a machine; `nil` for guests.
    func links(of member: RemoteRequest.Member) -> RemoteLinks? { state.withLock { $0.members[member]?.links } }

    /// The adapter of a machine. A machine has only one.
    func radio(of member: RemoteRequest.Member) throws(RadioError) -> any Radio {
        try system(of: member).radio(named: nil)
    }

    /// The observer of frames with that number, which one connection more uses from now on; `nil` for none. The
    /// requests that name it may come before that of the connection on which it sees them.
    private func use(_ number: UInt32?, of member: RemoteRequest.Member) throws(RadioError) -> ShownFrames? {
        guard let number else { return nil }
        let frames = state.withLock { state -> ShownFrames? in
            guard let known = state.members[member] else { return nil }
            let (frames, uses) = known.observers[number] ?? (ShownFrames(), 0)
            state.members[member]?.observers[number] = (frames, uses + 1)
            return frames
        }
        guard let frames else { throw RadioError(.noAdapter, during: "shared world") }
        return frames
    }

    /// A connection does not use an observer any more. The last one removes it.
    private func release(_ number: UInt32?, of member: RemoteRequest.Member) {
        guard let number else { return }
        state.withLock { state in
            guard let (frames, uses) = state.members[member]?.observers[number] else { return }
            state.members[member]?.observers[number] = uses > 1 ? (frames, uses - 1) : nil
        }
    }

    // MARK: - Machines

    /// Makes a machine for a process, which lasts as long as the connection. The adapter is announced again after
    /// each management event, so that the process knows its present state.
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
            for central in left?.centrals.values.map(\.channel) ?? [] { central.close() }
            for opened in left?.channels.values.map(\.opened) ?? [] { opened.channel.close() }
            for observer in left?.observers.values.map({ $0 }) ?? [] { observer.frames.end() }
        }
        // The adapter comes first: a process that has joined looks for it at once.
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
            // A packet is a farewell: the process waits for the end of the connection, when the machine is gone.
            group.addTask { _ = try? await channel.receive() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the other process has closed the connection.
    static func untilEnd(of channel: any PacketChannel) async {
        while (try? await channel.receive()) != nil {}
    }

    // MARK: - Links

    /// Connects on behalf of a process. Stops when the process goes away.
    private func connect(
        to device: DeviceAddress,
        by radio: any Radio,
        _ timeout: Duration,
        for channel: any PacketChannel
    ) async throws(RadioError) -> any ATTChannel {
        let deadline = time.now + timeout
        return try await attempt("connection to \(device.address)", for: channel) { () throws(RadioError) in
            try await radio.connectATT(to: device, deadline: deadline)
        } close: {
            $0.close()
        }
    }

    /// Raises the security of a link on behalf of a process, and sends it the result.
    private func raise(
        _ link: UInt16,
        of member: RemoteRequest.Member,
        to level: SecurityLevel,
        for channel: any PacketChannel
    ) async throws(RadioError) {
        let operation = "encryption of a link"
        guard let links = links(of: member), let local = links.channel(link) else {
            throw RadioError(.closedLocally, during: operation)
        }
        try await attempt(operation, for: channel) { () throws(RadioError) in
            try await local.raiseSecurity(to: level)
        } close: { _ in
        }
        // The news come first, so that the process knows the new security when its request is answered.
        for packet in RemoteLinks.Reader(links).news() + [.opened] { try channel.send(packet.encoded()) }
        try await channel.drained()
    }

    /// Opens something for a process. Stops when the process goes away.
    func attempt<Opened: Sendable>(
        _ operation: String,
        for channel: any PacketChannel,
        _ open: @escaping @Sendable () async throws(RadioError) -> Opened,
        close: (Opened) -> Void
    ) async throws(RadioError) -> Opened {
        let outcome = await withTaskGroup(of: Result<Opened, RadioError>?.self) { group in
            group.addTask { await Result(catching: open) }
            group.addTask {
                await Self.untilEnd(of: channel)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The attempt may have succeeded at the very moment at which the process gave it up.
            for await last in group {
                if first == nil, case .success(let late)? = last { close(late) }
            }
            return first
        }
        guard let outcome else { throw RadioError(.cancelled, during: operation) }
        return try outcome.get()
    }

    /// Offers each central to the process, which takes it over on a separate connection.
    private func listen(_ member: RemoteRequest.Member, _ channel: any PacketChannel) async throws(RadioError) {
        let centrals = try radio(of: member).listenATT()
        defer { centrals.close() }
        try await listen(on: channel, of: member) { (listener) async throws(RadioError) in
            try await self.offer(try await centrals.accept(), to: member, on: listener)
        }
    }

    /// Repeats a step until it fails or the process closes its connection. What the process has not taken over by then
    /// is closed: it had no owner otherwise.
    func listen(
        on channel: any PacketChannel,
        of member: RemoteRequest.Member,
        _ step: @escaping @Sendable (Listener) async throws(RadioError) -> Void
    ) async throws(RadioError) {
        try channel.send(RemotePacket.opened.encoded())
        let listener = Listener(channel)
        defer { withdraw(listener, of: member) }
        let failure = await withTaskGroup(of: RadioError?.self) { group in
            group.addTask {
                do throws(RadioError) {
                    while true { try await step(listener) }
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

    /// Closes what has arrived for a listener and was not taken over.
    private func withdraw(_ listener: Listener, of member: RemoteRequest.Member) {
        let (centrals, channels) = state.withLock { state in
            let centrals = state.members[member]?.centrals.filter { $1.listener === listener } ?? [:]
            let channels = state.members[member]?.channels.filter { $1.listener === listener } ?? [:]
            for number in centrals.keys { state.members[member]?.centrals[number] = nil }
            for number in channels.keys { state.members[member]?.channels[number] = nil }
            return (centrals.values.map(\.channel), channels.values.map(\.opened.channel))
        }
        for central in centrals { central.close() }
        for channel in channels { channel.close() }
    }

    /// Offers the channel of a central to the process, or closes it if the process does not take over those before it.
    private func offer(
        _ central: any ATTChannel,
        to member: RemoteRequest.Member,
        on listener: Listener
    ) async throws(RadioError) {
        let number = state.withLock { state -> UInt32? in
            guard let count = state.members[member]?.centrals.count, count < Self.maximumCentrals else { return nil }
            state.members[member]?.lastCentral &+= 1
            guard let number = state.members[member]?.lastCentral else { return nil }
            state.members[member]?.centrals[number] = (central, listener)
            return number
        }
        guard let number else { return central.close() }
        try await listener.announce(number)
    }

    /// Offers a credit-based channel to the process, or closes it if the process does not take over those before it.
    func offer(
        _ opened: OpenedChannel,
        to member: RemoteRequest.Member,
        on listener: Listener
    ) async throws(RadioError) {
        let number = state.withLock { state -> UInt32? in
            guard let count = state.members[member]?.channels.count, count < Self.maximumCentrals else { return nil }
            state.members[member]?.lastCentral &+= 1
            guard let number = state.members[member]?.lastCentral else { return nil }
            state.members[member]?.channels[number] = (opened, listener)
            return number
        }
        guard let number else { return opened.channel.close() }
        try await listener.announce(number)
    }
}
