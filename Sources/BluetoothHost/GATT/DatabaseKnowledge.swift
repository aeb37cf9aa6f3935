// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// What is known of a device's database, and whether it may be used: only where it was found on the present link, or the
/// device has confirmed that it is the same still. It does so by its Database Hash; one without a hash, which we have a bond
/// with, by its promise to tell us of changes, also of those that happen while there is no link: that it remembers it, on an
/// encrypted link, is the confirmation.
///
/// What is to be kept is discovered after the hash was read, or the promise given: a change in between then shows the next
/// time.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2, 7.1 and 7.3
struct DatabaseKnowledge: Sendable {
    /// What is known of the device's hash.
    enum Hash: Hashable, Sendable {
        /// It was not asked for, or it may have changed since.
        case unknown
        /// The device has none.
        case absent
        case value([UInt8])
    }

    /// Whether the device has promised to tell us of changes.
    private enum Promise: Hashable, Sendable {
        /// It was not asked for.
        case unknown
        /// The device does not give it.
        case refused
        case given(StoredDatabase.ServiceChanged)
    }

    /// How much a question is worth.
    enum Price: Sendable {
        /// It costs one request or two to find out anew: less than, or as much as, to ask whether what is kept holds.
        case cheap
        /// It is worth to be kept, and to be looked for among what is kept.
        case usual
    }

    /// What has to be done before a question is put.
    enum Check: Hashable, Sendable {
        /// Nothing.
        case none
        /// Read the hash, and tell it by `learned(hash:)`.
        case readHash
        /// Find out whether the subscription to Service Changed stands still, and tell it by `promiseHolds`.
        case readPromise(StoredDatabase.ServiceChanged)
        /// Subscribe to Service Changed, and tell what came of it by `promised`.
        case askForPromise
    }

    private(set) var discovered = DiscoveredDatabase()
    private(set) var hash = Hash.unknown
    private var promise = Promise.unknown
    /// Whether what is known holds on the present link.
    private(set) var isCurrent = true
    /// Whether something was discovered while neither hash nor promise was known: that is not kept.
    private var isMixed = false
    /// The longest values seen, see `StoredDatabase`.
    private(set) var longestValues: [Handle: Int] = [:]
    /// How often the device has said that its database has changed.
    private(set) var changeCount = 0
    /// Whether there is anybody to keep it for.
    let isKept: Bool
    private var stored: StoredDatabase?

    /// Nothing is known but what was stored.
    init(isKept: Bool, stored: StoredDatabase? = nil) {
        self.isKept = isKept
        self.stored = stored
        guard let stored else { return }
        discovered = stored.database
        longestValues = stored.longestValues
        hash = stored.hash.map { .value($0) } ?? .absent
        promise = stored.serviceChanged.map { .given($0) } ?? .unknown
        isCurrent = false
    }

    /// There is a new link: the device may be another one than it was.
    mutating func linkChanged() {
        isCurrent = false
        isMixed = false
        if promise == .refused { promise = .unknown }
    }

    /// What to do before a question is put.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the link is encrypted. Whether it is with the key of a bond the device knows best: without
    ///     one it has to forget with the link what was promised.
    ///   - isAnswered: Whether what is known answers it, if that still holds.
    mutating func check(
        _ price: Price,
        isEncrypted: @autoclosure () -> Bool = false,
        isAnswered: (DiscoveredDatabase) -> Bool
    ) -> Check {
        if !isCurrent {
            if !discovered.isEmpty, price == .usual || isAnswered(discovered) {
                if case .value = hash { return .readHash }
                if case .given(let place) = promise, isEncrypted() { return .readPromise(place) }
            }
            // What is stored stays as it is until there is something better.
            if hash != .absent || promise != .unknown { hash = .unknown }
            forgetAll()
            isCurrent = true
        }
        guard price == .usual, isKept, !isMixed else { return .none }
        switch hash {
        case .unknown: return .readHash
        case .value: return .none
        case .absent: return promise == .unknown && isEncrypted() ? .askForPromise : .none
        }
    }

    /// What the device has said of its hash; `nil` where it has none.
    mutating func learned(hash value: [UInt8]?) {
        let new = value.map { Hash.value($0) } ?? .absent
        if !isCurrent, new != hash { forgetAll() }
        hash = new
        isCurrent = true
    }

    /// The device has left the request for its hash without an answer until nobody wanted to wait any longer. One that has
    /// never answered it is taken to have none: it may answer other requests, and is not to fail for this one each time.
    mutating func hashIsUnanswered() {
        if hash == .unknown { hash = .absent }
    }

    /// Whether the device still means to tell us of changes, as it has promised on an earlier link.
    mutating func promiseHolds(_ holds: Bool) {
        if !holds { forgetAll() }
        isCurrent = true
    }

    /// Where the device tells us of changes from now on; `nil` where it does not.
    mutating func promised(_ place: StoredDatabase.ServiceChanged?) {
        // Changes up to now were not told: this was discovered too early to be kept.
        if place != nil { forgetAll() }
        promise = place.map { .given($0) } ?? .refused
    }

    /// Where the device says that its database has changed, as far as that is known.
    var serviceChangedHandles: Set<Handle> {
        var handles = Set(discovered.knownCharacteristics(.serviceChanged).map(\.valueHandle))
        if case .given(let place) = promise { handles.insert(place.value) }
        return handles
    }

    /// Whether the device has been asked on this link, or the ones before it, to tell us of changes.
    var isToldOfChanges: Bool {
        guard isCurrent, case .given = promise else { return false }
        return true
    }

    /// What a step of discovery has brought.
    mutating func learn(_ finding: DiscoveryFinding, from step: DiscoveryStep) {
        discovered.learn(finding, from: step)
        if hash == .unknown { isMixed = true }
    }

    /// A value came by itself.
    mutating func received(_ length: Int, at handle: Handle) {
        longestValues[handle] = max(min(length, GATTLimits.maximumValueLength), longestValues[handle] ?? 0)
    }

    /// The device says that its database has changed in a range.
    mutating func changed(in range: HandleRange) {
        changeCount += 1
        discovered.forget(range)
        longestValues = longestValues.filter { !range.contains($0.key) }
        // What is left holds, and will be kept under the new hash; not so what was found without any, and without a promise.
        if case .given(let place) = promise {
            if range.contains(place.value) || range.contains(place.configuration) { promise = .unknown }
        } else if hash == .absent, !discovered.isEmpty {
            isMixed = true
        }
        hash = .unknown
    }

    /// The device says so often that its database has changed that nothing of it is worth to be kept.
    mutating func changesTooOften() {
        isMixed = true
    }

    /// What is worth to be stored and is not stored yet.
    mutating func takeUnstored() -> StoredDatabase? {
        guard isKept, isCurrent, !isMixed else { return nil }
        let new: StoredDatabase
        switch hash {
        case .unknown: return nil
        case .absent:
            guard case .given(let place) = promise else {
                new = StoredDatabase(hash: nil)
                break
            }
            new = StoredDatabase(
                hash: nil,
                serviceChanged: place,
                database: discovered,
                longestValues: longestValues
            )
        case .value(let value):
            new = StoredDatabase(hash: value, database: discovered, longestValues: longestValues)
        }
        guard new != stored else { return nil }
        stored = new
        return new
    }

    private mutating func forgetAll() {
        discovered = DiscoveredDatabase()
        longestValues = [:]
        promise = .unknown
    }
}
