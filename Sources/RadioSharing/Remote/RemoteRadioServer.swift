// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost
import Synchronization

/// Lends a radio to other processes: each gets its own machine with an adapter, for as long as it holds its connection.
///
/// Requests and packets come from other programs, so every length is checked, every queue is bounded, and a program
/// that does not read loses packets without stopping anything else.
package final class RemoteRadioServer: Sendable {
    package struct Machine: Sendable {
        /// The adapter of the machine, and its management channel.
        let system: any RadioSystem
        let leave: @Sendable () -> Void

        /// Creates a machine. `leave` ends its links and everything else that it has.
        package init(_ system: any RadioSystem, leave: @escaping @Sendable () -> Void) {
            self.system = system
            self.leave = leave
        }
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

    /// The most connections at a time. Further ones are closed at once.
    static let maximumConnections = 512
    /// The time for the first packet of a connection.
    private static let requestTimeout = Duration.seconds(5)
    /// The time that each side has for its part of a farewell: the process takes the last packets of a channel, and the
    /// server ends the machine of a process.
    static let farewellTimeout = Duration.seconds(2)

    let time: any TimeSource
    /// Whether processes learn which devices others are connected to.
    private let tellsLinks: Bool
    /// Makes a machine for a process; returns `nil` if processes cannot join.
    private let makeMachine: @Sendable () -> Machine?
    /// The system for processes that have not joined; `nil` if every process has to join.
    private let guests: (any RadioSystem)?
    /// Answers a `control` request.
    private let answer: @Sendable ([UInt8]) async -> Answer
    /// Begins a capture of all packets; `nil` if they are not shown.
    private let capture: (@Sendable () -> any PacketChannel)?
    /// Serves a process of that number, which joins the clock, until it leaves; `nil` in real time.
    private let clock: (@Sendable (any PacketChannel, UInt32) async -> Void)?
    private let labels: [WorldLabel]
    /// The machines of the processes that have joined.
    private let members = RemoteMembers()
    /// The number of open connections, for the limit. Locked, because each is served by its own task.
    private let connections = Mutex<Int>(0)

    /// The answer to a `control` request.
    struct Answer: Sendable {
        let packets: [[UInt8]]
        /// Called when they were sent, or when the process has gone.
        var whenSent: @Sendable () -> Void = {}
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - time: The clock of the requests' deadlines.
    ///   - tellsLinks: Whether the machines share an adapter, so that processes learn which devices others are connected
    ///     to.
    ///   - capture: Begins a capture of all packets of the machines; `nil` if they are not shown.
    ///   - clock: Serves a process of that number, which joins the clock, until it leaves; `nil` in real time.
    ///   - labels: The names of attributes in the world's files.
    ///   - makeMachine: Makes a machine for a process that joins.
    ///   - control: Carries out a request to the world, and returns the answers.
    ///   - onAnswered: Called when the answers were sent, or when the process has gone.
    package init(
        time: any TimeSource,
        tellsLinks: Bool = false,
        capture: (@Sendable () -> any PacketChannel)? = nil,
        clock: (@Sendable (any PacketChannel, UInt32) async -> Void)? = nil,
        labels: [WorldLabel] = [],
        makeMachine: @escaping @Sendable () -> Machine,
        control: @escaping @Sendable (WorldRequest) async -> [WorldAnswer] = { _ in [.failed(.malformed)] },
        onAnswered: @escaping @Sendable (WorldRequest) -> Void = { _ in }
    ) {
        self.time = time
        self.tellsLinks = tellsLinks
        self.capture = capture
        self.clock = clock
        self.labels = labels
        self.makeMachine = makeMachine
        guests = nil
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
    ///   - answer: Answers a `control` request.
    ///   - capture: Begins a capture of all packets of the process; `nil` if they are not shown.
    init(
        time: any TimeSource,
        guests: any RadioSystem,
        answer: @escaping @Sendable ([UInt8]) async -> Answer,
        capture: (@Sendable () -> any PacketChannel)?
    ) {
        self.time = time
        tellsLinks = false
        self.capture = capture
        clock = nil
        labels = []
        makeMachine = { nil }
        self.guests = guests
        self.answer = answer
    }

    package var memberCount: Int { members.count }

    /// Serves one connection, until it ends or the task is cancelled.
    package func serve(_ channel: any PacketChannel) async {
        defer { channel.close() }
        let isWelcome = connections.withLock { connections in
            guard connections < Self.maximumConnections else { return false }
            connections += 1
            return true
        }
        guard isWelcome else { return }
        defer { connections.withLock { $0 -= 1 } }
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
            let local = TidyHCIChannel(try radio(of: member).openHCI(for: use))
            try await handOver(local, as: .opened, to: channel)
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
            guard let local = members.takeCentral(number, of: member) else {
                throw RadioError(.closedByPeer(nil), during: "link to a central")
            }
            try await handOver(local, of: member, to: channel)
        case .raise(let member, let link, let level): try await raise(link, of: member, to: level, for: channel)
        case .connectChannel(let member, let device, let request, let timeout):
            let frames = try use(observer, of: member)
            defer { members.release(observer, of: member) }
            try await connectChannel(to: device, request, of: member, timeout, shownTo: frames, for: channel)
        case .offer(let member, let request):
            let frames = try use(observer, of: member)
            defer { members.release(observer, of: member) }
            try await offer(request, of: member, shownTo: frames, on: channel)
        case .acceptChannel(let member, let number):
            guard let opened = members.takeChannel(number, of: member) else {
                throw RadioError(.closedByPeer(nil), during: "channel")
            }
            try await accept(opened, number, for: channel)
        case .bearers(let member, let link, let count):
            let frames = try use(observer, of: member)
            defer { members.release(observer, of: member) }
            try await bearers(Int(count), of: link, member, shownTo: frames, on: channel)
        case .observe(let member, let observer):
            guard let frames = try use(observer, of: member) else { return }
            defer { members.release(observer, of: member) }
            try await show(frames, on: channel)
        case .observed(let observer, let request):
            try await carryOut(request, shownTo: observer, on: channel)
        case .control(let bytes): try await control(bytes, on: channel)
        case .capture:
            guard let capture else { throw RadioError(.unsupported, during: "capture") }
            try await handOver(capture(), as: .opened, to: channel)
        case .clock(let process):
            guard let clock else { throw RadioError(.unsupported, during: "shared clock") }
            await clock(channel, process)
        case .turn(let member, let subject, let timeout): try await takeTurn(subject, of: member, timeout, for: channel)
        case .labels:
            for packet in WorldLabel.packets(of: labels) {
                try channel.send(packet)
                try await channel.drained()
            }
        }
    }

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

    /// The system of a machine. Throws if the machine is gone, or was never there.
    private func system(of member: RemoteRequest.Member) throws(RadioError) -> any RadioSystem {
        if member == RemoteRequest.guest, let guests { return guests }
        guard let system = members.system(of: member) else {
            throw RadioError(.noAdapter, during: "shared world")
        }
        return system
    }

    /// The links of a machine; `nil` for guests.
    func links(of member: RemoteRequest.Member) -> RemoteLinks? { members.links(of: member) }

    /// The adapter of a machine. A machine has only one.
    func radio(of member: RemoteRequest.Member) throws(RadioError) -> any Radio {
        try system(of: member).radio(named: nil)
    }

    /// The observer of frames with that number, which one connection more uses from now on; `nil` for none.
    private func use(_ number: UInt32?, of member: RemoteRequest.Member) throws(RadioError) -> TracedFrames? {
        guard let number else { return nil }
        guard let frames = members.use(number, of: member) else {
            throw RadioError(.noAdapter, during: "shared world")
        }
        return frames
    }

    // MARK: - Machines

    /// Makes a machine for a process, which lasts as long as the connection. The adapter is announced again after
    /// each management event, so that the process knows its present state.
    private func join(_ channel: any PacketChannel) async throws(RadioError) {
        guard let machine = makeMachine() else { throw RadioError(.unsupported, during: "shared world") }
        defer { machine.leave() }
        // Some adapters cannot be managed; they do not change, either.
        let management = try? machine.system.openManagement()
        defer { management?.close() }
        let member = members.add(machine.system)
        defer { members.remove(member) }
        let links = tellsLinks ? LinkedDevices(machine.system) : nil
        // The adapter comes first: a process that has joined looks for it at once.
        try channel.send(RemotePacket.adapter(try await machine.system.adapters().first).encoded())
        if let news = links?.news() { try channel.send(news.encoded()) }
        try channel.send(RemotePacket.joined(member).encoded())
        await withTaskGroup(of: Void.self) { group in
            if let management {
                group.addTask {
                    while (try? await management.receive()) != nil {
                        let adapter = (try? await machine.system.adapters())?.first
                        let news = [RemotePacket.adapter(adapter)] + (links?.news().map { [$0] } ?? [])
                        guard news.allSatisfy({ (try? channel.send($0.encoded())) != nil }) else { return }
                        guard (try? await channel.drained()) != nil else { return }
                    }
                }
            }
            // A packet is a farewell: the process waits for the end of the connection, when the machine is gone. The end of
            // the management channel is none: the adapter may be one that cannot be managed.
            _ = try? await channel.receive()
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
        defer { members.withdraw(listener, of: member) }
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

    /// Offers credit-based channels to the process, until it closes its connection.
    func announce(
        _ opened: [OpenedChannel],
        to member: RemoteRequest.Member,
        on channel: any PacketChannel
    ) async throws(RadioError) {
        let listener = Listener(channel)
        defer { members.withdraw(listener, of: member) }
        // All are kept before the process hears of the first, because it may have gone by then.
        for number in opened.compactMap({ keep($0, of: member, for: listener) }) { try await listener.announce(number) }
        try channel.send(RemotePacket.opened.encoded())
        await Self.untilEnd(of: channel)
    }

    /// Offers the channel of a central to the process, or closes it if the process does not take over those before it.
    private func offer(
        _ central: any ATTChannel,
        to member: RemoteRequest.Member,
        on listener: Listener
    ) async throws(RadioError) {
        guard let number = members.add(central, of: member, for: listener) else { return central.close() }
        try await listener.announce(number)
    }

    /// Offers a credit-based channel to the process, or closes it if the process does not take over those before it.
    func offer(
        _ opened: OpenedChannel,
        to member: RemoteRequest.Member,
        on listener: Listener
    ) async throws(RadioError) {
        if let number = keep(opened, of: member, for: listener) { try await listener.announce(number) }
    }

    /// Keeps a credit-based channel until a process takes it over, and returns its number; closes it if too many wait.
    private func keep(_ opened: OpenedChannel, of member: RemoteRequest.Member, for listener: Listener) -> UInt32? {
        let number = members.add(opened, of: member, for: listener)
        if number == nil { opened.channel.close() }
        return number
    }
}
