// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

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
            try await subscribing.withTurn {
                try check(link)
                let place = try await find(selector, on: link)
                try check(link)
                serviceChanges?.expect(at: place.value)
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
            guard try await isServiceChanged(event.handle, on: link) else { return }
            let changed = event.range
            await database.changed(in: changed)
            try await subscribing.withTurn {
                try check(link)
                try await databaseChanged(in: changed, on: link)
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

    /// Forgets what has changed, finds it again, and subscribes to it again. Whoever calls has the turn.
    func databaseChanged(in range: HandleRange, on link: ATTConnection) async throws {
        await database.changed(in: range)
        subscriptions.changed(in: range)
        do {
            try await subscribeAgain(on: link)
        } catch let error as GATTError where error.meansAnotherDatabase {
            // It has changed again, or all of it.
            await database.changed(in: .all)
            subscriptions.changed(in: .all)
            try await subscribeAgain(on: link)
        }
        tell(.databaseChanged(range), to: subscriptions.observers)
    }
}

extension CharacteristicSelector {
    /// Service Changed, of the Generic Attribute service.
    static let serviceChanged = Self.uuid(.serviceChanged, index: 0, service: nil)
}

/// Indications that may be Service Changed, on their way to who treats them.
final class ServiceChanges: Sendable {
    /// What the device has said.
    struct Event: Sendable {
        let handle: Handle
        /// Everything, where it cannot be understood, or where another one before it was missed.
        let range: HandleRange
    }

    private let indications = BoundedQueue<ValueEvent>(limit: 16, overflow: .dropOldest)
    private let handle = Atomic<UInt16>(0)
    private let dropped = Atomic(0)

    /// From now on whatever is indicated at a handle is Service Changed, be it well-formed or not.
    func expect(at handle: Handle) { self.handle.store(handle.rawValue, ordering: .relaxed) }

    /// A value came. Service Changed has four octets; what else has them is told apart later.
    func received(_ event: ValueEvent) {
        guard event.kind == .indication else { return }
        guard event.value.count == 4 || event.handle.rawValue == handle.load(ordering: .relaxed) else { return }
        indications.push(event)
    }

    func finish(_ error: RadioError) { indications.finish(error) }

    func next() async throws -> Event {
        let event = try await indications.next()
        let count = indications.droppedCount
        let isComplete = dropped.exchange(count, ordering: .relaxed) == count
        var reader = ByteReader(event.value)
        guard isComplete, event.value.count == 4, let start = try? Handle(from: &reader),
            let end = try? Handle(from: &reader), HandleRange(start, end).isValid
        else { return Event(handle: event.handle, range: .all) }
        return Event(handle: event.handle, range: HandleRange(start, end))
    }
}
