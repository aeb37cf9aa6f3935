// SPDX-License-Identifier: MIT

import Bluetooth

/// Decides the next step that brings the device's subscriptions into agreement with the wishes of the observers.
///
/// `SubscriptionTable` holds the wishes, their places, and the subscriptions of the device. This machine adds the link,
/// the observers and the routes from handles to observers, and compares them: `nextStep` is the first difference that
/// one action removes. The owner carries out one pass at a time, step by step, and reports the result of each step.
/// Between two steps anything may happen: an observer leaves, the link ends, another link takes its place. So each
/// result names its link, and the results of an earlier link are ignored.
struct ObservationLifecycle<Link: AnyObject & Sendable>: Sendable {
    typealias ObserverID = SubscriptionTable.ObserverID
    /// Where a characteristic is in the present database.
    typealias Place = SubscriptionTable.Place

    /// A connection from the values of a handle to an observer, and the name under which the observer sees them.
    struct Route: Hashable, Sendable {
        let observer: ObserverID
        let handle: Handle
        let selector: CharacteristicSelector
    }

    /// The differences to remove.
    enum Pass: Hashable, Sendable {
        /// Finds one characteristic for one observer, and switches it on.
        case subscription(ObserverID, CharacteristicSelector)
        /// Finds everything again that is wanted, and switches it on.
        case everything
        /// Makes the routes agree with the subscriptions.
        case routes
        /// Also switches off unwanted values.
        case withdrawal
    }

    enum Step: Hashable, Sendable {
        /// Find a characteristic, and report `found`. If it cannot be observed at all, report `observersEnded`.
        case find(CharacteristicSelector)
        /// Stop the values of a route, which has this number on the link.
        case endRoute(Int)
        /// Start the values of a route, and report `routeBegan`.
        case beginRoute(Route)
        /// Write the descriptor of the place, between `writing` and `switchedOn` or `switchOnRefused`. After the last one the pass
        /// is complete, even if the link has ended in the meantime.
        case switchOn(Place, isLast: Bool)
        /// Write the descriptor, between `writing` and `switchedOff`.
        case switchOff(Handle)
    }

    /// The result of a subscription whose pass was carried out.
    enum Subscribed: Hashable, Sendable {
        case established
        case observerEnded
        /// The device has accepted the subscription, and the link has ended before this was known. The observer has
        /// lost its link like any other.
        case linkEnded
    }

    /// The link on which things are found and switched on.
    private(set) var link: Link?
    /// The subscriptions: what observers want, where it is, and what is switched on.
    private(set) var table = SubscriptionTable()
    /// The observers that were added and have not ended.
    private(set) var observers: Set<ObserverID> = []
    private var lastObserver = SubscriptionTable.ourselves
    private var routes: [(route: Route, number: Int)] = []
    /// Whether the device was asked, or is about to be asked, for news of its database on this link.
    private var isAskingForChanges = false

    /// The observers that have been subscribed to something.
    var subscribedObservers: [ObserverID] { table.observers }

    // MARK: - Observers

    mutating func observerAdded() -> ObserverID {
        lastObserver += 1
        observers.insert(lastObserver)
        return lastObserver
    }

    /// Observers have ended. Their routes and subscriptions are withdrawn by the next pass.
    mutating func observersEnded(_ ended: [ObserverID]) {
        for observer in ended {
            observers.remove(observer)
            table.remove(observer)
        }
    }

    /// Whether an observer, or the client itself, is there.
    func isPresent(_ observer: ObserverID) -> Bool {
        observer == SubscriptionTable.ourselves || observers.contains(observer)
    }

    /// Whether there are no observers, so that neither a link nor indications of changes are needed for them.
    var isIdle: Bool { table.observers.isEmpty }

    // MARK: - Links

    /// There is another link. The earlier one has to be reported as ended first.
    mutating func linkBegan(_ new: Link) {
        link = new
    }

    /// A link has ended. Returns the observers that lost subscriptions; `nil` if it was not the present link.
    mutating func linkEnded(_ ended: Link) -> [ObserverID]? {
        // A late report about an earlier link must not end the present one.
        guard link === ended else { return nil }
        link = nil
        routes = []
        isAskingForChanges = false
        table.linkEnded()
        return table.observers
    }

    // MARK: - Subscriptions

    /// An observer subscribes to a characteristic. Returns `false` if it has done so before.
    ///
    /// - Parameter mayListen: Whether it listens if the values cannot be switched on.
    mutating func wanted(
        _ selector: CharacteristicSelector,
        by observer: ObserverID,
        mayListen: Bool = false
    ) -> Bool {
        guard !table.isEstablished(observer, selector) else { return false }
        table.add(observer, selector, mayListen: mayListen)
        return true
    }

    /// The pass of a subscription ended without an error.
    mutating func subscribed(
        _ observer: ObserverID,
        to selector: CharacteristicSelector,
        mayListen: Bool = false
    ) -> Subscribed {
        if table.establish(observer, selector) { return .established }
        guard observers.contains(observer) else { return .observerEnded }
        // The wish was forgotten with the link; the observer keeps it for the next one.
        table.add(observer, selector, mayListen: mayListen)
        _ = table.establish(observer, selector)
        return .linkEnded
    }

    /// The pass of a subscription failed. The next `withdrawal` switches off what the pass may have switched on, except
    /// the client's own subscription to changes of the database, which does no harm.
    mutating func subscriptionFailed(_ observer: ObserverID, to selector: CharacteristicSelector) {
        if observer == SubscriptionTable.ourselves,
            let configuration = table.place(of: selector, for: observer)?.configuration
        {
            table.markOff(configuration)
        }
        table.remove(observer, selector)
    }

    /// The device said that its database has changed in a range: everything has to be found again, and nothing in that
    /// range is switched on.
    mutating func databaseChanged(in range: HandleRange) {
        table.changed(in: range)
    }

    // MARK: - Steps

    /// The first difference that the pass has to remove; `nil` if there is none.
    mutating func nextStep(of pass: Pass) -> Step? {
        if let selector = table.unfound.first(where: { pass.concerns($0.observer, $0.selector) })?.selector {
            return .find(selector)
        }
        // All obsolete routes end before a new one begins: values of one characteristic are not taken for those of
        // another.
        let wanted = wantedRoutes
        if let index = routes.firstIndex(where: { !wanted.contains($0.route) }) {
            return .endRoute(routes.remove(at: index).number)
        }
        if let route = wanted.first(where: { route in !routes.contains { $0.route == route } }) {
            return .beginRoute(route)
        }
        switch pass {
        case .subscription(let observer, let selector):
            // The place is missing if the observer has ended since the last step.
            guard let place = table.place(of: selector, for: observer), !table.isOn(place) else { return nil }
            // Written last, when the values have a way to the observer.
            return .switchOn(place, isLast: true)
        case .everything:
            let missing = table.missing
            return missing.first.map { .switchOn($0, isLast: missing.count == 1) }
        case .routes:
            return nil
        case .withdrawal:
            return table.unwanted.first.map { .switchOff($0) }
        }
    }

    /// The routes that the wishes need, in an order that does not depend on hashing.
    private var wantedRoutes: [Route] {
        observers.sorted().flatMap { observer in
            table.names(for: observer).sorted { $0.key < $1.key }
                .map { Route(observer: observer, handle: $0.key, selector: $0.value) }
        }
    }

    mutating func found(_ selector: CharacteristicSelector, at place: Place, on link: Link) {
        guard self.link === link else { return }
        table.found(selector, at: place)
    }

    /// The observers that want a characteristic under that name.
    func observers(of selector: CharacteristicSelector) -> [ObserverID] { table.observers(of: selector) }

    func observers(at place: Place) -> [ObserverID] {
        table.entries.filter { $0.place == place }.map(\.observer)
    }

    /// A route has begun under a number. Returns `false` if it is of no use any more and has to be ended.
    mutating func routeBegan(_ route: Route, number: Int, on link: Link) -> Bool {
        // The link or the observer may have ended while the owner waited for the connection.
        guard self.link === link, observers.contains(route.observer) else { return false }
        routes.append((route, number))
        return true
    }

    /// A descriptor is about to be written; until the answer its value is unknown.
    mutating func writing(_ configuration: Handle) {
        table.markUnclear(configuration)
    }

    mutating func switchedOn(_ place: Place, on link: Link) {
        if self.link === link, let configuration = place.configuration { table.markOn(configuration, place.kind) }
    }

    /// The device has refused to switch on what is at a place.
    mutating func switchOnRefused(_ place: Place, on link: Link) {
        if self.link === link, let configuration = place.configuration { table.markOff(configuration) }
    }

    /// After such a refusal, those observers of the pass listen that may. Returns whether there are any.
    mutating func listen(at place: Place, in pass: Pass, on link: Link) -> Bool {
        guard self.link === link else { return false }
        if case .subscription(let observer, _) = pass { return table.listen(at: place, only: observer) }
        return table.listen(at: place, only: nil)
    }

    /// Whether all that want a characteristic under that name, or in the pass the one that does, may only listen to it.
    func mayListen(to selector: CharacteristicSelector, in pass: Pass) -> Bool {
        let wanting = table.entries.filter { $0.selector == selector && pass.concerns($0.observer, $0.selector) }
        return !wanting.isEmpty && wanting.allSatisfy(\.mayListen)
    }

    /// The device has switched something off, or has refused that and will not be asked again.
    mutating func switchedOff(_ configuration: Handle, on link: Link) {
        if self.link === link { table.markOff(configuration) }
    }

    // MARK: - News of the database

    /// Something is observed. Returns the link on which to subscribe, after a while, to changes of the device's
    /// database; `nil` if that was done or is not needed.
    mutating func claimChangesRequest() -> Link? {
        guard !isAskingForChanges, !isIdle, let link else { return nil }
        isAskingForChanges = true
        return link
    }

    /// Nothing is observed any more: the subscription to changes is not needed, unless it was made already.
    mutating func abandonChanges() {
        isAskingForChanges = false
    }

    /// Whether an indication is Service Changed; `nil` if only the device can tell.
    ///
    /// - Parameter isKnown: Whether Service Changed is known to be at the handle.
    func isServiceChanged(_ handle: Handle, isKnown: Bool) -> Bool? {
        if isKnown { return true }
        let others = table.entries.filter { $0.isEstablished || $0.place != nil }
        // Nothing was switched on, so only the indication that the server itself requires can arrive.
        guard !others.isEmpty else { return true }
        return others.contains { $0.place?.value == handle } ? false : nil
    }
}

extension ObservationLifecycle.Pass {
    fileprivate func concerns(_ observer: SubscriptionTable.ObserverID, _ selector: CharacteristicSelector) -> Bool {
        switch self {
        case .subscription(observer, selector), .everything: true
        case .subscription, .routes, .withdrawal: false
        }
    }
}
