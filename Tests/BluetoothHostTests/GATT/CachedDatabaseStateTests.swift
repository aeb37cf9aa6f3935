// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices
@testable import BluetoothHost

@Suite("DatabaseKnowledge")
struct DatabaseKnowledgeTests {
    private static let hash = [UInt8](repeating: 0xAA, count: 16)
    private static let otherHash = [UInt8](repeating: 0xBB, count: 16)

    private static func service(_ uuid: BluetoothUUID, _ start: Handle, _ end: Handle) -> GATTService {
        GATTService(uuid: uuid, range: HandleRange(start, end), isPrimary: true)
    }

    private static let found = DiscoveryFinding.services([service(0x180F, 5, 9)])
    private static let step = DiscoveryStep.servicesByUUID(0x180F, .all)

    private static var database: DiscoveredDatabase {
        var database = DiscoveredDatabase()
        database.learn(found, from: step)
        return database
    }

    private static let isAnswered: @Sendable (DiscoveredDatabase) -> Bool = { (try? $0.service(0x180F)) != nil }

    // MARK: - Transitions

    @Test("the hash is read once before the discovery of what is to be kept, and is kept too")
    func keeps() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: Self.hash)
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        knowledge.learn(Self.found, from: Self.step)
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.takeUnstored() == StoredDatabase(hash: Self.hash, database: Self.database))
        #expect(knowledge.takeUnstored() == nil, "it is stored by now")
        knowledge.received(7, at: 8)
        #expect(knowledge.takeUnstored()?.longestValues == [8: 7])
    }

    @Test("a Presentation Format is kept with the database, and removed with the changed part")
    func formats() {
        let stored = StoredDatabase(hash: Self.hash, database: Self.database, formats: [8: [1], 3: [2]])
        var knowledge = CachedDatabaseState(isKept: true, stored: stored)
        knowledge.learned(format: [7], of: 8)
        #expect(knowledge.formats == stored.formats, "nothing is learned before the database is confirmed")
        #expect(knowledge.check(.usual) { _ in true } == .readHash)
        knowledge.learned(hash: Self.hash)
        knowledge.learned(format: [9], of: 8)
        #expect(knowledge.takeUnstored()?.formats == [8: [9], 3: [2]])
        knowledge.changed(in: HandleRange(1, 5))
        #expect(knowledge.formats == [8: [9]])
        var other = CachedDatabaseState(isKept: true, stored: stored)
        _ = other.check(.usual) { _ in true }
        other.learned(hash: nil)
        #expect(other.formats.isEmpty, "another database has other formats")
    }

    @Test("without a store no hash is read")
    func keepsNothing() {
        var knowledge = CachedDatabaseState(isKept: false)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        knowledge.learn(Self.found, from: Self.step)
        #expect(knowledge.takeUnstored() == nil)
        #expect(knowledge.discovered == Self.database)
        // The next link starts without it.
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.discovered.isEmpty)
    }

    @Test("results from before the hash was read are not kept")
    func mixed() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        #expect(knowledge.check(.cheap, isAnswered: Self.isAnswered) == .none)
        knowledge.learn(Self.found, from: Self.step)
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none, "it is too late for the hash")
        #expect(knowledge.takeUnstored() == nil)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash, "on the next link it is not")
    }

    @Test("the absence of a hash is kept too, and the hash not asked for again")
    func absent() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: nil)
        knowledge.learn(Self.found, from: Self.step)
        #expect(knowledge.takeUnstored() == StoredDatabase(hash: nil), "and nothing of the database")

        var next = CachedDatabaseState(isKept: true, stored: StoredDatabase(hash: nil))
        next.linkChanged()
        #expect(next.check(.usual, isAnswered: Self.isAnswered) == .none)
        next.learn(Self.found, from: Self.step)
        #expect(next.takeUnstored() == nil, "when it was found out is not to be told anew each time")
    }

    @Test("a stored database without a hash is not used")
    func storedWithoutHash() {
        var knowledge = CachedDatabaseState(
            isKept: true,
            stored: StoredDatabase(hash: nil, database: Self.database, longestValues: [8: 4])
        )
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.discovered.isEmpty && knowledge.longestValues.isEmpty)
    }

    @Test("a stored database is used if the device has the same hash, and forgotten otherwise")
    func confirms() {
        let stored = StoredDatabase(hash: Self.hash, database: Self.database, longestValues: [8: 4])
        for (said, holds) in [(Self.hash, true), (Self.otherHash, false), (nil, false)] as [([UInt8]?, Bool)] {
            for price in [CachedDatabaseState.Price.usual, .cheap] {
                var knowledge = CachedDatabaseState(isKept: true, stored: stored)
                knowledge.linkChanged()
                #expect(knowledge.takeUnstored() == nil)
                #expect(knowledge.check(price, isAnswered: Self.isAnswered) == .readHash)
                knowledge.learned(hash: said)
                #expect(knowledge.check(price, isAnswered: Self.isAnswered) == .none)
                #expect(knowledge.discovered == (holds ? Self.database : DiscoveredDatabase()))
                #expect(knowledge.longestValues == (holds ? [8: 4] : [:]))
                #expect((knowledge.takeUnstored() == nil) == holds)
            }
        }
    }

    @Test("a cheap question that the store cannot answer is not worth reading the hash")
    func cheap() {
        var knowledge = CachedDatabaseState(
            isKept: true,
            stored: StoredDatabase(hash: Self.hash, database: Self.database)
        )
        knowledge.linkChanged()
        #expect(knowledge.check(.cheap, isAnswered: { _ in false }) == .none)
        #expect(knowledge.discovered.isEmpty, "what was not confirmed is not used")
    }

    @Test("the next link of the same run has to confirm everything again")
    func nextLink() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        knowledge.learned(hash: Self.hash)
        knowledge.learn(Self.found, from: Self.step)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: Self.hash)
        #expect(knowledge.discovered == Self.database)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: Self.otherHash)
        #expect(knowledge.discovered.isEmpty)
        #expect(knowledge.takeUnstored() == StoredDatabase(hash: Self.otherHash))
    }

    @Test("a change on the link invalidates the hash; the rest is kept under the next one")
    func changes() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        knowledge.learned(hash: Self.hash)
        knowledge.learn(Self.found, from: Self.step)
        knowledge.received(3, at: 7)
        knowledge.received(3, at: 20)
        knowledge.changed(in: HandleRange(20, 30))
        #expect(knowledge.changeCount == 1)
        #expect(knowledge.takeUnstored() == nil)
        #expect((try? knowledge.discovered.service(0x180F)) != nil)
        #expect(knowledge.longestValues == [7: 3])
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: Self.otherHash)
        #expect(knowledge.takeUnstored()?.hash == Self.otherHash)
        knowledge.changed(in: HandleRange(5, 5))
        #expect(knowledge.discovered.services.isEmpty)
    }

    @Test("a change before the confirmation invalidates the whole store")
    func changesBeforeConfirmation() {
        var knowledge = CachedDatabaseState(
            isKept: true,
            stored: StoredDatabase(hash: Self.hash, database: Self.database)
        )
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.changed(in: HandleRange(100, 110))
        knowledge.learned(hash: Self.hash)
        #expect(knowledge.discovered.isEmpty)
    }

    @Test("a device that did not answer the request for its hash is not asked again, unless it answered before")
    func unanswered() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        knowledge.hashTimedOut()
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.takeUnstored() == StoredDatabase(hash: nil))

        var other = CachedDatabaseState(isKept: true, stored: StoredDatabase(hash: Self.hash, database: Self.database))
        other.linkChanged()
        #expect(other.check(.usual, isAnswered: Self.isAnswered) == .readHash)
        other.hashTimedOut()
        other.linkChanged()
        #expect(other.check(.usual, isAnswered: Self.isAnswered) == .readHash)
    }

    // MARK: - Bonds

    private static let place = StoredDatabase.ServiceChanged(value: 3, configuration: 4)

    /// The knowledge of an earlier run about a device without a hash that indicates changes.
    private static func promised() -> CachedDatabaseState {
        var knowledge = CachedDatabaseState(
            isKept: true,
            stored: StoredDatabase(hash: nil, serviceChanged: place, database: database, longestValues: [8: 4])
        )
        knowledge.linkChanged()
        return knowledge
    }

    @Test("a bonded device without a hash is asked to indicate changes, and later results are kept")
    func keepsByPromise() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.linkChanged()
        knowledge.learned(hash: nil)
        #expect(knowledge.check(.usual, isEncrypted: false, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.check(.cheap, isEncrypted: true, isAnswered: Self.isAnswered) == .none)
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .askForPromise)
        knowledge.learn(.services([Self.service(0x1801, 1, 4)]), from: .servicesByUUID(0x1801, .all))
        #expect(!knowledge.isToldOfChanges)
        knowledge.promiseReceived(Self.place)
        #expect(knowledge.isToldOfChanges)
        #expect(knowledge.discovered.isEmpty, "what was found before the promise may have changed since")
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .none)
        knowledge.learn(Self.found, from: Self.step)
        let stored = StoredDatabase(hash: nil, serviceChanged: Self.place, database: Self.database)
        #expect(knowledge.takeUnstored() == stored)
    }

    @Test("a device that does not indicate changes is asked once a link, and nothing of it is kept")
    func refusesPromise() {
        var knowledge = CachedDatabaseState(isKept: true)
        for _ in 0..<2 {
            knowledge.linkChanged()
            if knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readHash {
                knowledge.learned(hash: nil)
            }
            #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .askForPromise)
            knowledge.promiseReceived(nil)
            #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .none)
            knowledge.learn(Self.found, from: Self.step)
            let kept = knowledge.takeUnstored()
            #expect(kept == nil || kept == StoredDatabase(hash: nil))
        }
    }

    @Test("a store without a hash is used only on a bonded link with the subscription still in place")
    func confirmsPromise() {
        for holds in [true, false] {
            var knowledge = Self.promised()
            #expect(!knowledge.isToldOfChanges)
            #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readPromise(Self.place))
            knowledge.promiseConfirmed(holds)
            #expect(knowledge.discovered == (holds ? Self.database : DiscoveredDatabase()))
            #expect(knowledge.isToldOfChanges == holds)
            let next = knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered)
            #expect(next == (holds ? .none : .askForPromise))
        }
        for price in [CachedDatabaseState.Price.usual, .cheap] {
            var knowledge = Self.promised()
            let next = knowledge.check(price, isEncrypted: false, isAnswered: Self.isAnswered)
            #expect(next == (price == .usual ? .readHash : .none))
            #expect(knowledge.discovered.isEmpty && knowledge.longestValues.isEmpty)
            #expect(knowledge.takeUnstored() == nil, "what is stored may be of use on the next link")
        }
    }

    @Test("a cheap question is worth the confirmation only if the store answers it")
    func cheapByPromise() {
        var knowledge = Self.promised()
        #expect(knowledge.check(.cheap, isEncrypted: true, isAnswered: { _ in false }) == .none)
        #expect(knowledge.discovered.isEmpty)
        knowledge = Self.promised()
        #expect(knowledge.check(.cheap, isEncrypted: true, isAnswered: Self.isAnswered) == .readPromise(Self.place))
    }

    @Test("a change indicated before the confirmation removes only the changed part")
    func changesUnderPromise() {
        var knowledge = Self.promised()
        knowledge.changed(in: HandleRange(20, 30))
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readPromise(Self.place))
        knowledge.promiseConfirmed(true)
        #expect(Self.isAnswered(knowledge.discovered))
        // It may have one now.
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readHash)
        knowledge.learned(hash: nil)
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .none)
        knowledge.changed(in: HandleRange(6, 6))
        #expect(knowledge.discovered.services.isEmpty)
    }

    @Test("a change of Service Changed itself ends the trust in the store", arguments: [3, 4] as [Handle])
    func promiseMoved(handle: Handle) {
        var knowledge = Self.promised()
        knowledge.changed(in: HandleRange(handle, handle))
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readHash)
        #expect(knowledge.discovered.isEmpty, "nothing confirms what was stored any more")
        knowledge.learned(hash: nil)
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .askForPromise)
    }

    @Test("the next link of the same run has to confirm the subscription again")
    func promiseOnNextLink() {
        var knowledge = Self.promised()
        knowledge.promiseConfirmed(true)
        knowledge.linkChanged()
        #expect(knowledge.check(.usual, isEncrypted: true, isAnswered: Self.isAnswered) == .readPromise(Self.place))
    }

    @Test("lengths above the longest possible value are kept as that")
    func longValues() {
        var knowledge = CachedDatabaseState(isKept: true)
        knowledge.received(514, at: 3)
        knowledge.received(2, at: 3)
        #expect(knowledge.longestValues == [3: 512])
    }

    // MARK: - In any order

    /// What is true of a finding, by the events alone.
    private struct Origin {
        let range: HandleRange
        /// The link on which it was found.
        let link: Int
        /// The hashes under which it holds.
        var hashes: Set<[UInt8]> = []
        /// The last link on which it was found or confirmed.
        var goodOn: Int
    }

    @Test(
        "only results of this link, or confirmed by the hash without a later change, are used",
        arguments: 1...400 as ClosedRange<UInt64>
    )
    func property(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let hashes = (1...3).map { [UInt8](repeating: $0, count: 16) }
        var store: StoredDatabase?
        var knowledge = CachedDatabaseState(isKept: true)
        var origins: [BluetoothUUID: Origin] = [:]
        var (link, lastUUID, answers) = (1, UInt16(0), 0)
        /// The hash that the device has said on this link and that holds still.
        var said: [UInt8]?
        knowledge.linkChanged()

        func check(_ database: DiscoveredDatabase) {
            for service in database.services {
                guard let origin = origins[service.uuid] else {
                    Issue.record("\(service.uuid) was never found")
                    continue
                }
                #expect(origin.goodOn == link, "\(service.uuid) of link \(origin.link) on link \(link)")
            }
        }

        for _ in 0..<80 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...5:
                // A question; it may come to nothing between the request for the hash and its answer.
                let price: CachedDatabaseState.Price = Bool.random(using: &generator) ? .usual : .cheap
                let isAnswered = Bool.random(using: &generator)
                if knowledge.check(price, isAnswered: { _ in isAnswered }) == .readHash {
                    guard Int.random(in: 0..<5, using: &generator) > 0 else { continue }
                    let hasNone = Int.random(in: 0..<6, using: &generator) == 0
                    let hash = hasNone ? nil : hashes.randomElement(using: &generator)
                    said = hash
                    for (uuid, origin) in origins {
                        guard let hash else { continue }
                        // Found on this link under another hash that was taken away by a change elsewhere: it holds under
                        // the new one. From elsewhere: only under its own.
                        if origin.goodOn == link, !origin.hashes.isEmpty {
                            origins[uuid]?.hashes.insert(hash)
                        } else if origin.hashes.contains(hash) {
                            origins[uuid]?.goodOn = link
                        }
                    }
                    knowledge.learned(hash: hash)
                }
                check(knowledge.discovered)
                answers += 1
                guard Bool.random(using: &generator) else { continue }
                lastUUID += 1
                let uuid = BluetoothUUID(lastUUID)
                let start = UInt16.random(in: 1...20, using: &generator) * 10
                let range = HandleRange(Handle(start), Handle(start + 9))
                // The one that was there goes; a real device would have said so.
                knowledge.learn(
                    .services([GATTService(uuid: uuid, range: range, isPrimary: true)]),
                    from: .services(isPrimary: true, HandleRange(range.start, range.end))
                )
                origins[uuid] = Origin(range: range, link: link, hashes: said.map { [$0] } ?? [], goodOn: link)
            case 6, 7:
                let start = UInt16.random(in: 1...220, using: &generator)
                let isEverything = Bool.random(using: &generator)
                let range = isEverything ? HandleRange.all : HandleRange(Handle(start), Handle(start + 15))
                knowledge.changed(in: range)
                said = nil
                for (uuid, origin) in origins where origin.goodOn == link {
                    guard origin.range.start <= range.end, range.start <= origin.range.end else { continue }
                    origins[uuid]?.goodOn = 0
                }
            case 8:
                link += 1
                said = nil
                knowledge.linkChanged()
            case 9:
                // The end of a run, and the next one.
                if let unstored = knowledge.takeUnstored() { store = unstored }
                for service in store?.database.services ?? [] {
                    #expect(store?.hash.map { origins[service.uuid]?.hashes.contains($0) == true } ?? false)
                }
                link += 1
                said = nil
                knowledge = CachedDatabaseState(isKept: true, stored: store)
                knowledge.linkChanged()
            case 10:
                if let unstored = knowledge.takeUnstored() { store = unstored }
            default:
                knowledge.received(Int.random(in: 0...30, using: &generator), at: Handle(UInt16(link)))
            }
        }
        #expect(answers > 0)
    }
}
