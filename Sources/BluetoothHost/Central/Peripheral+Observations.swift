// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

// Values that the device sends by itself: who wants what, and what is switched on, is the business of `SubscriptionTable`;
// here the device is made like it, by one piece of work at a time. Whoever comes back from waiting looks first whether the
// link is still the one on which it has begun.
extension Peripheral {
    /// An observer that sees nothing yet.
    public func observation(limit: Int = Observation.defaultLimit) -> Observation {
        lastObserver += 1
        let queue = ObservationQueue(limit: limit)
        observers[lastObserver] = queue
        return Observation(id: lastObserver, queue: queue, peripheral: self)
    }

    // MARK: - Subscribing

    /// Who wants a lost link back wants it from the beginning: then a loss is a failed attempt, and tried again like one.
    func subscribe(_ observer: SubscriptionTable.ObserverID, to selector: CharacteristicSelector) async throws {
        var attempt = 0
        while true {
            do {
                try await subscribing.withLock {
                    try await onLink { link in try await subscribe(observer, to: selector, on: link) }
                }
                return expectServiceChanged()
            } catch {
                guard configuration.reconnection != nil, let loss = loss(error) else { throw error }
                attempt += 1
                guard let pause = configuration.retries.pause(afterAttempt: attempt, failedWith: loss) else {
                    throw error
                }
                configuration.onRetry(attempt, loss, pause)
                try await time.sleep(for: pause)
            }
        }
    }

    /// The error of the radio, where an attempt may follow: to connect has attempts of its own, unless that is being made
    /// again for others.
    private func loss(_ error: any Error) -> RadioError? {
        if let error = error as? ConnectFailure { return reconnecting == nil ? nil : error.error }
        return error as? RadioError
    }

    private func subscribe(
        _ observer: SubscriptionTable.ObserverID,
        to selector: CharacteristicSelector,
        on link: ATTConnection
    ) async throws {
        await watch(link)
        try checkObserver(observer)
        guard !subscriptions.isEstablished(observer, selector) else { return }
        do {
            try await take(selector, for: observer, on: link)
        } catch let error as GATTError where error.meansAnotherDatabase {
            await database.changed(in: .all)
            try await databaseChanged(in: .all, on: link)
            try await take(selector, for: observer, on: link)
        }
    }

    /// From now on the observer gets the values, before they are switched on: some devices send the first one together with
    /// the answer to that.
    private func take(
        _ selector: CharacteristicSelector,
        for observer: SubscriptionTable.ObserverID,
        on link: ATTConnection
    ) async throws {
        let place = try await find(selector, on: link)
        try check(link)
        try checkObserver(observer)
        subscriptions.add(observer, selector, at: place)
        do {
            await route(on: link)
            try await switchOn(place, on: link)
            guard !subscriptions.establish(observer, selector) else { return }
            try checkObserver(observer)
            // The device has taken it, and then the link was lost: that is a loss like any other.
            subscriptions.add(observer, selector, at: nil)
            _ = subscriptions.establish(observer, selector)
            lost(link.end ?? RadioError(.linkLost(nil), during: "connection to \(address.address)"), by: [observer])
        } catch {
            subscriptions.remove(observer, selector)
            await route(on: link)
            // What was given up half-way is undone when nobody waits for it any more.
            scope.spawn { await self.tidyUp(link) }
            throw error
        }
    }

    /// Throws where an observation has ended.
    private func checkObserver(_ observer: SubscriptionTable.ObserverID) throws {
        guard observer == SubscriptionTable.ourselves || observers[observer] != nil else { throw Self.endOfObservation }
    }

    static let endOfObservation = RadioError(.closedLocally, during: "observation")

    /// Finds a characteristic and the descriptor that switches its values on.
    func find(_ selector: CharacteristicSelector, on link: ATTConnection) async throws -> SubscriptionTable.Place {
        let definition = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristic(selector)
        }.get()
        let kind: ClientConfiguration
        if definition.properties.contains(.notify) {
            kind = .notification
        } else if definition.properties.contains(.indicate) {
            kind = .indication
        } else {
            throw NotObservable(properties: definition.properties)
        }
        let descriptor = DescriptorSelector(.clientCharacteristicConfiguration, of: .handle(definition.valueHandle))
        let configuration = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.descriptor(descriptor)
        }.get()
        return SubscriptionTable.Place(value: definition.valueHandle, configuration: configuration.handle, kind: kind)
    }

    /// Switches values on, unless they are. They are cut to the MTU: a larger one first, unless they are known to be short.
    func switchOn(_ place: SubscriptionTable.Place, on link: ATTConnection) async throws {
        guard !subscriptions.isOn(place) else { return }
        if await !database.isKnownToBeShort(place.value) { try await link.exchangeMTU() }
        try check(link)
        subscriptions.isUnclear(place.configuration)
        do {
            try await link.perform(WriteValue(place.kind, toDescriptor: place.configuration))
        } catch let error as GATTError {
            if watched === link { subscriptions.isOff(place.configuration) }
            throw error
        }
        if watched === link { subscriptions.isOn(place.configuration, place.kind) }
    }

    /// Switches off what nobody wants. A device that refuses that is not asked again.
    func switchOff(on link: ATTConnection) async throws {
        for configuration in subscriptions.unwanted {
            try check(link)
            subscriptions.isUnclear(configuration)
            do {
                try await link.perform(WriteValue([], toDescriptor: configuration))
            } catch is GATTError {
                // It sends on, to nobody.
            }
            try check(link)
            subscriptions.isOff(configuration)
        }
    }

    // MARK: - Ending

    func endObservation(_ observer: SubscriptionTable.ObserverID) async {
        observers.removeValue(forKey: observer)?.finish(Self.endOfObservation)
        subscriptions.remove(observer)
        if subscriptions.observers.isEmpty { expectNothing() }
        guard let link = watched else { return }
        // It is done to its end, also where the caller is cancelled.
        let work = SharedOperation(in: scope) { await self.tidyUp(link) }
        try? await work.value()
    }

    /// Takes back what nobody wants any more.
    private func tidyUp(_ link: ATTConnection) async {
        // Where the link has ended there is nothing to take back.
        try? await subscribing.withLock {
            try check(link)
            await route(on: link)
            try await switchOff(on: link)
        }
    }

    // MARK: - Values

    /// Where the present link hands the values of a handle to an observer, and what they are called there.
    struct Route: Sendable {
        let selector: CharacteristicSelector
        let id: ATTConnection.ObserverID
    }

    /// Makes the routes as the table wants them.
    func route(on link: ATTConnection) async {
        for observer in Set(routes.keys).union(observers.keys).sorted() {
            let names = observers[observer] == nil ? [:] : subscriptions.names(for: observer)
            for handle in routes[observer, default: [:]].keys.sorted() {
                guard watched === link, let old = routes[observer]?[handle], old.selector != names[handle] else {
                    continue
                }
                routes[observer]?[handle] = nil
                await link.stopObserving(old.id)
            }
            for (handle, selector) in names.sorted(by: { $0.key < $1.key }) {
                guard watched === link, routes[observer]?[handle] == nil, let queue = observers[observer] else {
                    continue
                }
                let gate = reconnecting?.gate ?? changing
                let id = await link.observe(handle, sink(queue, selector, on: link, behind: gate))
                // Meanwhile there may be no link any more, or no observer.
                guard watched === link, observers[observer] != nil else {
                    await link.stopObserving(id)
                    continue
                }
                routes[observer, default: [:]][handle] = Route(selector: selector, id: id)
            }
            if watched === link, routes[observer]?.isEmpty == true { routes[observer] = nil }
        }
    }

    private nonisolated func sink(
        _ queue: ObservationQueue,
        _ selector: CharacteristicSelector,
        on link: ATTConnection,
        behind gate: ValueGate?
    ) -> ValueSink {
        let characteristic = Characteristic(peripheral: self, selector: selector)
        let longest = LongestValue()
        let hasFlowControl = link.hasFlowControl
        return ValueSink(
            received: { [scope] value in
                if longest.isExceeded(by: value.value.count) {
                    scope.spawn { await self.received(value.value.count, at: value.handle, on: link) }
                }
                if let gate {
                    return gate.pass(value, of: characteristic, to: queue, hasFlowControl: hasFlowControl)
                }
                return queue.push(value, of: characteristic, hasFlowControl: hasFlowControl)
            },
            // Everybody is told at once, see `watch`.
            ended: { _ in },
            room: queue.events
        )
    }

    /// A longer value came than any before. One that fills the smallest MTU may have been cut: the next ones are not.
    private func received(_ length: Int, at handle: Handle, on link: ATTConnection) async {
        await database.received(length, at: handle)
        if await !database.isKnownToBeShort(handle) { _ = try? await link.exchangeMTU() }
    }

    func read(_ characteristic: Characteristic, for observer: SubscriptionTable.ObserverID) async throws {
        let value = try await characteristic.read()
        tell(.read(value, of: characteristic), to: [observer])
    }

    // MARK: - Telling

    /// Tells observers what has happened, now.
    func tell(_ kind: ObservationEvent.Kind, to told: [SubscriptionTable.ObserverID]) {
        let event = ObservationEvent(kind: kind, instant: time.now, wall: time.wallClock)
        for observer in told {
            guard let queue = observers[observer] else { continue }
            queue.tell(event)
            guard case .ended = kind else { continue }
            queue.finish(Self.endOfObservation)
            observers[observer] = nil
            subscriptions.remove(observer)
        }
    }

    /// Nothing is observed, and no link is made again, any more.
    func endObservations() {
        expectNothing()
        tell(
            .ended(RadioError(.closedLocally, during: "connection to \(address.address)")),
            to: observers.keys.sorted()
        )
    }

    /// Nobody observes anything: no link is needed for that, nor news of the database.
    private func expectNothing() {
        reconnecting?.task.cancel()
        endReconnecting()
        serviceChangedTask?.cancel()
        serviceChangedTask = nil
    }
}

/// The length of the longest value of a characteristic.
private final class LongestValue: Sendable {
    private let length = Atomic(-1)

    func isExceeded(by new: Int) -> Bool {
        guard new > length.load(ordering: .relaxed) else { return false }
        length.store(new, ordering: .relaxed)
        return true
    }
}
