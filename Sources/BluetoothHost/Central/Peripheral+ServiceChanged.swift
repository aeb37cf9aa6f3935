// SPDX-License-Identifier: MIT

import Bluetooth

// Changes of the database that the device announces.
//
// Spec: Core 5.4, Vol 3, Part G, 2.5.2 and 7.1
extension Peripheral {
    /// How long a subscription has to last before the device is asked to indicate changes: short observations are
    /// spared the requests.
    private static let changesDelay = Duration.seconds(5)

    /// Asks the device to indicate changes, a while after something was subscribed to.
    func askForChangesLater() {
        guard let link = observation.claimChangesRequest() else { return }
        let time = time
        changes.run(
            scope.spawnCancellable {
                guard (try? await time.sleep(for: Self.changesDelay)) != nil else { return }
                await self.askForChanges(on: link)
            }
        )
    }

    /// Subscribes to Service Changed. A failure is only a remark, because values can be observed without it.
    private func askForChanges(on link: ATTConnection) async {
        do {
            try await passes.withLock {
                try check(link)
                // A bonded device may have been asked before its database was discovered.
                guard await !database.isToldOfChanges(on: link) else { return }
                try await add(.serviceChanged, for: SubscriptionTable.ourselves, on: link)
            }
        } catch  where error is MissingAttribute || error is NotObservable {
            // The database of such a device does not change.
        } catch {
            guard link.end == nil, !(error is CancellationError) else { return }
            configuration.onDiagnostic(
                LinkDiagnostic("\(address.address): cannot subscribe to Service Changed: \(error)")
            )
        }
    }

    /// An indication has arrived that may be Service Changed. It was confirmed already.
    func indicated(_ event: ServiceChanges.Event, on link: ATTConnection) async {
        do {
            guard try await isServiceChanged(event.handle, on: link) else {
                // Indications of other characteristics would otherwise fill the list, and its overflow counts as a
                // change of everything.
                _ = link.serviceChanges.take(event)
                return
            }
            let delay = await database.changed(event, on: link)
            // Before anything else, because other programs use what is stored, and the device does not tell them.
            await database.save()
            if let delay { try await time.sleep(for: delay) }
            try await passes.withLock {
                try check(link)
                try await databaseChanged(in: delay == nil ? event.range : .all, on: link)
            }
        } catch {
            guard observation.link === link, link.end == nil, !(error is CancellationError) else { return }
            configuration.onDiagnostic(
                LinkDiagnostic("\(address.address): cannot subscribe to the changed attributes again: \(error)")
            )
            // Before the close, so that the observers get this reason and not that the connection was closed.
            if configuration.reconnection == nil { notify(observation.subscribedObservers, of: .ended(error)) }
            // The handles known of this link may be wrong now. On a new link everything is found again.
            link.close()
        }
    }

    /// Whether an indication is Service Changed. The device is asked only if it may be something else.
    private func isServiceChanged(_ handle: Handle, on link: ATTConnection) async throws -> Bool {
        let isKnown = await database.known(.serviceChanged).contains { $0.valueHandle == handle }
        if let answer = observation.isServiceChanged(handle, isKnown: isKnown) { return answer }
        let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristic(.serviceChanged)
        }
        return (try? found.get().valueHandle) == handle
    }

    /// Finds everything again and switches it on after a change of the database. The caller holds the lock.
    func databaseChanged(in range: HandleRange, on link: ATTConnection) async throws {
        observation.databaseChanged(in: range)
        changes.holdValues()
        defer { changes.releaseValues() }
        do {
            try await observeEverything(on: link)
        } catch let error as GATTError where error.meansAnotherDatabase {
            // It has changed again, or more of it has changed.
            await database.changed(in: .all)
            observation.databaseChanged(in: .all)
            try await observeEverything(on: link)
        }
        try check(link)
        notify(observation.subscribedObservers, of: .databaseChanged(range))
    }
}

extension CharacteristicSelector {
    /// Service Changed, of the Generic Attribute service.
    static let serviceChanged = Self.uuid(.serviceChanged, index: 0, service: nil)
}

extension DescriptorSelector {
    /// The descriptor that holds the subscription to Service Changed.
    static let serviceChanged = Self(.clientCharacteristicConfiguration, of: .serviceChanged)
}
