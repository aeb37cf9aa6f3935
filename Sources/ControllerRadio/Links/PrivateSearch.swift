// SPDX-License-Identifier: MIT

import Bluetooth

/// Finds devices that are wanted by their identity, and are on the air with private addresses that change.
///
/// A controller with a resolving list could do that itself, but not each has one, and its list cannot be changed while it
/// listens. So this host listens, and resolves what it hears by the keys of bonds. A device that was heard a moment ago
/// is connected to at once.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.3.2.3; Vol 3, Part C, 10.7.2
struct PrivateSearch: Sendable {
    enum Action: Hashable, Sendable {
        /// Listen for advertisers, or do so no longer.
        case listen(Bool)
        case connect(AttemptID, DeviceAddress)
        /// Connect by the former address no longer.
        case abandon(AttemptID)
    }

    private struct Attempt: Sendable {
        let identity: DeviceAddress
        /// The address by which the device is connected to; `nil` while it is listened for.
        var address: DeviceAddress?
        /// When the device is listened for again, because it may have another address.
        var until: Instant
    }

    /// How long an address is believed that was heard. A device has one for minutes.
    static let freshness = Duration.seconds(30)
    /// How long a device is tried by one address.
    static let patience = Duration.seconds(3)

    private var resolver = IdentityResolver([])
    private var identities: [DeviceIdentity] = []
    private var heard: [DeviceAddress: (address: DeviceAddress, at: Instant)] = [:]
    private var attempts: [AttemptID: Attempt] = [:]
    private var isListening = false

    var attemptIDs: [AttemptID] { Array(attempts.keys) }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? { attempts.values.lazy.map(\.until).min() }

    /// Whether a device has private addresses that can be resolved.
    func isPrivate(_ device: DeviceAddress, among identities: [DeviceIdentity]) -> Bool {
        identities.contains { $0.address == device && $0.key != .zero }
    }

    /// Begins an attempt to connect to a device by its identity.
    mutating func connect(_ id: AttemptID, to identity: DeviceAddress, now: Instant) -> [Action] {
        var attempt = Attempt(identity: identity, until: now + Self.patience)
        if let last = heard[identity], now < last.at + Self.freshness { attempt.address = last.address }
        attempts[id] = attempt
        return adapt() + (attempt.address.map { [.connect(id, $0)] } ?? [])
    }

    mutating func ended(_ id: AttemptID) -> [Action] {
        guard attempts.removeValue(forKey: id) != nil else { return [] }
        return adapt()
    }

    /// An advertiser was heard that can be connected to.
    mutating func heard(_ address: DeviceAddress, knowing known: [DeviceIdentity], now: Instant) -> [Action] {
        if known != identities {
            identities = known
            resolver = IdentityResolver(known)
            heard = heard.filter { last in known.contains { $0.address == last.key } }
        }
        let address = DeviceAddress(address.address, address.type.connectionType)
        let own = isPrivate(address, among: known) ? address : nil
        guard let identity = own ?? resolver.identity(of: address)?.address else { return [] }
        heard[identity] = (address, now)
        var changes: [Action] = []
        for (id, attempt) in attempts.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where attempt.identity == identity && attempt.address != address {
            if attempt.address != nil { changes.append(.abandon(id)) }
            attempts[id]?.address = address
            attempts[id]?.until = now + Self.patience
            changes.append(.connect(id, address))
        }
        // Some controllers connect only while they do not listen.
        return adapt() + changes
    }

    /// Looks anew for devices that do not answer by the address that they were heard with.
    mutating func timerFired(now: Instant) -> [Action] {
        var changes: [Action] = []
        for (id, attempt) in attempts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where attempt.until <= now {
            attempts[id]?.until = now + Self.patience
            guard attempt.address != nil else { continue }
            heard[attempt.identity] = nil
            attempts[id]?.address = nil
            changes.append(.abandon(id))
        }
        guard !changes.isEmpty || isListening else { return [] }
        // Said again, because a program that has listened as well may have stopped.
        isListening = false
        return changes + adapt()
    }

    private mutating func adapt() -> [Action] {
        let mustListen = attempts.values.contains { $0.address == nil }
        guard mustListen != isListening else { return [] }
        isListening = mustListen
        return [.listen(mustListen)]
    }
}
