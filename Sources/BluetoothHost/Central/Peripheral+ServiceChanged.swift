// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

// What the device says of its own database.
//
// Spec: Core 5.4, Vol 3, Part G, 2.5.2 and 7.1
extension Peripheral {
    /// How long a subscription has to last before we ask to be told of changes: what takes a moment only is spared the
    /// requests.
    private static let serviceChangedDelay = Duration.seconds(5)

    /// Asks the device to tell of changes, a while after somebody has begun to observe something.
    func expectServiceChanged() {
        guard serviceChangedTask == nil, let link = watched, !subscriptions.observers.isEmpty else { return }
        let time = time
        serviceChangedTask = scope.spawnCancellable {
            guard (try? await time.sleep(for: Self.serviceChangedDelay)) != nil else { return }
            await self.subscribeToServiceChanged(on: link)
        }
    }

    private func subscribeToServiceChanged(on link: ATTConnection) async {
        let (ourselves, selector) = (SubscriptionTable.ourselves, CharacteristicSelector.serviceChanged)
        do {
            try await subscribing.withLock {
                try check(link)
                // A device that we have a bond with may have been asked before its database was discovered.
                guard await !database.isToldOfChanges(on: link) else { return }
                let place = try await find(selector, on: link)
                try check(link)
                link.serviceChanges.expect(at: place.value)
                subscriptions.add(ourselves, selector, at: place)
                do {
                    try await switchOn(place, on: link)
                    _ = subscriptions.establish(ourselves, selector)
                } catch {
                    subscriptions.remove(ourselves)
                    // What was given up half-way is left as it is: to be told of changes does no harm.
                    if watched === link { subscriptions.isOff(place.configuration) }
                    throw error
                }
            }
        } catch  where error is MissingAttribute || error is NotObservable {
            // The database of such a device does not change.
        } catch {
            guard link.end == nil, !(error is CancellationError) else { return }
            configuration.onDiagnostic("\(address.address): cannot be asked to tell of changed services: \(error)")
        }
    }

    /// An indication came that may be Service Changed, which was confirmed already.
    func indicated(_ event: ServiceChanges.Event, on link: ATTConnection) async {
        do {
            guard try await isServiceChanged(event.handle, on: link) else {
                _ = link.serviceChanges.take(event)
                return
            }
            await database.changed(event, on: link)
            try await subscribing.withLock {
                try check(link)
                try await databaseChanged(in: event.range, on: link)
            }
        } catch {
            guard watched === link, link.end == nil, !(error is CancellationError) else { return }
            configuration.onDiagnostic("\(address.address): what has changed cannot be subscribed to again: \(error)")
            if configuration.reconnection == nil { tell(.ended(error), to: subscriptions.observers) }
            // On another link it may go better; and nothing on this one is as anybody thinks.
            link.close()
        }
    }

    /// Whether an indication is Service Changed. The device is asked only where it could be anything else.
    private func isServiceChanged(_ handle: Handle, on link: ATTConnection) async throws -> Bool {
        if await database.known(.serviceChanged).contains(where: { $0.valueHandle == handle }) { return true }
        guard !subscriptions.entries.isEmpty else { return true }
        guard !subscriptions.entries.contains(where: { $0.place?.value == handle }) else { return false }
        let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristic(.serviceChanged)
        }
        return (try? found.get().valueHandle) == handle
    }

    /// Finds again what has changed and is forgotten, and subscribes to it again. Whoever calls has the turn.
    func databaseChanged(in range: HandleRange, on link: ATTConnection) async throws {
        subscriptions.changed(in: range)
        let gate = ValueGate()
        changing = gate
        defer {
            changing = nil
            gate.open()
        }
        do {
            try await subscribeAgain(on: link)
        } catch let error as GATTError where error.meansAnotherDatabase {
            // It has changed again, or all of it.
            await database.changed(in: .all)
            subscriptions.changed(in: .all)
            try await subscribeAgain(on: link)
        }
        try check(link)
        tell(.databaseChanged(range), to: subscriptions.observers)
    }
}

extension CharacteristicSelector {
    /// Service Changed, of the Generic Attribute service.
    static let serviceChanged = Self.uuid(.serviceChanged, index: 0, service: nil)
}

extension DescriptorSelector {
    /// Where the subscription to Service Changed stands.
    static let serviceChanged = Self(.clientCharacteristicConfiguration, of: .serviceChanged)
}
