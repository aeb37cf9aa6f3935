// SPDX-License-Identifier: MIT

package import Bluetooth
public import BluetoothDevices

/// The peripheral role: advertises a device, and serves it to the centrals that connect.
///
/// `DeviceRunner` determines the behaviour of the device, `AdvertisingLifecycle` when to advertise; this actor accepts
/// centrals, keeps the list of them and reports events.
public actor PeripheralHost {
    /// The number of events that wait for a slow reader; older ones are dropped and counted. Serving never waits for
    /// the reader.
    private static let eventLimit = 65_536

    /// How long to wait for another program that serves: a year, which is practically without limit.
    private static let turnTimeout = Duration.seconds(365 * 86_400)

    private let device: DeviceImage
    private let radio: any Radio
    private let scope: TaskScope
    private let time: any TimeSource
    private let configuration: Configuration
    /// Answers for the program beside the device.
    private let onQuestion: DeviceRunner.QuestionHandler?
    /// The events that `body` has not taken.
    let events = BoundedQueue<PeripheralEvent>(limit: eventLimit, overflow: .dropOldest)
    /// The changes that advertising has to follow, if the device advertises.
    private let inputs = BoundedQueue<AdvertisingInput>(limit: eventLimit, overflow: .dropOldest)
    private var channels: [GATTServer.ClientID: any ATTChannel] = [:]
    private(set) var centrals: [GATTServer.ClientID: (connection: CentralConnection, link: ChannelLink)] = [:]
    /// Changes of security that were seen during a pairing and not reported yet.
    private var unreported: [GATTServer.ClientID: LinkSecurity] = [:]
    private var lastNumber: UInt32 = 0
    /// The faults of connecting that a peripheral can show.
    private var faults: FaultMachine
    /// The device while it is served, and afterwards.
    private(set) var runner: DeviceRunner?
    /// How long to wait after the controller's report that a link is encrypted before the kernel is asked for the
    /// security of the link: it may process the report a moment later.
    private static let encryptionDelay = Duration.milliseconds(100)
    /// How often, and after which pauses, to look for the bond of a central that has left right after its pairing. The
    /// keys are stored a moment after the link is encrypted, so the first look may be too early.
    private static let bondRetry = (attempts: 25, pause: Duration.milliseconds(20))
    /// How long to wait for the ends of the links that are closed when serving ends.
    private static let farewellTimeout = Duration.seconds(1)

    /// New centrals are refused, because the radio is gone or serving ends.
    private var isClosed = false
    /// Serving ends: links are closed.
    private var isEnding = false
    /// The disconnections after `isClosed`, when the queue of events has ended.
    private var lateEvents: [PeripheralEvent] = []
    /// Ends when the last link has ended.
    private var farewell: AsyncStream<Never>.Continuation?
    private var links: [ConnectionHandle: DeviceAddress] = [:]
    /// The number of absences of the device that have begun and not ended.
    private var absences = 0
    /// Whether the device accepts connections, which its program may change.
    private var acceptsConnections = true

    /// Creates a host without opening anything. The scope must outlive a task that is cancelled while it serves.
    ///
    /// - Parameters:
    ///   - device: The device to advertise and serve.
    ///   - radio: The adapter.
    ///   - scope: The scope of the links, and of the device's own actions.
    ///   - time: The clock of the device and of all deadlines.
    ///   - configuration: The number of centrals, and how long to wait for busy resources.
    ///   - onQuestion: Answers questions in place of the device's program: `DeviceHooks`.
    public init(
        _ device: DeviceImage,
        radio: any Radio,
        scope: TaskScope,
        time: any TimeSource,
        configuration: Configuration = Configuration(),
        onQuestion: DeviceRunner.QuestionHandler? = nil
    ) {
        self.device = device
        self.onQuestion = onQuestion
        self.radio = radio
        self.scope = scope
        self.time = time
        self.configuration = configuration
        faults = FaultMachine(device.faults.filter(\.isOfPeripheral), random: device.random)
    }

    /// The number of events that were dropped because they were not read in time.
    public nonisolated var droppedCount: Int { events.droppedCount }

    /// The faults that never acted, without those that no peripheral can show.
    public func unmetFaults() async -> [FaultRule] {
        faults.unmet + (await runner?.unmetFaults ?? device.faults.filter { !$0.isOfRadio })
    }

    /// The objects that serving needs while it lasts.
    private struct Session: Sendable {
        /// Takes the channels of centrals.
        let listener: any ATTListener
        let runner: DeviceRunner
        /// `nil` where the radio is a socket.
        let controller: HCIController?
    }

    /// Serves the device, and passes events to `body`, until `body` returns or throws, the task is cancelled, or the
    /// radio is gone. In every case advertising is switched off, and all links are closed. `body` gets `stopping` and
    /// the disconnections for that, even in a cancelled task; its result or error then has no effect.
    ///
    /// - Parameters:
    ///   - onWait: Called when a wait for another program begins.
    ///   - body: Called with each event, one after the other.
    public func serve(
        onWait: @escaping @Sendable (RadioError) -> Void = { _ in },
        _ body: @escaping @Sendable (PeripheralEvent) async throws -> ScanProgress
    ) async throws {
        let operation = "ATT channel of \(radio.adapter.name)"
        let timeout = configuration.waits ? Self.turnTimeout : .zero
        let turn = try await radio.takeTurn(.serving, by: time.now + timeout) {
            onWait(TurnSubject.serving.busyError($0, during: operation))
        }
        defer { turn.end() }
        let listener = try radio.listenATT()
        defer { listener.close() }
        let events = events
        let session = Session(
            listener: listener,
            runner: DeviceRunner(
                device,
                time: time,
                scope: scope,
                onEvent: { [weak self] event in
                    if let event = PeripheralEvent(event) { events.push(event) }
                    self?.obey(event)
                },
                onQuestion: onQuestion
            ),
            controller: radio.onlyPeer == nil ? try HCIController.open(radio, scope: scope, time: time) : nil
        )
        runner = session.runner
        for fault in device.faults where fault.isOfRadio && !fault.isOfPeripheral {
            events.push(.remark("only a simulated radio can show the fault: \(fault)"))
        }
        let services = Self.offer(device.channels, on: radio, scope: scope) { events.push(.remark($0)) }
        defer { for service in services { service.close() } }
        let saver = await MemorySaver.begin(configuration.memories, of: session.runner, scope: scope) {
            events.push(.remark($0))
        }
        scope.spawn { await self.accept(session) }
        await session.runner.start()
        try await withCleanup {
            if let controller = session.controller {
                try await advertise(by: controller, body)
            } else {
                events.push(.serving(nil))
                try await deliverEvents(to: body)
            }
        } cleanup: {
            await hangUp(session)
            await saver?.end()
            for event in events.takeRemaining() + lateEvents { _ = try? await body(event) }
        }
    }

    /// Hands events to `body`.
    private nonisolated func deliverEvents(to body: (PeripheralEvent) async throws -> ScanProgress) async throws {
        while try await body(try await events.next()) == .goOn {}
    }

    // MARK: - Advertising

    /// Advertises until `body` ends, and always switches advertising off afterwards.
    private func advertise(
        by controller: HCIController,
        _ body: @escaping @Sendable (PeripheralEvent) async throws -> ScanProgress
    ) async throws {
        let advertiser = Advertiser(
            radio: radio,
            controller: controller,
            sets: device.advertising,
            randomAddress: device.address.kind == .randomStatic ? device.address.address : nil,
            privacy: configuration.privacy,
            time: time
        )
        let observation = await controller.observe(limit: Self.eventLimit)
        let started = try await advertiser.start { events.push(.remark($0)) }
        let missing = device.advertising.count - started.sets.count
        if missing > 0 {
            let all = "\(count: device.advertising.count, "advertisement")"
            events.push(.remark("the adapter has no room for \(missing) of the device's \(all)"))
        }
        if let address = started.address { events.push(.address(address)) }
        events.push(.serving(started.mode))
        let maximum = configuration.maximumCentrals
        try await withCleanup {
            // Only `body` ends on its own.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.deliverEvents(to: body) }
                group.addTask { [inputs] in try await advertiser.pass(observation.queue, to: inputs) }
                group.addTask { [inputs] in
                    try await advertiser.follow(inputs, started, maximumConnections: maximum) { news in
                        await self.received(news)
                    }
                }
                if let privacy = advertiser.privacy {
                    group.addTask { [inputs] in try await advertiser.outlive(privacy, inputs) }
                }
                let changing = advertiser.changing(started)
                if !changing.isEmpty { group.addTask { try await advertiser.renew(started.mode, changing) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        } cleanup: {
            await controller.stopObserving(observation)
            await advertiser.stop(started)
        }
    }

    /// Carries out the device's decisions about its radio.
    private nonisolated func obey(_ event: DeviceEvent) {
        switch event {
        case .left(let time):
            inputs.push(.left)
            scope.spawn { await self.leave(for: time) }
        case .connectable(let isConnectable):
            inputs.push(.accepting(isConnectable))
            scope.spawn { await self.setAccepting(isConnectable) }
        default: break
        }
    }

    /// Waits until the device is back. It has ended its links already.
    private func leave(for time: Duration) async {
        absences += 1
        guard (try? await self.time.sleep(for: time)) != nil else { return }
        absences -= 1
        if absences == 0 {
            inputs.push(.returned)
            events.push(.remark("the device is back in range"))
        }
    }

    private func setAccepting(_ isAccepting: Bool) { acceptsConnections = isAccepting }

    private func received(_ news: AdvertisingChange) {
        switch news {
        case .connected(let link, let central):
            links[link] = central
            scope.spawn { await self.expectChannel(of: link, from: central) }
        case .disconnected(let link, _):
            links[link] = nil
        case .encrypted(let link):
            // A pairing changes the security of its link; that is reported when the keys are stored.
            guard let central = links[link], configuration.bonds?.identity(of: central) != nil else { break }
            scope.spawn {
                guard (try? await self.time.sleep(for: Self.encryptionDelay)) != nil else { return }
                await self.examine(central)
            }
        case .address(let address):
            events.push(.address(address))
        case .remark(let text):
            events.push(.remark(text))
        }
    }

    /// Reports a link without an ATT channel: the kernel gives the channel to one program only.
    private func expectChannel(of link: ConnectionHandle, from central: DeviceAddress) async {
        guard (try? await time.sleep(for: configuration.channelTimeout)) != nil, links[link] == central else { return }
        guard !channels.values.contains(where: { $0.connectionHandle == link.rawValue }) else { return }
        events.push(
            .remark("\(central.address) is connected, but another program of this machine serves attributes to it")
        )
    }

    // MARK: - Centrals

    private func accept(_ session: Session) async {
        do throws(RadioError) {
            while true {
                let channel = try await session.listener.accept()
                await take(channel, session)
            }
        } catch {
            isClosed = true
            events.finish(error)
        }
    }

    private func take(_ channel: any ATTChannel, _ session: Session) async {
        // It came just when the listener was closed.
        guard !isEnding else { return channel.close() }
        // A socket accepts every central, so the central is refused here.
        guard absences == 0, acceptsConnections else {
            await session.controller?.disconnect(channel.connectionHandle)
            return channel.close()
        }
        let fault = faults.decide(.connect, now: .zero + (time.now - time.start))
        guard fault == nil, channels.count < configuration.maximumCentrals else {
            let reason = fault.map { "a fault, \($0.rule)" } ?? "the limit is \(channels.count)"
            events.push(.remark("a central was disconnected: \(reason)"))
            await session.controller?.disconnect(channel.connectionHandle)
            channel.close()
            return
        }
        lastNumber += 1
        let client = GATTServer.ClientID(lastNumber)
        channels[client] = channel
        let connection = CentralConnection(
            number: Int(lastNumber),
            central: radio.onlyPeer == nil ? channel.peer : nil,
            since: time.now,
            security: configuration.bonds.map { $0.security(of: channel) } ?? channel.security,
            link: channel.connectionHandle.map { ConnectionHandle(rawValue: $0) }
        )
        events.push(.connected(connection))
        scope.spawn { await self.serve(client, connection, over: channel, session) }
    }

    private func serve(
        _ client: GATTServer.ClientID,
        _ connection: CentralConnection,
        over channel: any ATTChannel,
        _ session: Session
    ) async {
        let link = ChannelLink(
            channel: channel,
            central: connection.central,
            bonds: configuration.bonds,
            controller: session.controller,
            scope: scope
        )
        centrals[client] = (connection, link)
        let limit = channel.enhancedBearerLimit
        let hasBearers = await session.runner.connected(client, over: link, bearerLimit: limit)
        let reason = await withTaskGroup(of: Void.self) { group in
            if hasBearers { group.addTask { await self.acceptBearers(of: client, on: channel, session.runner) } }
            let end = await receive(from: client, connection, over: channel, session.runner)
            channel.close()
            // Their ends are reported before that of the link.
            group.cancelAll()
            return isEnding ? RadioError(.closedLocally, during: end.operation) : end
        }
        let mtu = await session.runner.mtu(of: client)
        await session.runner.disconnected(client)
        channels[client] = nil
        var last = centrals.removeValue(forKey: client)?.connection ?? connection
        if let seen = unreported.removeValue(forKey: client) { last.security = seen }
        if await isBonded(last) { last.security?.hasBond = true }
        report(.disconnected(last, mtu: mtu, reason))
        if channels.isEmpty { farewell?.finish() }
    }

    /// Serves the bearer that every link has. Returns the reason of its end.
    private func receive(
        from client: GATTServer.ClientID,
        _ connection: CentralConnection,
        over channel: any ATTChannel,
        _ runner: DeviceRunner
    ) async -> RadioError {
        do throws(RadioError) {
            while true {
                let pdu = try await channel.receive()
                // Looked at with each PDU, because the channel of a link that has ended does not report the security.
                await examine(client)
                let signature = await signature(of: pdu, from: connection)
                await runner.received(pdu, from: client, signature: signature)
            }
        } catch {
            return error
        }
    }

    /// Reports an event, also when serving ends.
    func report(_ event: PeripheralEvent) {
        if isClosed || isEnding { lateEvents.append(event) } else { events.push(event) }
    }

    /// Looks at the security of the links of a central, which may have changed without a request: after a pairing.
    ///
    /// - Parameter reports: Whether a change is reported now. Otherwise the next look reports it, or the end of the
    ///   connection.
    package func examine(_ central: DeviceAddress, reports: Bool = true) async {
        let address = DeviceAddress(central.address, central.type.connectionType)
        for (client, entry) in centrals {
            guard let own = entry.connection.central,
                DeviceAddress(own.address, own.type.connectionType) == address
            else { continue }
            if reports { await examine(client) } else { unreported[client] = entry.link.security }
        }
    }

    /// Whether there is a bond with the central of a link that has ended, which it may have made just before.
    private func isBonded(_ connection: CentralConnection) async -> Bool {
        guard configuration.keepsBonds, let bonds = configuration.bonds, let central = connection.central,
            let security = connection.security, security.isEncrypted, !security.hasBond
        else { return false }
        for _ in 0..<Self.bondRetry.attempts where bonds.identity(of: central) == nil {
            guard (try? await time.sleep(for: Self.bondRetry.pause)) != nil else { break }
        }
        return bonds.identity(of: central) != nil
    }

    /// Looks at the security of a link, and reports a change.
    func examine(_ client: GATTServer.ClientID) async {
        guard let link = centrals[client]?.link, var connection = centrals[client]?.connection,
            case let security = link.security, security != connection.security
        else { return }
        connection.security = security
        centrals[client] = (connection, link)
        unreported[client] = nil
        if let identity = link.identity { await runner?.identified(client, as: identity) }
        events.push(.secured(connection))
    }

    /// The verdict on a signed write; `nil` for every other PDU, and for a central without a key.
    private func signature(of pdu: [UInt8], from connection: CentralConnection) async -> SignatureVerdict? {
        guard let signatures = configuration.signatures, let central = connection.central,
            pdu.first == SignedWriteCommand.opcode.rawValue,
            case .command(.signedWrite(let write))? = try? ATTClientPDU(decoding: pdu)
        else { return nil }
        do {
            return try await signatures.verdict(on: write, from: central)
        } catch {
            events.push(.remark("a signed write of \(central.address) was not checked: \(error)"))
            return nil
        }
    }

    /// Ends all links, and waits until their ends were reported.
    private func hangUp(_ session: Session) async {
        isEnding = true
        lateEvents.append(.stopping)
        // First, so that no central comes while the present ones are disconnected.
        session.listener.close()
        for channel in channels.sorted(by: { $0.key < $1.key }).map(\.value) {
            await session.controller?.disconnect(channel.connectionHandle)
            channel.close()
        }
        if !channels.isEmpty {
            let (last, continuation) = AsyncStream<Never>.makeStream()
            farewell = continuation
            await scope.cleanUp(within: Self.farewellTimeout, time) { for await _ in last {} }
        }
        await session.controller?.close()
    }
}

extension FaultRule {
    /// Whether it is a fault of connecting that a peripheral can show: it ends the connection at once.
    fileprivate var isOfPeripheral: Bool { operation == .connect && effect.kind == .error }
}

extension PeripheralEvent {
    fileprivate init?(_ event: DeviceEvent) {
        switch event {
        case .exchanged(let exchange): self = .exchanged(exchange)
        case .odd(let client, let diagnostic): self = .odd(Int(client.rawValue), diagnostic)
        case .fault(let client, let rule): self = .remark("central \(client.rawValue) met a fault: \(rule)")
        case .dropped(let client, let count):
            let values = "\(count: count, "value")"
            self = .remark("connection \(client.rawValue): \(values) dropped: its link is slower than the device")
        case .left(let time): self = .remark("the device goes out of range for \(time)")
        case .appeared: self = .remark("another program runs on the device, such as its boot loader")
        case .connectable(let isConnectable):
            self = .remark("the device accepts \(isConnectable ? "connections" : "no connections")")
        case .asked: return nil
        }
    }
}
