// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

// Values that the device sends by itself: who observes what is the business of `SubscriptionTable`; here it is found,
// subscribed to, and found again where the database has changed or the link was lost.
extension Peripheral {
    /// An observer that sees nothing yet.
    public func observation(limit: Int = Observation.defaultLimit) -> Observation {
        lastObserver += 1
        let queue = BoundedQueue<ObservationEvent>(limit: limit, overflow: .dropOldest)
        observers[lastObserver] = queue
        return Observation(id: lastObserver, queue: queue, peripheral: self)
    }

    // MARK: - Subscribing

    func subscribe(_ observer: SubscriptionTable.ObserverID, to selector: CharacteristicSelector) async throws {
        try await subscribing.withTurn {
            try await onLink { link in
                let place = try await find(selector, on: link)
                await watch(link)
                await route(place.value, of: selector, to: observer, on: link)
                guard let new = subscriptions.add(observer, selector, at: place) else { return }
                do {
                    try await switchOn(new, on: link)
                } catch {
                    _ = subscriptions.remove(observer, selector)
                    await unroute(observer, place.value, on: link)
                    throw error
                }
            }
        }
        expectServiceChanged()
    }

    func endObservation(_ observer: SubscriptionTable.ObserverID) async {
        observers.removeValue(forKey: observer)?.finish(RadioError(.closedLocally, during: "observation"))
        try? await subscribing.withTurn {
            let unwanted = subscriptions.remove(observer)
            guard let link = liveLink else { return }
            for handle in routes[observer]?.keys.sorted() ?? [] { await unroute(observer, handle, on: link) }
            for place in unwanted { try await link.perform(WriteValue([], toDescriptor: place.configuration)) }
        }
    }

    /// Finds a characteristic and the descriptor that switches its values on.
    private func find(
        _ selector: CharacteristicSelector,
        on link: ATTConnection
    ) async throws -> SubscriptionTable.Place {
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

    /// Switches values on. They are cut to the MTU: a larger one first, unless they are known to be short.
    private func switchOn(_ place: SubscriptionTable.Place, on link: ATTConnection) async throws {
        if await !database.isKnownToBeShort(place.value) { try await link.exchangeMTU() }
        try await link.perform(WriteValue(place.kind, toDescriptor: place.configuration))
    }

    // MARK: - Values

    /// From now on an observer gets the values of a handle: before they are switched on, because some devices send the first
    /// value together with the answer to that.
    private func route(
        _ handle: Handle,
        of selector: CharacteristicSelector,
        to observer: SubscriptionTable.ObserverID,
        on link: ATTConnection
    ) async {
        guard let queue = observers[observer], routes[observer]?[handle] == nil else { return }
        let characteristic = Characteristic(peripheral: self, selector: selector)
        let longest = LongestValue()
        let sink = ValueSink(
            received: { [scope] event in
                queue.push(.value(event, of: characteristic))
                guard longest.isExceeded(by: event.value.count) else { return }
                scope.spawn { await self.received(event.value.count, at: handle, on: link) }
            },
            // Everybody is told at once, see `watch`.
            ended: { _ in }
        )
        routes[observer, default: [:]][handle] = await link.observe(handle, sink)
    }

    private func unroute(_ observer: SubscriptionTable.ObserverID, _ handle: Handle, on link: ATTConnection) async {
        guard let route = routes[observer]?.removeValue(forKey: handle) else { return }
        await link.stopObserving(route)
    }

    /// A longer value came than any before. One that fills the smallest MTU may have been cut: the next ones are not.
    private func received(_ length: Int, at handle: Handle, on link: ATTConnection) async {
        await database.received(length, at: handle)
        if await !database.isKnownToBeShort(handle) { _ = try? await link.exchangeMTU() }
    }

    // MARK: - The link

    /// The link that there is, if it stands.
    private var liveLink: ATTConnection? { lifecycle.link.flatMap { $0.end == nil ? $0 : nil } }

    /// Sees to it that the end of a link, and what the device says of its database, is noticed.
    private func watch(_ link: ATTConnection) async {
        guard watched !== link else { return }
        watched = link
        routes = [:]
        let indications = BoundedQueue<ValueEvent>(limit: 16, overflow: .dropOldest)
        scope.spawn {
            var dropped = 0
            while let event = try? await indications.next() {
                let isComplete = indications.droppedCount == dropped
                dropped = indications.droppedCount
                await self.indicated(event, isComplete: isComplete, on: link)
            }
        }
        let sink = ValueSink(
            received: { event in
                // Service Changed has four octets; what else has them is told apart later.
                guard event.kind == .indication, event.value.count == 4 else { return }
                indications.push(event)
            },
            ended: { [scope] error in
                indications.finish(error)
                scope.spawn { await self.linkEnded(link, error) }
            }
        )
        _ = await link.observe(nil, sink)
    }

    private func linkEnded(_ link: ATTConnection, _ error: RadioError) {
        guard watched === link else { return }
        watched = nil
        routes = [:]
        subscriptions.forgetPlaces()
        serviceChangedTask?.cancel()
        serviceChangedTask = nil
        guard !isReconnecting else { return }
        guard let policy = configuration.reconnection, !observers.isEmpty else { return tell(.ended(error)) }
        isReconnecting = true
        tell(.linkLost(error))
        let lost = time.now
        reconnectionTask = scope.spawnCancellable { await self.reconnect(policy, since: lost) }
    }

    /// Tells all observers.
    private func tell(_ event: ObservationEvent) {
        for observer in observers.keys.sorted() { tell(event, to: observer) }
    }

    private func tell(_ event: ObservationEvent, to observer: SubscriptionTable.ObserverID) {
        guard let queue = observers[observer] else { return }
        queue.push(event)
        guard case .ended = event else { return }
        queue.finish(RadioError(.closedLocally, during: "observation"))
        observers[observer] = nil
        _ = subscriptions.remove(observer)
    }

    /// Nothing is observed, and no link is made again, any more.
    func endObservations() {
        reconnectionTask?.cancel()
        reconnectionTask = nil
        isReconnecting = false
        serviceChangedTask?.cancel()
        serviceChangedTask = nil
        tell(.ended(RadioError(.closedLocally, during: "connection to \(address.address)")))
    }

    // MARK: - Again

    /// Makes the link again, until it stands and everything is subscribed to, or there is no use.
    private func reconnect(_ policy: Reconnection, since lost: Instant) async {
        var attempt = 0
        while !Task.isCancelled {
            attempt += 1
            do {
                try await restore(within: policy.subscriptionTimeout)
                isReconnecting = false
                tell(.linkRestored(after: time.now - lost, attempts: attempt))
                expectServiceChanged()
                return
            } catch is CancellationError {
                return
            } catch  where policy.isHopeless(error) {
                isReconnecting = false
                return tell(.ended(error))
            } catch {
                let pause = policy.pause(afterAttempt: attempt)
                tell(.reconnectionFailed(attempt: attempt, error, pause: pause))
                guard (try? await time.sleep(for: pause)) != nil else { return }
            }
        }
    }

    private func restore(within timeout: Duration) async throws {
        let link = try await connection()
        do {
            try await withDeadline(time.now + timeout, time, operation: "subscription") {
                try await self.subscribing.withTurn {
                    await self.watch(link)
                    try await self.subscribeAgain(on: link, changed: .all)
                }
            }
        } catch {
            // A link on which something is not answered serves nobody.
            if !(error is MissingAttribute) { link.close() }
            throw error
        }
        if let end = link.end { throw end }
    }

    /// Finds all that is observed anew, and subscribes to what has moved or may have lost its subscription.
    private func subscribeAgain(on link: ATTConnection, changed range: HandleRange) async throws {
        let before = subscriptions.places
        subscriptions.forgetPlaces()
        for selector in subscriptions.selectors {
            let place: SubscriptionTable.Place
            do {
                place = try await find(selector, on: link)
            } catch  where error is MissingAttribute || error is NotObservable {
                for observer in subscriptions.observers(of: selector) { tell(.ended(error), to: observer) }
                continue
            }
            let old = before[selector]
            for observer in subscriptions.observers(of: selector) {
                if let old, old.value != place.value { await unroute(observer, old.value, on: link) }
                await route(place.value, of: selector, to: observer, on: link)
            }
            guard let new = subscriptions.found(selector, at: place) else { continue }
            if new == old, !range.contains(new.configuration) { continue }
            try await switchOn(new, on: link)
        }
        guard !observers.isEmpty else { throw CancellationError() }
    }

    // MARK: - Service Changed

    /// How long a subscription has to last before we ask to be told of changes: what takes a moment only is spared the
    /// requests.
    private static let serviceChangedDelay = Duration.seconds(5)

    private func expectServiceChanged() {
        guard serviceChangedTask == nil, let link = liveLink, !subscriptions.entries.isEmpty else { return }
        let time = time
        serviceChangedTask = scope.spawnCancellable {
            guard (try? await time.sleep(for: Self.serviceChangedDelay)) != nil else { return }
            await self.subscribeToServiceChanged(on: link)
        }
    }

    private func subscribeToServiceChanged(on link: ATTConnection) async {
        do {
            let place = try await find(.serviceChanged, on: link)
            try await link.perform(WriteValue(place.kind, toDescriptor: place.configuration))
        } catch  where error is MissingAttribute || error is NotObservable {
            // The database of such a device does not change.
        } catch {
            configuration.onDiagnostic("\(address.address): cannot be asked to tell of changed services: \(error)")
        }
    }

    /// An indication came that may be Service Changed, which was confirmed already.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.1
    private func indicated(_ event: ValueEvent, isComplete: Bool, on link: ATTConnection) async {
        do {
            let serviceChanged = try await database.answer(on: link) { database throws(DiscoveryStep) in
                try database.characteristic(.serviceChanged)
            }.get()
            guard event.handle == serviceChanged.valueHandle else { return }
            var reader = ByteReader(event.value)
            let range = HandleRange(try Handle(from: &reader), try Handle(from: &reader))
            // What cannot be understood, or has missed another one before it, means everything.
            let changed = range.isValid && isComplete ? range : .all
            await database.changed(in: changed)
            try await subscribing.withTurn { try await subscribeAgain(on: link, changed: changed) }
            tell(.databaseChanged(changed))
        } catch {
            guard link.end == nil, !(error is MissingAttribute) else { return }
            configuration.onDiagnostic("\(address.address): what has changed cannot be subscribed to again: \(error)")
            // Made again, or told to those who observe.
            link.close()
        }
    }
}

extension CharacteristicSelector {
    /// Service Changed, of the Generic Attribute service.
    static let serviceChanged = Self.uuid(.serviceChanged, index: 0, service: nil)
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
