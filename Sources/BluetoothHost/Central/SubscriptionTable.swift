// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Who observes what on a device, where that stands at present, and what is switched on there.
///
/// What is wanted changes at any moment; what is switched on changes by requests, one after the other, each of which may be
/// given up half-way. So both are kept, and whoever has the turn makes the one like the other. Two names may mean the same
/// characteristic, and a device has one subscription of us for each: what is switched on is told by the handle of the
/// descriptor that is written.
struct SubscriptionTable: Sendable {
    /// Names an observer.
    typealias ObserverID = Int

    /// Nobody from outside: it is for ourselves that we want to know when the database changes.
    static let ourselves: ObserverID = 0

    /// Where a characteristic stands, and how it is subscribed to.
    struct Place: Hashable, Sendable {
        let value: Handle
        let configuration: Handle
        let kind: ClientConfiguration
    }

    /// What one observer wants.
    struct Entry: Hashable, Sendable {
        let observer: ObserverID
        let selector: CharacteristicSelector
        /// `nil` while there is no link, or it was not found yet.
        var place: Place?
        /// Whether the observer was told that it is subscribed. What goes wrong before that is told by the call.
        var isEstablished = false
    }

    private enum Switch: Hashable, Sendable {
        case on(ClientConfiguration)
        /// It is being written, or that was given up half-way.
        case unclear
    }

    /// In the order in which it was asked for.
    private(set) var entries: [Entry] = []
    private var switches: [Handle: Switch] = [:]

    // MARK: - What is wanted

    /// An observer wants a characteristic that was found at a place; at none, where there is no link any more.
    mutating func add(_ observer: ObserverID, _ selector: CharacteristicSelector, at place: Place?) {
        entries.removeAll { $0.observer == observer && $0.selector == selector }
        entries.append(Entry(observer: observer, selector: selector, place: place))
    }

    /// What an observer wants is switched on. `false`: it does not want it any more.
    mutating func establish(_ observer: ObserverID, _ selector: CharacteristicSelector) -> Bool {
        guard let index = entries.firstIndex(where: { $0.observer == observer && $0.selector == selector }) else {
            return false
        }
        entries[index].isEstablished = true
        return true
    }

    /// Whether an observer has a characteristic already.
    func isEstablished(_ observer: ObserverID, _ selector: CharacteristicSelector) -> Bool {
        entries.contains { $0.observer == observer && $0.selector == selector && $0.isEstablished }
    }

    /// What an observer wanted could not be had.
    mutating func remove(_ observer: ObserverID, _ selector: CharacteristicSelector) {
        entries.removeAll { $0.observer == observer && $0.selector == selector }
    }

    /// An observer goes.
    mutating func remove(_ observer: ObserverID) {
        entries.removeAll { $0.observer == observer }
    }

    /// Who has something, not counting ourselves.
    var observers: [ObserverID] {
        Set(entries.filter(\.isEstablished).map(\.observer)).subtracting([Self.ourselves]).sorted()
    }

    /// What is wanted, each once.
    var selectors: [CharacteristicSelector] {
        var seen: Set<CharacteristicSelector> = []
        return entries.map(\.selector).filter { seen.insert($0).inserted }
    }

    /// Who wants a characteristic under that name.
    func observers(of selector: CharacteristicSelector) -> [ObserverID] {
        entries.filter { $0.selector == selector }.map(\.observer)
    }

    /// The handles whose values an observer gets, each under the first name that it has for it.
    func names(for observer: ObserverID) -> [Handle: CharacteristicSelector] {
        let named = entries.compactMap { entry in
            entry.observer == observer ? entry.place.map { ($0.value, entry.selector) } : nil
        }
        return Dictionary(named) { first, _ in first }
    }

    // MARK: - Where it stands

    /// A characteristic was found.
    mutating func found(_ selector: CharacteristicSelector, at place: Place) {
        for index in entries.indices where entries[index].selector == selector { entries[index].place = place }
    }

    /// There is no link any more: nothing is switched on, and everything has to be found anew.
    mutating func linkEnded() {
        switches = [:]
        entries.removeAll { $0.observer == Self.ourselves || !$0.isEstablished }
        for index in entries.indices { entries[index].place = nil }
    }

    /// Handles of a range may mean something else now: nothing is switched on there, as far as we know.
    mutating func changed(in range: HandleRange) {
        switches = switches.filter { !range.contains($0.key) }
    }

    // MARK: - What is switched on

    /// What has to be switched on, each once.
    var missing: [Place] {
        var seen: Set<Handle> = []
        return entries.compactMap(\.place).filter { !isOn($0) && seen.insert($0.configuration).inserted }
    }

    /// The descriptors of what is switched on, or may be, and wanted by nobody.
    var unwanted: [Handle] {
        let wanted = Set(entries.compactMap(\.place?.configuration))
        return switches.keys.filter { !wanted.contains($0) }.sorted()
    }

    /// Whether a characteristic is switched on.
    func isOn(_ place: Place) -> Bool { switches[place.configuration] == .on(place.kind) }

    /// A descriptor is about to be written.
    mutating func isUnclear(_ configuration: Handle) { switches[configuration] = .unclear }

    /// The device has taken what was written.
    mutating func isOn(_ configuration: Handle, _ kind: ClientConfiguration) { switches[configuration] = .on(kind) }

    /// It is off: the device has said so, or will not do anything about it.
    mutating func isOff(_ configuration: Handle) { switches[configuration] = nil }
}
