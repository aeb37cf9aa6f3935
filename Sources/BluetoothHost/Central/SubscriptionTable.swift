// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Who observes what on a device, and where that stands at present.
///
/// Two ways to name a characteristic may mean the same one, and a device has one subscription of us for each: it is counted
/// by the descriptor that is written.
struct SubscriptionTable: Sendable {
    /// Names an observer.
    typealias ObserverID = Int

    /// Where a characteristic stands, and how it is subscribed to.
    struct Place: Hashable, Sendable {
        let value: Handle
        let configuration: Handle
        let kind: ClientConfiguration
    }

    /// What one observer wants.
    struct Entry: Sendable {
        let observer: ObserverID
        let selector: CharacteristicSelector
        /// `nil` while there is no link, or it was not found yet.
        var place: Place?
    }

    private(set) var entries: [Entry] = []

    /// What has to be written before the observer gets values; `nil` where that was done for somebody else.
    mutating func add(_ observer: ObserverID, _ selector: CharacteristicSelector, at place: Place) -> Place? {
        let isNew = !isSubscribed(place)
        entries.removeAll { $0.observer == observer && $0.selector == selector }
        entries.append(Entry(observer: observer, selector: selector, place: place))
        return isNew ? place : nil
    }

    /// Takes back what `add` did; what has to be written.
    mutating func remove(_ observer: ObserverID, _ selector: CharacteristicSelector) -> [Place] {
        remove { $0.observer == observer && $0.selector == selector }
    }

    /// An observer goes; what has to be written so that the device sends no more than somebody wants.
    mutating func remove(_ observer: ObserverID) -> [Place] {
        remove { $0.observer == observer }
    }

    /// There is no link any more, or the handles mean something else: everything has to be found anew.
    mutating func forgetPlaces() {
        for index in entries.indices { entries[index].place = nil }
    }

    /// Where everything stands that was found.
    var places: [CharacteristicSelector: Place] {
        Dictionary(entries.compactMap { entry in entry.place.map { (entry.selector, $0) } }) { first, _ in first }
    }

    /// What is wanted, each once, in the order in which it was asked for.
    var selectors: [CharacteristicSelector] {
        var seen: Set<CharacteristicSelector> = []
        return entries.map(\.selector).filter { seen.insert($0).inserted }
    }

    /// A characteristic was found again; what has to be written.
    mutating func found(_ selector: CharacteristicSelector, at place: Place) -> Place? {
        let isNew = !isSubscribed(place)
        for index in entries.indices where entries[index].selector == selector { entries[index].place = place }
        return isNew ? place : nil
    }

    /// Who observes a characteristic under that name.
    func observers(of selector: CharacteristicSelector) -> [ObserverID] {
        entries.filter { $0.selector == selector }.map(\.observer)
    }

    private func isSubscribed(_ place: Place) -> Bool {
        entries.contains { $0.place?.configuration == place.configuration }
    }

    private mutating func remove(_ isGone: (Entry) -> Bool) -> [Place] {
        let gone = entries.filter(isGone).compactMap(\.place)
        entries.removeAll(where: isGone)
        var written: Set<Handle> = []
        return gone.filter { !isSubscribed($0) && written.insert($0.configuration).inserted }
    }
}
