// SPDX-License-Identifier: MIT

import Bluetooth

/// The known part of a device's database, and whether it may be used. It may be used only if it was discovered on the
/// present link, or if the device has confirmed that its database is unchanged. The Database Hash is such a
/// confirmation. For a bonded device without a hash it is the subscription to Service Changed: if the device still has
/// it on an encrypted link, it has promised to announce changes, including those that happen without a link.
///
/// Discovery for the store begins only after the hash was read or the promise was given, so that a change in between is
/// noticed the next time.
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2, 7.1 and 7.3
struct CachedDatabaseState: Sendable {
    enum Hash: Hashable, Sendable {
        /// It has not been read, or may have changed since.
        case unknown
        /// The device has no hash.
        case absent
        case value([UInt8])
    }

    /// The device's promise to announce changes.
    private enum Promise: Hashable, Sendable {
        /// The device has not been asked.
        case unknown
        /// The device does not make the promise.
        case refused
        case given(StoredDatabase.ServiceChanged)
    }

    /// The cost of discovering the answer to a question again.
    enum Price: Sendable {
        /// At most two requests, so that a check of the stored result would not be cheaper.
        case cheap
        /// More requests, so that the answer is worth storing and looking up in the store.
        case usual
    }

    /// A step to take before a question.
    enum Check: Hashable, Sendable {
        case none
        /// Read the hash and pass it to `learned(hash:)`.
        case readHash
        /// Check whether the device still has the subscription to Service Changed, and pass the result to
        /// `promiseHolds`.
        case readPromise(StoredDatabase.ServiceChanged)
        /// Subscribe to Service Changed and pass the result to `promised`.
        case askForPromise
    }

    private(set) var discovered = DiscoveredDatabase()
    private(set) var hash = Hash.unknown
    private var promise = Promise.unknown
    /// Whether the known part is valid on the present link.
    private(set) var isCurrent = true
    /// Whether something was discovered without a known hash or promise. Such findings are not stored, because nothing
    /// could confirm them later.
    private var isMixed = false
    /// The longest values seen: see `StoredDatabase`.
    private(set) var longestValues: [Handle: Int] = [:]
    /// The Presentation Formats that were read: see `StoredDatabase`.
    private(set) var formats: [Handle: [UInt8]] = [:]
    /// The number of changes that the device has announced.
    private(set) var changeCount = 0
    let isKept: Bool
    private(set) var stored: StoredDatabase?
    /// Whether what is stored by the promise does not have an announced change. The device does not announce it again.
    private var isStoredOutdated = false

    /// Knows the stored database only, if there is one; it needs to be confirmed.
    init(isKept: Bool, stored: StoredDatabase? = nil) {
        self.isKept = isKept
        self.stored = stored
        guard let stored else { return }
        discovered = stored.database
        longestValues = stored.longestValues
        formats = stored.formats
        hash = stored.hash.map { .value($0) } ?? .absent
        promise = stored.serviceChanged.map { .given($0) } ?? .unknown
        isCurrent = false
    }

    /// The link is new, so the known part needs to be confirmed: the device may have changed in between.
    mutating func linkChanged() {
        isCurrent = false
        isMixed = false
        if promise == .refused { promise = .unknown }
    }

    /// The step to take before a question.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the link is encrypted. Only the device knows whether that is with the key of a bond;
    ///     without a bond it must forget its promise when the link ends.
    ///   - isAnswered: Whether the known part answers the question, provided it is still valid.
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
            // Only the knowledge of this run is dropped: the store keeps its database until there is a better one.
            // That a device has no hash stays known, so that it is not asked again.
            if hash != .absent || promise != .unknown { hash = .unknown }
            forgetAll()
            isCurrent = true
        }
        // Findings that are not stored need no confirmation on a later link.
        guard price == .usual, isKept, !isMixed else { return .none }
        switch hash {
        case .unknown: return .readHash
        case .value: return .none
        case .absent: return promise == .unknown && isEncrypted() ? .askForPromise : .none
        }
    }

    /// The hash that the device has answered; `nil` if it has none.
    mutating func learned(hash value: [UInt8]?) {
        let new = value.map { Hash.value($0) } ?? .absent
        if !isCurrent, new != hash { forgetAll() }
        hash = new
        isCurrent = true
    }

    /// The device did not answer the request for its hash before the caller gave up. If it has never answered one, it
    /// counts as a device without a hash. It may answer other requests, which must not fail because of this one each
    /// time.
    mutating func hashTimedOut() {
        if hash == .unknown { hash = .absent }
    }

    /// Whether the device still has the subscription from an earlier link, and with it the promise to announce changes.
    mutating func promiseConfirmed(_ holds: Bool) {
        if !holds { forgetAll() }
        isCurrent = true
    }

    /// The attributes through which the device announces changes from now on; `nil` if it does not.
    mutating func promiseReceived(_ place: StoredDatabase.ServiceChanged?) {
        // Changes before this moment were not announced, so the earlier findings cannot be stored.
        if place != nil { forgetAll() }
        promise = place.map { .given($0) } ?? .refused
    }

    /// The known handles at which the device indicates changes.
    var serviceChangedHandles: Set<Handle> {
        var handles = Set(discovered.knownCharacteristics(.serviceChanged).map(\.valueHandle))
        if case .given(let place) = promise { handles.insert(place.value) }
        return handles
    }

    /// Whether the device announces changes, because it was asked to on this link or an earlier one.
    var isToldOfChanges: Bool {
        guard isCurrent, case .given = promise else { return false }
        return true
    }

    /// Whether only the device's promise can confirm the known part.
    var reliesOnPromise: Bool { if case .given = promise { true } else { false } }

    mutating func learn(_ finding: DiscoveryFinding, from step: DiscoveryStep) {
        discovered.learn(finding, from: step)
        if hash == .unknown { isMixed = true }
    }

    /// A notification or indication has arrived.
    mutating func received(_ length: Int, at handle: Handle) {
        // A device may send more octets than a value can have, and no stored length may be greater.
        longestValues[handle] = max(min(length, GATTLimits.maximumValueLength), longestValues[handle] ?? 0)
    }

    /// The Presentation Format of a characteristic was read on the present link.
    mutating func learned(format: [UInt8], of handle: Handle) {
        if isCurrent { formats[handle] = format }
    }

    mutating func changed(in range: HandleRange) {
        changeCount += 1
        isStoredOutdated = stored?.serviceChanged != nil
        discovered.forget(range)
        longestValues = longestValues.filter { !range.contains($0.key) }
        formats = formats.filter { !range.contains($0.key) }
        // The rest is still valid and will be stored under the new hash. Findings without hash and promise will not.
        if case .given(let place) = promise {
            if range.contains(place.value) || range.contains(place.configuration) { promise = .unknown }
        } else if hash == .absent, !discovered.isEmpty {
            isMixed = true
        }
        hash = .unknown
    }

    /// The device announces changes so often that no finding is worth storing.
    mutating func stopStoring() {
        isMixed = true
    }

    /// Whether findings on the present link can be confirmed on a later one, so that they will be known there.
    var isConfirmable: Bool {
        guard isKept, isCurrent, !isMixed else { return false }
        switch (hash, promise) {
        case (.value, _), (.absent, .given): return true
        case (.unknown, _), (.absent, _): return false
        }
    }

    /// The database to store; `nil` if nothing is new, or a later link could not confirm it. What is outdated is
    /// withdrawn.
    mutating func takeUnstored() -> StoredDatabase? {
        guard let new = unstored ?? (isStoredOutdated ? StoredDatabase(hash: nil) : nil), new != stored else {
            return nil
        }
        isStoredOutdated = false
        stored = new
        return new
    }

    private var unstored: StoredDatabase? {
        guard isKept, isCurrent, !isMixed else { return nil }
        switch hash {
        case .unknown: return nil
        case .absent:
            guard case .given(let place) = promise else {
                // Nothing could confirm the findings later. That there is no hash saves the question for it.
                return StoredDatabase(hash: nil)
            }
            return StoredDatabase(
                hash: nil,
                serviceChanged: place,
                database: discovered,
                longestValues: longestValues,
                formats: formats
            )
        case .value(let value):
            return StoredDatabase(
                hash: value,
                database: discovered,
                longestValues: longestValues,
                formats: formats
            )
        }
    }

    private mutating func forgetAll() {
        discovered = DiscoveredDatabase()
        longestValues = [:]
        formats = [:]
        promise = .unknown
    }
}
