// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

// Values that the device sends unasked. `ObservationLifecycle` decides what has to be found, routed and switched; this
// extension carries out one pass at a time, and checks after each wait that the link is still the one of the pass.
extension Peripheral {
    typealias ObserverID = SubscriptionTable.ObserverID
    typealias Pass = ObservationLifecycle<ATTConnection>.Pass
    typealias Place = SubscriptionTable.Place

    /// A new observer, which is not subscribed to anything.
    public func observation(limit: Int = Observation.defaultLimit) -> Observation {
        let id = observation.observerAdded()
        let queue = ObservationQueue(limit: limit)
        queues[id] = queue
        return Observation(id: id, queue: queue, peripheral: self)
    }

    // MARK: - Subscribing

    /// Subscribes an observer to a characteristic. If lost links are made again, a link that is lost meanwhile is a
    /// failed attempt.
    ///
    /// - Parameter mayListen: Whether the observer listens if the values cannot be switched on.
    /// - Returns: Why it only listens; `nil` if the values were switched on.
    @discardableResult
    func subscribe(
        _ observer: ObserverID,
        to selector: CharacteristicSelector,
        mayListen: Bool = false
    ) async throws -> (any Error)? {
        let losses: ConnectionLifecycle<ATTConnection>.RetriedLosses =
            configuration.reconnection == nil ? .beforeFirstPacket : .all
        let reason = try await onLink(retrying: losses, holding: passes) { link -> (any Error)? in
            await watch(link)
            // The observer may have ended during the wait for the lock and the link.
            guard observation.isPresent(observer) else { throw Self.endOfObservation }
            do {
                return try await add(selector, for: observer, mayListen: mayListen, on: link)
            } catch let error as GATTError where error.meansAnotherDatabase {
                await database.changed(in: .all)
                try await databaseChanged(in: .all, on: link)
                return try await add(selector, for: observer, mayListen: mayListen, on: link)
            }
        }
        askForChangesLater()
        return reason
    }

    /// Adds a subscription. The observer gets the values before they are switched on, because some devices send the
    /// first one together with the answer to that.
    ///
    /// - Returns: Why the observer only listens; `nil` if the values were switched on.
    @discardableResult
    func add(
        _ selector: CharacteristicSelector,
        for observer: ObserverID,
        mayListen: Bool = false,
        on link: ATTConnection
    ) async throws -> (any Error)? {
        guard observation.wanted(selector, by: observer, mayListen: mayListen) else { return nil }
        do {
            let reason = try await run(.subscription(observer, selector), on: link)
            switch observation.subscribed(observer, to: selector, mayListen: mayListen) {
            case .established: break
            case .observerEnded: throw Self.endOfObservation
            case .linkEnded:
                let error = link.end ?? RadioError(.linkLost(nil), during: "connection to \(address.address)")
                recover(recovery.linkLostUnnoticed(error, by: observer, now: time.now))
            }
            return reason
        } catch {
            observation.subscriptionFailed(observer, to: selector)
            // This sends no request, and the observer gets no more values of the failed subscription.
            _ = try? await run(.routes, on: link)
            // The caller does not wait until the partial subscription is undone.
            scope.spawn { await self.withdraw(on: link) }
            throw error
        }
    }

    static let endOfObservation = RadioError(.closedLocally, during: "observation")

    /// Ends an observer, and withdraws subscriptions that no other observer shares.
    func endObservation(_ observer: ObserverID) async {
        queues.removeValue(forKey: observer)?.finish(Self.endOfObservation)
        observation.observersEnded([observer])
        if observation.isIdle { expectNothing() }
        guard let link = observation.link else { return }
        // It runs to its end even if the caller is cancelled.
        let work = SharedOperation(in: scope) { await self.withdraw(on: link) }
        try? await work.value()
    }

    private func withdraw(on link: ATTConnection) async {
        // If the link has ended, there is nothing to withdraw.
        _ = try? await passes.withLock { try await run(.withdrawal, on: link) }
    }

    // MARK: - Passes

    /// Finds and switches on all subscriptions, and switches off the rest. Observers of a missing characteristic are
    /// ended. The caller holds the lock.
    func observeEverything(on link: ATTConnection) async throws {
        try await run(.everything, on: link)
        do {
            try await run(.withdrawal, on: link)
        } catch  where link.end != nil {
            // All values were switched on, and none has to be switched off.
        }
    }

    /// Carries out a pass. The caller holds the lock.
    ///
    /// - Returns: The last reason why something is only listened to.
    @discardableResult
    private func run(_ pass: Pass, on link: ATTConnection) async throws -> (any Error)? {
        var reason: (any Error)?
        while true {
            try check(link)
            switch observation.nextStep(of: pass) {
            case nil:
                return reason
            case .find(let selector):
                do {
                    let mayListen = observation.mayListen(to: selector, in: pass)
                    let (place, obstacle) = try await find(selector, mayListen: mayListen, on: link)
                    reason = obstacle ?? reason
                    // Before the descriptor is written, because the first indication may precede the answer to that.
                    if case .subscription(SubscriptionTable.ourselves, _) = pass {
                        link.serviceChanges.expect(at: place.value)
                    }
                    observation.found(selector, at: place, on: link)
                } catch  where pass == .everything && error.isLastingRefusal {
                    notify(observation.observers(of: selector), of: .ended(error))
                }
            case .endRoute(let number):
                await link.stopObserving(number)
            case .beginRoute(let route):
                guard let queue = queues[route.observer] else {
                    observation.observersEnded([route.observer])
                    continue
                }
                let number = await link.observe(route.handle, sink(queue, route.selector, on: link))
                if !observation.routeBegan(route, number: number, on: link) { await link.stopObserving(number) }
            case .switchOn(let place, let isLast):
                do {
                    try await switchOn(place, on: link)
                } catch {
                    if let refusal = error as? GATTError, !refusal.meansAnotherDatabase,
                        observation.listen(at: place, in: pass, on: link)
                    {
                        reason = refusal
                    } else if pass == .everything, error.isLastingRefusal {
                        notify(observation.observers(at: place), of: .ended(error))
                    } else {
                        throw error
                    }
                }
                if isLast, link.end != nil { return reason }
            case .switchOff(let configuration):
                try await switchOff(configuration, on: link)
            }
        }
    }

    /// Finds a characteristic and the descriptor that switches its values on.
    ///
    /// - Parameter mayListen: Whether a characteristic without a descriptor, or without a property to send values with,
    ///   is accepted.
    /// - Returns: The place, and what keeps its values from being switched on.
    private func find(
        _ selector: CharacteristicSelector,
        mayListen: Bool,
        on link: ATTConnection
    ) async throws -> (Place, obstacle: (any Error)?) {
        let definition = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristic(selector)
        }.get()
        let kind: ClientConfiguration
        if definition.properties.contains(.notify) {
            kind = .notification
        } else if definition.properties.contains(.indicate) {
            kind = .indication
        } else {
            let obstacle = NotObservable(properties: definition.properties)
            guard mayListen else { throw obstacle }
            return (Place(value: definition.valueHandle, configuration: nil, kind: .notification), obstacle)
        }
        let descriptor = DescriptorSelector(.clientCharacteristicConfiguration, of: .handle(definition.valueHandle))
        let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.descriptor(descriptor)
        }
        if case .failure(let missing) = found, mayListen {
            return (Place(value: definition.valueHandle, configuration: nil, kind: kind), missing)
        }
        return (Place(value: definition.valueHandle, configuration: try found.get().handle, kind: kind), nil)
    }

    /// Switches values on. They are cut to the MTU, so a larger one is exchanged first unless they are known to be
    /// short.
    private func switchOn(_ place: Place, on link: ATTConnection) async throws {
        guard let configuration = place.configuration else { return }
        if await !database.isKnownToBeShort(place.value) { try await link.exchangeMTU() }
        try check(link)
        observation.writing(configuration)
        do {
            try await link.perform(WriteValue(place.kind, toDescriptor: configuration))
        } catch let error as GATTError {
            // After any other error the device may have switched it on: the descriptor stays unclear, and a withdrawal
            // writes it.
            observation.switchOnRefused(place, on: link)
            throw error
        }
        observation.switchedOn(place, on: link)
    }

    /// Switches values off. A device that refuses that is not asked again; it sends on, to no observer.
    private func switchOff(_ configuration: Handle, on link: ATTConnection) async throws {
        observation.writing(configuration)
        do {
            try await link.perform(WriteValue([], toDescriptor: configuration))
        } catch is GATTError {}
        observation.switchedOff(configuration, on: link)
    }

    // MARK: - Values

    /// Hands values to the queue of an observer, directly from the connection.
    private func sink(
        _ queue: ObservationQueue,
        _ selector: CharacteristicSelector,
        on link: ATTConnection
    ) -> ValueSink {
        let characteristic = ObservedCharacteristic(Characteristic(peripheral: self, selector: selector))
        let longest = LongestValue()
        let hasFlowControl = link.hasFlowControl
        let gate = restoring.gate ?? changes.gate
        return ValueSink(
            received: { [scope] value in
                // In a task, because the connection waits for this closure before it takes the next PDU.
                if longest.isExceeded(by: value.value.count) {
                    scope.spawn { await self.received(value.value.count, at: value.handle, on: link) }
                }
                if let gate {
                    return gate.pass(value, of: characteristic, to: queue, hasFlowControl: hasFlowControl)
                }
                return queue.push(value, of: characteristic, hasFlowControl: hasFlowControl)
            },
            // `watch` reports the end of the link.
            ended: { _ in },
            room: queue.room
        )
    }

    /// A value was longer than all before. One that fills the smallest MTU may have been cut; the next ones shall not
    /// be.
    private func received(_ length: Int, at handle: Handle, on link: ATTConnection) async {
        await database.received(length, at: handle)
        if await !database.isKnownToBeShort(handle) { _ = try? await link.exchangeMTU() }
    }

    func read(_ characteristic: Characteristic, for observer: ObserverID) async throws {
        let value = try await characteristic.read()
        notify([observer], of: .read(value, of: characteristic))
    }

    // MARK: - Events

    /// Puts an event into the queues of observers, which happens now unless an earlier moment is given. `ended` is
    /// their last one.
    func notify(
        _ observers: [ObserverID],
        of kind: ObservationEvent.Kind,
        at moment: (instant: Instant, wall: WallTime)? = nil
    ) {
        let (instant, wall) = moment ?? (time.now, time.wallClock)
        let event = ObservationEvent(kind: kind, instant: instant, wall: wall)
        for observer in observers { queues[observer]?.push(event) }
        guard case .ended = kind else { return }
        for observer in observers { queues.removeValue(forKey: observer)?.finish(Self.endOfObservation) }
        observation.observersEnded(observers)
    }

    /// Ends all observers, and unsubscribes from everything. This waits for the answers of the device.
    func unsubscribeAll() async {
        guard let link = observation.link else { return }
        endObservations()
        await withdraw(on: link)
    }

    func endObservations() {
        expectNothing()
        let error = RadioError(.closedLocally, during: "connection to \(address.address)")
        notify(observation.observers.sorted(), of: .ended(error))
    }

    /// Nothing is observed any more: neither the loss of the link nor changes of the database matter.
    private func expectNothing() {
        recover(recovery.abandon())
        observation.abandonChanges()
        changes.cancel()
    }
}

/// The length of the longest value of a characteristic.
private final class LongestValue: Sendable {
    private let length = Atomic(-1)

    func isExceeded(by new: Int) -> Bool {
        // Only the connection calls this, one value after the other, so nothing comes between load and store.
        guard new > length.load(ordering: .relaxed) else { return false }
        length.store(new, ordering: .relaxed)
        return true
    }
}
