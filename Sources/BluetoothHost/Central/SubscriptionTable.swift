// SPDX-License-Identifier: MIT

import Bluetooth

/// The characteristics that each observer has subscribed to, their present handles, and the subscriptions at the
/// device.
///
/// Observers may change their subscriptions at any time; the device's subscriptions change by requests, one at a time,
/// each of which may be abandoned midway. The table therefore holds both, and `ObservationLifecycle` makes the device
/// agree with the observers. Two selectors may name the same characteristic, and a device has one subscription per
/// client for each: a subscription is therefore identified by the handle of its descriptor. An observer that only
/// listens has no descriptor, because the characteristic has none, or the device refuses the write to it.
struct SubscriptionTable: Sendable {
    typealias ObserverID = Int

    /// The client itself, which follows changes of the database. It is not counted among the observers.
    static let ourselves: ObserverID = 0

    /// The handles of a characteristic, and how it is subscribed to.
    struct Place: Hashable, Sendable {
        let value: Handle
        /// `nil` for a characteristic that is only listened to.
        let configuration: Handle?
        let kind: ClientConfiguration
    }

    struct Entry: Hashable, Sendable {
        let observer: ObserverID
        let selector: CharacteristicSelector
        /// Whether the observer listens if the values cannot be switched on.
        let mayListen: Bool
        /// `nil` until it was found on the present link.
        fileprivate(set) var place: Place?
        /// Whether the place is the present one. Until it was found again, values still come from the old one.
        fileprivate(set) var isFound: Bool
        /// Whether the call that subscribed has returned. An error before that is thrown by the call, a later one is an
        /// event.
        fileprivate(set) var isEstablished = false
    }

    private enum Switch: Hashable, Sendable {
        case on(ClientConfiguration)
        /// The write has no answer yet, or was abandoned.
        case unclear
    }

    /// In the order of the subscriptions.
    private(set) var entries: [Entry] = []
    private var switches: [Handle: Switch] = [:]

    // MARK: - Wishes of the observers

    /// Adds a characteristic that an observer wants. Its place has to be found unless it is known.
    ///
    /// - Parameter mayListen: Whether the observer listens if the values cannot be switched on.
    mutating func add(
        _ observer: ObserverID,
        _ selector: CharacteristicSelector,
        mayListen: Bool = false,
        at place: Place? = nil
    ) {
        // An unfinished subscription of the same name is replaced, so that there is one entry for each name.
        remove(observer, selector)
        entries.append(
            Entry(
                observer: observer,
                selector: selector,
                mayListen: mayListen,
                place: place,
                isFound: place != nil
            )
        )
    }

    /// The subscription of an observer is complete. Returns `false` if it was removed meanwhile.
    mutating func establish(_ observer: ObserverID, _ selector: CharacteristicSelector) -> Bool {
        guard let index = index(of: selector, for: observer) else { return false }
        entries[index].isEstablished = true
        return true
    }

    func isEstablished(_ observer: ObserverID, _ selector: CharacteristicSelector) -> Bool {
        index(of: selector, for: observer).map { entries[$0].isEstablished } ?? false
    }

    mutating func remove(_ observer: ObserverID, _ selector: CharacteristicSelector) {
        entries.removeAll { $0.observer == observer && $0.selector == selector }
    }

    mutating func remove(_ observer: ObserverID) {
        entries.removeAll { $0.observer == observer }
    }

    /// The observers with a complete subscription.
    var observers: [ObserverID] {
        Set(entries.filter(\.isEstablished).map(\.observer)).subtracting([Self.ourselves]).sorted()
    }

    func observers(of selector: CharacteristicSelector) -> [ObserverID] {
        entries.filter { $0.selector == selector }.map(\.observer)
    }

    /// The handles whose values an observer gets, each with the first name by which it has subscribed.
    func names(for observer: ObserverID) -> [Handle: CharacteristicSelector] {
        let named = entries.compactMap { entry in
            entry.observer == observer ? entry.place.map { ($0.value, entry.selector) } : nil
        }
        return Dictionary(named) { first, _ in first }
    }

    private func index(of selector: CharacteristicSelector, for observer: ObserverID) -> Int? {
        entries.firstIndex { $0.observer == observer && $0.selector == selector }
    }

    // MARK: - Where it is

    /// The wishes whose characteristics have to be found.
    var unfound: [Entry] { entries.filter { !$0.isFound } }

    /// The place of an observer's characteristic; `nil` until it was found.
    func place(of selector: CharacteristicSelector, for observer: ObserverID) -> Place? {
        index(of: selector, for: observer).flatMap { entries[$0].place }
    }

    mutating func found(_ selector: CharacteristicSelector, at place: Place) {
        for index in entries.indices where entries[index].selector == selector {
            entries[index].place = place
            entries[index].isFound = true
        }
    }

    /// The values at a place cannot be switched on: those that may only listen to them, of one observer or of all. Returns
    /// whether there are any.
    mutating func listen(at place: Place, only observer: ObserverID?) -> Bool {
        let listeners = entries.indices.filter {
            entries[$0].place == place && entries[$0].mayListen
                && (observer ?? entries[$0].observer) == entries[$0].observer
        }
        for index in listeners {
            entries[index].place = Place(value: place.value, configuration: nil, kind: place.kind)
        }
        return !listeners.isEmpty
    }

    /// The link has ended: nothing is switched on, everything has to be found again, and incomplete subscriptions have
    /// failed.
    mutating func linkEnded() {
        switches = [:]
        // The client subscribes to changes of the database again on each link, after a while.
        entries.removeAll { $0.observer == Self.ourselves || !$0.isEstablished }
        for index in entries.indices {
            entries[index].place = nil
            entries[index].isFound = false
        }
    }

    /// The handles of a range may belong to other attributes now: everything has to be found again, and nothing is
    /// known to be switched on in the range.
    mutating func changed(in range: HandleRange) {
        switches = switches.filter { !range.contains($0.key) }
        for index in entries.indices { entries[index].isFound = false }
    }

    // MARK: - State of the device

    /// The places to switch on, each once.
    var missing: [Place] {
        var seen: Set<Handle> = []
        return entries.compactMap(\.place).filter { place in
            guard let configuration = place.configuration else { return false }
            return !isOn(place) && seen.insert(configuration).inserted
        }
    }

    /// The descriptors that are, or may be, switched on without a subscription of an observer.
    var unwanted: [Handle] {
        let wanted = Set(entries.compactMap { $0.place?.configuration })
        // The order of a dictionary is random, and a simulation has to send the same requests in every run.
        return switches.keys.filter { !wanted.contains($0) }.sorted()
    }

    /// Whether a characteristic is switched on, as far as it can be.
    func isOn(_ place: Place) -> Bool {
        guard let configuration = place.configuration else { return true }
        return switches[configuration] == .on(place.kind)
    }

    /// A descriptor is about to be written.
    mutating func markUnclear(_ configuration: Handle) { switches[configuration] = .unclear }

    /// The device has accepted the write.
    mutating func markOn(_ configuration: Handle, _ kind: ClientConfiguration) { switches[configuration] = .on(kind) }

    /// The descriptor is off, or the device will not change it.
    mutating func markOff(_ configuration: Handle) { switches[configuration] = nil }
}
