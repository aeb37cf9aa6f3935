// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// What is known of a device's database, and whether it may be used: only where it was found on the present link, or the
/// device has confirmed by its Database Hash that it is the same still.
///
/// What is to be kept is discovered after the hash was read: a change in between then shows as another hash, the next time.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2 and 7.3
struct DatabaseKnowledge: Sendable {
    /// What is known of the device's hash.
    enum Hash: Hashable, Sendable {
        /// It was not asked for, or it may have changed since.
        case unknown
        /// The device has none.
        case absent
        case value([UInt8])
    }

    /// How much a question is worth.
    enum Price: Sendable {
        /// It costs one request or two to find out anew: less than, or as much as, to ask whether what is kept holds.
        case cheap
        /// It is worth to be kept, and to be looked for among what is kept.
        case usual
    }

    /// What has to be done before a question is put.
    enum Check: Sendable {
        /// Nothing.
        case none
        /// Read the hash, and tell it by `learned(hash:)`.
        case readHash
    }

    private(set) var discovered = DiscoveredDatabase()
    private(set) var hash = Hash.unknown
    /// Whether what is known holds on the present link.
    private(set) var isCurrent = true
    /// Whether something was discovered while the hash was not known: that is not kept.
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
        isCurrent = false
    }

    /// There is a new link: the device may be another one than it was.
    mutating func linkChanged() {
        isCurrent = false
        isMixed = false
    }

    /// What to do before a question is put.
    ///
    /// - Parameter isAnswered: Whether what is known answers it, if that still holds.
    mutating func check(_ price: Price, isAnswered: (DiscoveredDatabase) -> Bool) -> Check {
        if !isCurrent {
            switch hash {
            case .value where !discovered.isEmpty && (price == .usual || isAnswered(discovered)): return .readHash
            case .value: hash = .unknown
            case .unknown, .absent: break
            }
            forgetAll()
            isCurrent = true
        }
        guard price == .usual, isKept, hash == .unknown, !isMixed else { return .none }
        return .readHash
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

    /// What a step of discovery has brought.
    mutating func learn(_ finding: DiscoveryFinding, from step: DiscoveryStep) {
        discovered.learn(finding, from: step)
        if hash == .unknown { isMixed = true }
    }

    /// A value came by itself. Some devices send more than a value can have.
    mutating func received(_ length: Int, at handle: Handle) {
        longestValues[handle] = max(min(length, GATTLimits.maximumValueLength), longestValues[handle] ?? 0)
    }

    /// The device says that its database has changed in a range.
    mutating func changed(in range: HandleRange) {
        changeCount += 1
        discovered.forget(range)
        longestValues = longestValues.filter { !range.contains($0.key) }
        // What is left holds, and will be kept under the new hash; not so what was found without any.
        if hash == .absent, !discovered.isEmpty { isMixed = true }
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
        case .absent: new = StoredDatabase(hash: nil)
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
    }
}
