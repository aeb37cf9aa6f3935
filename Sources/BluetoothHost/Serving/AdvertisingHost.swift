// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices

/// An event of advertising without a server of attributes.
public enum AdvertisingEvent: Sendable {
    /// The sets are on the air.
    case advertising(AdvertisingMode)
    /// A central has connected.
    case connected(CentralConnection)
    /// A central's connection has ended, for that reason.
    case disconnected(CentralConnection, RadioError)
    /// The private address at which it advertises from now on; not without privacy.
    case address(BluetoothAddress)
    /// A message for the user.
    case remark(String)
    /// Advertising ends, and the connections of the centrals that are there are closed. Their disconnections follow.
    case stopping
}

/// Advertises sets, and serves no attributes: a central that connects to one of them is reported, and keeps its link
/// until it disconnects or advertising ends.
public actor AdvertisingHost {
    /// The number of events that wait for a slow reader; older ones are dropped.
    private static let eventLimit = 4_096
    /// The numbers of sets are shared out, so that several programs can advertise at once. The last share ends just
    /// before the numbers of the program that serves.
    private static let shares = [UInt8](0..<6)
    private static let sharedNumbers: UInt8 = 0x80
    private static let shareSize: UInt8 = 16
    /// The maximum number of links: more than a controller has room for, so that only the controller limits them.
    private static let maximumConnections = 255

    private let sets: [DeviceAdvertising]
    private let radio: any Radio
    /// The address, if the adapter has none.
    private let randomAddress: BluetoothAddress
    /// The private addresses to use; `nil` for none.
    private let privacy: PrivateAddresses?
    private let scope: TaskScope
    private let time: any TimeSource
    /// The events that `body` has not taken.
    private let events = BoundedQueue<AdvertisingEvent>(limit: eventLimit, overflow: .dropOldest)
    private var links: [ConnectionHandle: CentralConnection] = [:]
    private var lastNumber = 0

    /// Creates a host without opening anything.
    ///
    /// - Parameters:
    ///   - sets: At least one, 16 at most.
    ///   - radio: The adapter that advertises.
    ///   - randomAddress: The random static address to use if the adapter has no public one.
    ///   - privacy: The private addresses to use in place of the adapter's own; `nil` for none.
    ///   - scope: The scope of the background tasks.
    ///   - time: The clock of all deadlines.
    public init(
        _ sets: [DeviceAdvertising],
        radio: any Radio,
        randomAddress: BluetoothAddress,
        privacy: PrivateAddresses? = nil,
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.sets = sets
        self.radio = radio
        self.randomAddress = randomAddress
        self.privacy = privacy
        self.scope = scope
        self.time = time
    }

    /// The maximum number of sets of one host.
    public static let maximumSets = Int(shareSize)

    /// Advertises all sets, and passes events to `body`, until `body` returns or throws, the task is cancelled, or the
    /// radio is gone. In every case advertising is switched off, and all links are closed. `body` gets `stopping` and
    /// the disconnections for that, even in a cancelled task; its result or error then has no effect.
    ///
    /// Throws without advertising anything if the controller has no room for all sets.
    public func advertise(
        _ body: @escaping @Sendable (AdvertisingEvent) async throws -> ScanProgress
    ) async throws {
        let controller = try HCIController.open(radio, scope: scope, time: time)
        try await withCleanup {
            let (share, turn) = try await takeShare()
            defer { turn.end() }
            let first = Self.sharedNumbers + share * Self.shareSize
            let advertiser = Advertiser(
                radio: radio,
                controller: controller,
                sets: sets,
                setNumbers: first...first + (Self.shareSize - 1),
                randomAddress: randomAddress,
                privacy: privacy,
                time: time
            )
            try await advertise(by: advertiser, controller, body)
        } cleanup: {
            await controller.close()
        }
    }

    /// Takes the first share of the set numbers that no other program has.
    private func takeShare() async throws(RadioError) -> (UInt8, any Turn) {
        var failure = RadioError(.advertisingTaken(by: nil), during: "advertising on \(radio.adapter.name)")
        for share in Self.shares {
            do throws(RadioError) {
                // Without a wait, because the next share may be free.
                return (share, try await radio.takeTurn(.advertising(share: share), by: time.now) { _ in })
            } catch {
                guard case .advertisingTaken = error.cause else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Advertises on an open controller. It observes events before the first set is on the air, so that no
    /// connection is missed.
    private func advertise(
        by advertiser: Advertiser,
        _ controller: HCIController,
        _ body: @escaping @Sendable (AdvertisingEvent) async throws -> ScanProgress
    ) async throws {
        let events = events
        let observation = await controller.observe(limit: Self.eventLimit, where: \.isAboutLinksOrSets)
        let started = try await advertiser.start { events.push(.remark($0)) }
        try await withCleanup {
            guard started.sets.count == sets.count else {
                throw RadioError(
                    .tooManyAdvertisements(sets.count, room: started.sets.count),
                    during: "advertising on \(radio.adapter.name)"
                )
            }
            if let address = started.address { events.push(.address(address)) }
            events.push(.advertising(started.mode))
            // Only `body` ends on its own.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { while try await body(try await events.next()) == .goOn {} }
                let inputs = BoundedQueue<AdvertisingInput>(limit: Self.eventLimit, overflow: .dropOldest)
                group.addTask { try await advertiser.pass(observation.queue, to: inputs) }
                group.addTask {
                    try await advertiser.follow(
                        inputs,
                        started,
                        maximumConnections: Self.maximumConnections
                    ) { await self.received($0) }
                }
                if let privacy { group.addTask { try await advertiser.outlive(privacy, inputs) } }
                let changing = advertiser.changing(started)
                if !changing.isEmpty { group.addTask { try await advertiser.renew(started.mode, changing) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        } cleanup: {
            await controller.stopObserving(observation)
            await advertiser.stop(started)
            for event in await hangUp(controller) { _ = try? await body(event) }
        }
    }

    /// Numbers a connection or ends it, and queues the event.
    private func received(_ news: AdvertisingChange) {
        switch news {
        case .connected(let link, let central):
            lastNumber += 1
            let connection = CentralConnection(number: lastNumber, central: central, since: time.now)
            links[link] = connection
            events.push(.connected(connection))
        case .disconnected(let link, let reason):
            guard let connection = links.removeValue(forKey: link) else { return }
            events.push(.disconnected(connection, end(reason)))
        // This host serves no attributes, so encryption does not matter to it.
        case .encrypted: break
        case .address(let address):
            events.push(.address(address))
        case .remark(let text):
            events.push(.remark(text))
        }
    }

    private func end(_ reason: HCIStatus) -> RadioError {
        let cause: RadioError.Cause =
            switch reason {
            case .connectionTimeout: .linkLost(reason)
            case .connectionTerminatedByLocalHost: .closedLocally
            default: .closedByPeer(reason)
            }
        return RadioError(cause, during: "connection", on: radio.adapter.name)
    }

    /// Ends all links. Returns the events that were not delivered, and those of the end.
    private func hangUp(_ controller: HCIController) async -> [AdvertisingEvent] {
        var last = Array(events.takeRemaining())
        if !links.isEmpty { last.append(.stopping) }
        for (link, connection) in links.sorted(by: { $0.value.number < $1.value.number }) {
            await controller.disconnect(link.rawValue)
            last.append(.disconnected(connection, RadioError(.closedLocally, during: "connection")))
        }
        links = [:]
        return last
    }
}

extension HCIEvent {
    /// Whether advertising depends on the event. Reports of a scan, of which there may be thousands, do not count.
    fileprivate var isAboutLinksOrSets: Bool {
        switch self {
        case .known(is LEConnectionCompleteEvent), .known(is LEEnhancedConnectionCompleteEvent),
            .known(is LEAdvertisingSetTerminatedEvent), .known(is DisconnectionCompleteEvent):
            true
        default: false
        }
    }
}
