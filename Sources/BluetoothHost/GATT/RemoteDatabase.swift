// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A device's database as this client sees it: answers questions from what is known, and asks the device for the rest.
///
/// Whoever asks for the same thing at the same time waits for the same discovery: questions that need the device are put
/// one after the other, and each looks first at what the one before it has found.
public actor RemoteDatabase {
    private let device: DeviceAddress
    private let store: (any DatabaseStore)?
    private var knowledge: DatabaseKnowledge?
    /// The link on which what is known was found, or confirmed.
    private var link: ATTConnection?
    private let turn = Turnstile()
    /// When the device has said last that its database has changed.
    private var changeTimes: [Instant] = []

    /// So many changes in so short a time do not come from a database that changes.
    private static let storm = (count: 8, duration: Duration.seconds(10))

    /// The database of a device, with the place where it is kept, if it is.
    public init(of device: DeviceAddress, store: (any DatabaseStore)? = nil) {
        self.device = device
        self.store = store
    }

    /// Answers a question, with as few requests as will do.
    ///
    /// - Parameters:
    ///   - link: Where to ask; the answer holds there.
    ///   - isCheap: Whether it costs no more than one request or two to find out anew: then nothing is spent on the hash.
    ///   - question: One of the questions of `DiscoveredDatabase`.
    public func answer<Answer: Sendable>(
        on link: ATTConnection,
        isCheap: Bool = false,
        _ question: @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) async throws -> Answer {
        try await turn.withTurn {
            while true {
                // Each time: what holds may have changed while the device was asked.
                try await prepare(link, isCheap ? .cheap : .usual, question)
                do throws(DiscoveryStep) {
                    return try question(discovered)
                } catch {
                    try await take(error, on: link)
                }
            }
        }
    }

    /// The device has said on a link that its database has changed.
    func changed(_ change: ServiceChanges.Event, on link: ATTConnection) {
        // A question that was put since may have found out before.
        if link.serviceChanges.take(change) { changed(in: change.range) }
    }

    /// The database has changed in a range.
    ///
    /// A device that says so all the time would be asked the same for ever: what it answers in between is used, and not kept.
    public func changed(in range: HandleRange) {
        if let now = link?.time.now {
            changeTimes = changeTimes.filter { now < $0 + Self.storm.duration } + [now]
        }
        if changeTimes.count > Self.storm.count { knowledge?.changesTooOften() } else { knowledge?.changed(in: range) }
    }

    /// The characteristics of a UUID that are known, in the order of their handles, of all services or of those of a UUID.
    /// Asks nothing.
    public func known(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> [GATTCharacteristic] {
        let found = discovered.knownCharacteristics(uuid)
        guard let service else { return found }
        // Both are in order, and of a hostile device there are many.
        var ranges = discovered.services.filter { $0.isPrimary && $0.uuid == service }.map(\.range)[...]
        return found.filter { found in
            ranges = ranges.drop { $0.end < found.declaration }
            return ranges.first?.contains(found.declaration) ?? false
        }
    }

    /// How many primary services of a UUID are known. Asks nothing.
    public func knownCount(ofServices uuid: BluetoothUUID) -> Int {
        discovered.services.count { $0.isPrimary && $0.uuid == uuid }
    }

    /// Whether the values that a characteristic sends by itself are known to fit into the smallest MTU.
    func isKnownToBeShort(_ handle: Handle) -> Bool {
        // Four octets, always.
        if known(.serviceChanged).contains(where: { $0.valueHandle == handle }) { return true }
        guard let longest = knowledge?.longestValues[handle] else { return false }
        return longest < HandleValueNotification.maximumLength(mtu: ATTBearer.minimumMTU)
    }

    /// A value came by itself.
    func received(_ length: Int, at handle: Handle) {
        knowledge?.received(length, at: handle)
    }

    /// Whether the device tells us of changes on this link, because it was asked to already.
    func isToldOfChanges(on link: ATTConnection) -> Bool { self.link === link && knowledge?.isToldOfChanges == true }

    /// How often what is known has changed under those who ask, because the device has said so.
    public var changeCount: Int { knowledge?.changeCount ?? 0 }

    /// Keeps what is worth it for the next run.
    public func save() {
        guard let store, let unstored = knowledge?.takeUnstored() else { return }
        store.save(unstored, of: device)
    }

    // MARK: - Steps

    private var discovered: DiscoveredDatabase { knowledge?.discovered ?? DiscoveredDatabase() }

    /// Makes sure that what is known holds on this link.
    private func prepare<Answer>(
        _ link: ATTConnection,
        _ price: DatabaseKnowledge.Price,
        _ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) async throws {
        // On a link of the past nothing is found out any more, and what is known of the present one is not given up for it.
        if let end = link.end { throw end }
        var knowledge = self.knowledge ?? DatabaseKnowledge(isKept: store != nil, stored: store?.load(device))
        if self.link !== link {
            self.link = link
            changeTimes = []
            knowledge.linkChanged()
        }
        self.knowledge = knowledge
        while true {
            hear(link)
            let check = self.knowledge?.check(price, isEncrypted: link.isEncrypted) { (try? question($0)) != nil }
            switch check {
            case nil, .some(.none): return
            case .readHash:
                let changes = changeCount
                let hash = try await readHash(on: link)
                // One that was asked for before a change may be the one from before it.
                guard changeCount == changes else { continue }
                self.knowledge?.learned(hash: hash)
            case .readPromise(let place):
                // What has changed while there was no link is told before the answer, and heard in the next round.
                let holds = try await isSubscribed(to: place, on: link)
                self.knowledge?.promiseHolds(holds)
            case .askForPromise:
                let place = try await subscribe(on: link)
                self.knowledge?.promised(place)
            }
        }
    }

    /// Hears what the device has said of changes, before anything is answered by what is known.
    private func hear(_ link: ATTConnection) {
        for range in link.serviceChanges.take(at: knowledge?.serviceChangedHandles ?? []) { changed(in: range) }
    }

    /// How long the answer to the request for the hash is waited for before a device is said not to answer it.
    private static let patience = Duration.seconds(4)

    /// Reads the Database Hash; `nil` where the device has none, or does not show it.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.3: by its UUID, over all handles
    private func readHash(on link: ATTConnection) async throws -> [UInt8]? {
        let asked = link.time.now
        do {
            let values = try await link.perform(ReadByUUID(.databaseHash))
            return values.first.flatMap { $0.value.count == 16 ? $0.value : nil }
        } catch is GATTError {
            return nil
        } catch ATTFailure.invalidResponse where link.end == nil {
            // What came cannot be read; the next answer may be.
            return nil
        } catch  where !(error is RadioError) && link.time.now - asked >= Self.patience {
            knowledge?.hashIsUnanswered()
            throw error
        }
    }

    /// Whether the device has kept our subscription to Service Changed from an earlier link.
    private func isSubscribed(to place: StoredDatabase.ServiceChanged, on link: ATTConnection) async throws -> Bool {
        link.serviceChanges.expect(at: place.value)
        do {
            let value = try await link.perform(ReadValue(place.configuration))
            return value.value.first.map { ClientConfiguration(rawValue: UInt16($0)) }?.contains(.indication) ?? false
        } catch is GATTError {
            return false
        }
    }

    /// Asks a device that we have a bond with to tell of changes; `nil` where it does not do that.
    private func subscribe(on link: ATTConnection) async throws -> StoredDatabase.ServiceChanged? {
        do {
            let value = try await find(on: link) { database throws(DiscoveryStep) in
                try database.characteristic(.serviceChanged).map(\.valueHandle)
            }
            let configuration = try await find(on: link) { database throws(DiscoveryStep) in
                try database.descriptor(.serviceChanged).map(\.handle)
            }
            link.serviceChanges.expect(at: value)
            try await link.perform(WriteValue(.indication, toDescriptor: configuration))
            return StoredDatabase.ServiceChanged(value: value, configuration: configuration)
        } catch  where error is GATTError || error is MissingAttribute {
            return nil
        }
    }

    private func find<Answer>(
        on link: ATTConnection,
        _ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Answer>
    ) async throws -> Answer {
        while true {
            let found: Found<Answer>
            do throws(DiscoveryStep) {
                found = try question(discovered)
            } catch {
                try await take(error, on: link)
                continue
            }
            return try found.get()
        }
    }

    /// Asks the device for what is missing.
    private func take(_ step: DiscoveryStep, on link: ATTConnection) async throws {
        let changes = changeCount
        let finding: DiscoveryFinding
        do {
            finding = try await self.finding(of: step, on: link)
        } catch let error as GATTError {
            guard changeCount != changes else { throw error }
            return
        }
        // What was asked before a change does not hold behind it: it is asked again.
        guard changeCount == changes else { return }
        knowledge?.learn(finding, from: step)
    }

    /// How many services the answer to a search by UUID has room for at the smallest MTU.
    private static let fewServices = (Int(ATTBearer.minimumMTU) - 1) / 4

    /// Lists are shorter by round trips with a larger MTU.
    private func finding(of step: DiscoveryStep, on link: ATTConnection) async throws -> DiscoveryFinding {
        switch step {
        case .services(let isPrimary, let range):
            try await link.exchangeMTU()
            return .services(try await link.perform(DiscoverServices(primary: isPrimary, in: range, .firstAnswer)))
        case .servicesByUUID(let uuid, let range):
            // One service or two are had for less than the exchange; many are not.
            if discovered.knownServices(uuid).count >= Self.fewServices { try await link.exchangeMTU() }
            return .services(try await link.perform(DiscoverServicesByUUID(uuid, in: range, .firstAnswer)))
        case .includes(let range):
            try await link.exchangeMTU()
            return .includes(try await link.perform(DiscoverIncludedServices(in: range, .firstAnswer)))
        case .characteristics(let range):
            try await link.exchangeMTU()
            return .characteristics(try await link.perform(DiscoverCharacteristics(in: range, .firstAnswer)))
        case .attributes(let range):
            return .attributes(try await link.perform(FindAttributes(in: range, .firstAnswer)))
        }
    }
}
