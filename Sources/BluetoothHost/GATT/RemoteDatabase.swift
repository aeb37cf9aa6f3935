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

    /// The device says that its database has changed in a range.
    ///
    /// One that says so all the time would be asked the same for ever: what it answers in between is used, and not kept.
    public func changed(in range: HandleRange) {
        if let now = link?.time.now {
            changeTimes = changeTimes.filter { now < $0 + Self.storm.duration } + [now]
        }
        if changeTimes.count > Self.storm.count { knowledge?.changesTooOften() } else { knowledge?.changed(in: range) }
    }

    /// The characteristics of a UUID that are known, in the order of their handles. Asks nothing.
    public func known(_ uuid: BluetoothUUID) -> [GATTCharacteristic] {
        discovered.declarations.filter { $0.uuid == uuid }
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

    /// How often what is known has changed under those who ask.
    var changeCount: Int { knowledge?.changeCount ?? 0 }

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
        while case .readHash = self.knowledge?.check(price, isAnswered: { (try? question($0)) != nil }) {
            let changes = changeCount
            let hash = try await readHash(on: link)
            // One that was asked for before a change may be the one from before it.
            guard changeCount == changes else { continue }
            self.knowledge?.learned(hash: hash)
        }
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

    /// Lists are shorter by round trips with a larger MTU.
    private func finding(of step: DiscoveryStep, on link: ATTConnection) async throws -> DiscoveryFinding {
        switch step {
        case .services(let isPrimary, let range):
            try await link.exchangeMTU()
            return .services(try await link.perform(DiscoverServices(primary: isPrimary, in: range, .firstAnswer)))
        case .servicesByUUID(let uuid, let range):
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
