// SPDX-License-Identifier: MIT

public import Bluetooth

/// A device's database as this client sees it. It answers questions from the known part and discovers the rest.
///
/// Questions that need the device are processed one by one, and each uses the findings of the previous one first.
/// Callers with the same question at the same time therefore share one discovery.
public actor RemoteDatabase {
    private let device: DeviceAddress
    private let store: (any DatabaseStore)?
    private var knowledge: CachedDatabaseState?
    /// The link on which the known part was discovered or confirmed.
    private var link: ATTConnection?
    private let lock = AsyncLock()
    /// The times at which the device has announced changes recently.
    private var changeTimes: [Instant] = []

    /// Whether changes were left out because there were too many.
    private var isOutdated = false

    /// The changes that are taken in so short a time. Further ones wait until there are fewer.
    private static let storm = (count: 8, duration: Duration.seconds(10))

    /// The database of a device; without a store it is forgotten at the end.
    public init(of device: DeviceAddress, store: (any DatabaseStore)? = nil) {
        self.device = device
        self.store = store
    }

    /// Answers a question with as few requests as possible.
    ///
    /// - Parameters:
    ///   - link: The link for requests; the answer is valid on it.
    ///   - isCheap: Whether discovering the answer takes at most two requests. Reading the hash would then save
    ///     nothing.
    ///   - question: One of the questions of `DiscoveredDatabase`.
    public func answer<Answer: Sendable>(
        on link: ATTConnection,
        isCheap: Bool = false,
        _ question: @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) async throws -> Answer {
        try await lock.withLock {
            while true {
                // Repeated before each step, because the device may have announced a change during the previous one.
                try await prepare(link, isCheap ? .cheap : .usual) { (try? question($0)) != nil }
                do throws(DiscoveryStep) {
                    return try question(discovered)
                } catch {
                    try await take(error, on: link)
                }
            }
        }
    }

    /// Returns for how long the change is left out; `nil` if it is not.
    func changed(_ change: ServiceChanges.Event, on link: ATTConnection) -> Duration? {
        // A question asked in the meantime may have taken the change already.
        if link.serviceChanges.take(change) { changed(in: change.range) }
        return isOutdated ? Self.storm.duration : nil
    }

    /// The database has changed in a range.
    ///
    /// A device that announces changes all the time would otherwise be asked the same for ever. Its answers in between
    /// are used, but not stored.
    public func changed(in range: HandleRange) {
        if let now = link?.time.now { changeTimes = recentChanges(now) + [now] }
        // Also before the first question, which the stored part would answer.
        load()
        guard changeTimes.count > Self.storm.count else {
            knowledge?.changed(in: range)
            return
        }
        isOutdated = true
        knowledge?.stopStoring()
    }

    private func load() {
        knowledge = knowledge ?? CachedDatabaseState(isKept: store != nil, stored: store?.load(device))
    }

    private func recentChanges(_ now: Instant) -> [Instant] {
        changeTimes.filter { now < $0 + Self.storm.duration }
    }

    /// Takes the changes that were left out, as a change of everything.
    private func takeLeftOutChanges() {
        guard isOutdated else { return }
        isOutdated = false
        knowledge?.changed(in: .all)
    }

    /// Whether findings on this link will be known on the next one, too.
    var isKept: Bool { knowledge?.isConfirmable ?? false }

    /// What the attribute at a handle is, if that is known without a request.
    func knownPlace(of handle: Handle, on link: ATTConnection) -> GATTPlace? {
        guard self.link === link, knowledge?.isCurrent == true else { return nil }
        return discovered.knownPlace(of: handle)
    }

    /// The answer to a question; `nil` if it is not known. Sends no request.
    func known<Answer>(_ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Answer) -> Answer? {
        try? question(discovered)
    }

    /// The known characteristics of a UUID in the order of their handles, in all services or in those of a UUID. Sends
    /// no request.
    public func known(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> [GATTCharacteristic] {
        let found = discovered.knownCharacteristics(uuid)
        guard let service else { return found }
        // Both lists are sorted, and a hostile device has many entries: one pass avoids quadratic time.
        var ranges = discovered.services.filter { $0.isPrimary && $0.uuid == service }.map(\.range)[...]
        return found.filter { found in
            ranges = ranges.drop { $0.end < found.declaration }
            return ranges.first?.contains(found.declaration) ?? false
        }
    }

    /// The number of known primary services of a UUID. Sends no request.
    public func knownCount(ofServices uuid: BluetoothUUID) -> Int {
        discovered.services.count { $0.isPrimary && $0.uuid == uuid }
    }

    /// Whether the device has given services an end at 0xFFFF although others follow, see `DiscoveredDatabase`.
    public var hasOverlaps: Bool { discovered.hasOverlaps }

    /// The known service that contains a handle. Sends no request.
    public func knownService(of handle: Handle) -> GATTService? {
        discovered.services.last { $0.range.contains(handle) }
    }

    /// Whether the notified or indicated values of a characteristic are known to fit into the smallest MTU.
    func isKnownToBeShort(_ handle: Handle) -> Bool {
        // Service Changed always has four octets.
        if known(.serviceChanged).contains(where: { $0.valueHandle == handle }) { return true }
        guard let longest = knowledge?.longestValues[handle] else { return false }
        return longest < HandleValueNotification.maximumLength(mtu: ATTBearer.minimumMTU)
    }

    /// A notification or indication has arrived.
    func received(_ length: Int, at handle: Handle) {
        knowledge?.received(length, at: handle)
    }

    /// The Presentation Format of the characteristic that has its value at a handle, as it was read on this link or is
    /// stored; `nil` if it is not known. Sends a request only if a stored one has to be confirmed.
    func presentationFormat(of handle: Handle, on link: ATTConnection) async throws -> [UInt8]? {
        try await confirmed(on: link) { $0.formats[handle] }
    }

    /// What the attribute at a handle is, as it was discovered on this link or is stored; `nil` if it is not known.
    /// Sends a request only if the stored part has to be confirmed.
    func place(of handle: Handle, on link: ATTConnection) async throws -> GATTPlace? {
        try await confirmed(on: link) { $0.discovered.knownPlace(of: handle) }
    }

    /// Something known, provided that the device confirms it.
    private func confirmed<Fact>(on link: ATTConnection, _ fact: (CachedDatabaseState) -> Fact?) async throws -> Fact? {
        try await lock.withLock {
            let knowledge = self.knowledge ?? CachedDatabaseState(isKept: store != nil, stored: store?.load(device))
            guard fact(knowledge) != nil else { return nil }
            // A question that is always answered discovers nothing, so that the stored part is only confirmed.
            try await prepare(link, .usual) { _ in true }
            return self.knowledge.flatMap(fact)
        }
    }

    /// The Presentation Format of a characteristic was read on the present link.
    func learned(format: [UInt8], of handle: Handle) {
        knowledge?.learned(format: format, of: handle)
    }

    /// Whether the device announces changes on this link, because it was asked to already.
    func isToldOfChanges(on link: ATTConnection) -> Bool { self.link === link && knowledge?.isToldOfChanges == true }

    /// The number of changes that the device has announced. A caller compares it to notice that its findings are
    /// outdated.
    public var changeCount: Int { knowledge?.changeCount ?? 0 }

    /// Stores the database if it has changed and can be confirmed later.
    public func save() async {
        guard let store, let unstored = knowledge?.takeUnstored() else { return }
        await store.save(unstored, of: device)
    }

    // MARK: - Steps

    private var discovered: DiscoveredDatabase { knowledge?.discovered ?? DiscoveredDatabase() }

    /// Makes sure that the known part is valid on this link. `answers` says whether a database answers the question.
    private func prepare(
        _ link: ATTConnection,
        _ price: CachedDatabaseState.Price,
        _ answers: (DiscoveredDatabase) -> Bool
    ) async throws {
        // An ended link cannot be used for discovery, and must not replace the knowledge of the present link.
        if let end = link.end { throw end }
        load()
        if self.link !== link {
            self.link = link
            changeTimes = []
            takeLeftOutChanges()
            // The device announces a change once, perhaps to another program, which has stored that.
            if let store, knowledge?.reliesOnPromise == true, store.load(device) != knowledge?.stored {
                knowledge = nil
                load()
            }
            knowledge?.linkChanged()
        }
        while true {
            if recentChanges(link.time.now).count <= Self.storm.count { takeLeftOutChanges() }
            takeAnnouncedChanges(on: link)
            let check = self.knowledge?.check(price, isEncrypted: link.isEncrypted, isAnswered: answers)
            switch check {
            case nil, .some(.none): return
            case .readHash:
                let changes = changeCount
                let hash = try await readHash(on: link)
                // A hash that was requested before a change may be the old one.
                guard changeCount == changes else { continue }
                self.knowledge?.learned(hash: hash)
            case .readPromise(let place):
                // The device indicates changes from the time without a link before it answers; the next round takes
                // them.
                let holds = try await isSubscribed(to: place, on: link)
                self.knowledge?.promiseConfirmed(holds)
            case .askForPromise:
                let place = try await subscribe(on: link)
                self.knowledge?.promiseReceived(place)
            }
        }
    }

    /// Takes the changes that the device has announced, so that no question is answered from outdated knowledge.
    private func takeAnnouncedChanges(on link: ATTConnection) {
        for range in link.serviceChanges.take(at: knowledge?.serviceChangedHandles ?? []) { changed(in: range) }
    }

    /// The time after which a device counts as one that does not answer the request for its hash. A caller that gives
    /// up earlier proves nothing about the device.
    private static let hashTimeout = Duration.seconds(4)

    /// Reads the Database Hash; `nil` if the device has none, or refuses it.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.3: by its UUID, over all handles
    private func readHash(on link: ATTConnection) async throws -> [UInt8]? {
        let asked = link.time.now
        do {
            let values = try await link.perform(ReadByUUID(.databaseHash))
            // A Database Hash has 128 bits; a value of another length confirms nothing.
            return values.first.flatMap { $0.value.count == 16 ? $0.value : nil }
        } catch is GATTError {
            return nil
        } catch ATTFailure.invalidResponse where link.end == nil {
            // The answer cannot be parsed, but the next one may be valid.
            return nil
        } catch  where !(error is RadioError) && link.time.now - asked >= Self.hashTimeout {
            knowledge?.hashTimedOut()
            throw error
        }
    }

    /// Whether the device still has this client's subscription to Service Changed from an earlier link.
    private func isSubscribed(to place: StoredDatabase.ServiceChanged, on link: ATTConnection) async throws -> Bool {
        link.serviceChanges.expect(at: place.value)
        do {
            let value = try await link.perform(ReadValue(place.configuration))
            return value.value.first.map { ClientConfiguration(rawValue: UInt16($0)) }?.contains(.indication) ?? false
        } catch is GATTError {
            return false
        }
    }

    /// Subscribes to Service Changed on a bonded device; `nil` if the device does not allow it.
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

    /// Answers a question from the discovered part of the database, and discovers what it lacks until it can be
    /// answered.
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

    /// Asks the device for a missing part of the database.
    private func take(_ step: DiscoveryStep, on link: ATTConnection) async throws {
        let changes = changeCount
        let (finding, answered): (DiscoveryFinding, DiscoveryStep)
        do {
            (finding, answered) = try await ask(step, on: link)
        } catch let error as GATTError {
            guard changeCount != changes else { throw error }
            return
        }
        // The finding of a request before the change is not valid after it, so the question asks again.
        guard changeCount == changes else { return }
        knowledge?.learn(finding, from: answered)
    }

    /// Performs a discovery step. Some servers refuse, or deny to have anything in, a range that ends after their last
    /// attribute: they are asked again within the service.
    ///
    /// - Returns: The finding, and the part of the step that it answers.
    private func ask(
        _ step: DiscoveryStep,
        on link: ATTConnection
    ) async throws -> (DiscoveryFinding, DiscoveryStep) {
        let refusal: GATTError?
        do {
            let finding = try await self.finding(of: step, on: link)
            guard case .attributes([]) = finding, step.range.end == .last else { return (finding, step) }
            refusal = nil
        } catch let error as GATTError where step.emptyFinding != nil && step.range.end == .last && error.mayBeOfRange {
            refusal = error
        }
        let empty = step.emptyFinding ?? .attributes([])
        let handle = step.range.start
        let services = try await find(on: link) { database throws(DiscoveryStep) in
            Found.success(try database.allServices())
        }
        if let service = services.last(where: { $0.range.contains(handle) }) {
            guard service.range.end < step.range.end else {
                if let refusal { throw refusal }
                return (empty, step)
            }
            let within = step.ending(at: service.range.end)
            return (try await finding(of: within, on: link), within)
        }
        // There is nothing between the services, nor after the last one.
        if let refusal, services.isEmpty { throw refusal }
        let next = services.map(\.range.start).filter { $0 > handle }.min()
        return (empty, next?.previous.map { step.ending(at: $0) } ?? step)
    }

    /// The number of services in an answer to a search by UUID at the smallest MTU.
    private static let fewServices = (Int(ATTBearer.minimumMTU) - 1) / 4

    /// Performs a discovery step. Long lists take fewer round trips with a larger MTU, so that is exchanged first.
    private func finding(of step: DiscoveryStep, on link: ATTConnection) async throws -> DiscoveryFinding {
        switch step {
        case .services(let isPrimary, let range):
            try await link.exchangeMTU()
            return .services(try await link.perform(DiscoverServices(primary: isPrimary, in: range, .firstAnswer)))
        case .servicesByUUID(let uuid, let range):
            // Finding one or two services costs less than the exchange; finding many does not.
            if discovered.knownServices(uuid).count >= Self.fewServices { try await link.exchangeMTU() }
            do {
                return .services(try await link.perform(DiscoverServicesByUUID(uuid, in: range, .firstAnswer)))
            } catch GATTError.refused(let error) where error.code.deniesSearch {
                // All primary services are discovered then.
                return .services([])
            }
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

extension DiscoveryStep {
    /// The finding that the range holds nothing, for steps within services; `nil` for those that find services.
    fileprivate var emptyFinding: DiscoveryFinding? {
        switch self {
        case .attributes: .attributes([])
        case .characteristics: .characteristics([])
        case .includes: .includes([])
        case .services, .servicesByUUID: nil
        }
    }
}

extension GATTError {
    /// Whether the device may have refused a request because of its range of handles.
    fileprivate var mayBeOfRange: Bool {
        guard case .refused(let error) = self else { return false }
        let others: [ATTErrorCode] = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .encryptionKeySizeTooShort, .insufficientResources, .databaseOutOfSync,
        ]
        return !others.contains(error.code)
    }
}
