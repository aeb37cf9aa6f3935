// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

// The link below what is observed: its end is noticed, and where that is wanted it is made again.
extension Peripheral {
    /// The work that makes a lost link again.
    struct Reconnecting: Sendable {
        let number: Int
        let task: ScopedTask
        /// What comes on the new link waits here until observers were told that it stands.
        var gate = ValueGate()
    }

    /// Throws where a link is not the present one any more.
    func check(_ link: ATTConnection) throws {
        guard watched === link, link.end == nil else {
            throw link.end ?? RadioError(.closedLocally, during: "connection to \(address.address)")
        }
    }

    /// Sees to it that the end of a link, and what the device says of its database, is noticed.
    func watch(_ link: ATTConnection) async {
        guard watched !== link, link.end == nil else { return }
        // There is one at a time: who watches the next one may be faster than the news of the end.
        if let old = watched { linkEnded(old, old.end ?? RadioError(.linkLost(nil), during: "connection")) }
        watched = link
        scope.spawn {
            while let event = try? await link.serviceChanges.next() { await self.indicated(event, on: link) }
        }
        let sink = ValueSink(
            received: { _ in true },
            ended: { [scope] error in scope.spawn { await self.linkEnded(link, error) } }
        )
        _ = await link.observe(nil, sink)
    }

    private func linkEnded(_ link: ATTConnection, _ error: RadioError) {
        guard watched === link else { return }
        watched = nil
        // What came while the attributes were found again came before the end.
        changing?.open()
        endLifecycle()
        routes = [:]
        subscriptions.linkEnded()
        serviceChangedTask?.cancel()
        serviceChangedTask = nil
        let concerned = subscriptions.observers
        guard reconnecting == nil, !concerned.isEmpty else { return }
        lost(error, by: concerned)
    }

    /// Observers have lost their link: it is made again, or it is over for them.
    func lost(_ error: RadioError, by concerned: [SubscriptionTable.ObserverID]) {
        guard let policy = configuration.reconnection else { return tell(.ended(error), to: concerned) }
        tell(.linkLost(error), to: concerned)
        guard reconnecting == nil else { return }
        // A link that does not last is not made again without a pause.
        let lasted = restoredAt.map { time.now - $0 >= policy.longestPause } ?? true
        lossesInARow = lasted ? 0 : lossesInARow + 1
        let (lost, pause) = (time.now, policy.pause(afterAttempt: lossesInARow))
        lastReconnection += 1
        let number = lastReconnection
        let task = scope.spawnCancellable { await self.reconnect(number, policy, since: lost, after: pause) }
        guard task.isStarted else { return tell(.ended(error), to: concerned) }
        reconnecting = Reconnecting(number: number, task: task)
    }

    /// No link is being made again any more: whoever gets values gets them at once.
    func endReconnecting() {
        reconnecting?.gate.open()
        reconnecting = nil
    }

    /// Makes the link again, until it stands and everything is subscribed to, or there is no use.
    private func reconnect(_ number: Int, _ policy: Reconnection, since lost: Instant, after pause: Duration) async {
        var pause = pause
        var attempt = 0
        while true {
            if pause > .zero { try? await time.sleep(for: pause) }
            // Cancelling takes its time: nothing is begun that nobody wants any more.
            guard reconnecting?.number == number else { return }
            attempt += 1
            do {
                let link = try await restore(within: policy.subscriptionTimeout)
                guard reconnecting?.number == number else { return }
                restoredAt = time.now
                tell(.linkRestored(after: time.now - lost, attempts: attempt), to: subscriptions.observers)
                endReconnecting()
                // The device may have sent all it has to say, and gone, as soon as it was subscribed to.
                if let end = link.end, watched !== link { self.lost(end, by: subscriptions.observers) }
                return expectServiceChanged()
            } catch {
                guard reconnecting?.number == number else { return }
                guard !policy.isHopeless(error) else {
                    tell(.ended(error), to: subscriptions.observers)
                    return endReconnecting()
                }
                // What came on a link that did not come to stand belongs to the gap.
                reconnecting?.gate = ValueGate()
                pause = policy.pause(afterAttempt: attempt)
                tell(.reconnectionFailed(attempt: attempt, error, pause: pause), to: subscriptions.observers)
            }
        }
    }

    /// The link, on which everything was switched on; it may have ended since.
    private func restore(within timeout: Duration) async throws -> ATTConnection {
        let link = try await connection()
        do {
            try await withDeadline(time.now + timeout, time, operation: "subscription") {
                try await self.subscribing.withLock {
                    await self.watch(link)
                    try await self.subscribeAgain(on: link)
                }
            }
        } catch let error as CancellationError {
            // Nobody observes any more; others may need the link.
            throw error
        } catch {
            // A link on which something is not answered serves nobody.
            link.close()
            throw error
        }
        return link
    }

    /// Finds all that is observed anew, and switches on what is not, as far as we know. Who observes what is not there any
    /// more is told.
    func subscribeAgain(on link: ATTConnection) async throws {
        try check(link)
        for selector in subscriptions.selectors {
            do {
                let place = try await find(selector, on: link)
                try check(link)
                subscriptions.found(selector, at: place)
            } catch  where error.isLastingRefusal {
                end(subscriptions.observers(of: selector), error)
            }
        }
        // First all that was there before, then what is new: values of one are not taken for those of another.
        await route(on: link)
        for place in subscriptions.missing {
            do {
                try await switchOn(place, on: link)
            } catch  where error.isLastingRefusal {
                end(subscriptions.entries.filter { $0.place == place }.map(\.observer), error)
            }
        }
        // All is switched on: a link that ends from now on had come to stand.
        guard link.end == nil else { return }
        await route(on: link)
        do {
            try await switchOff(on: link)
        } catch  where link.end != nil {
            // Nothing is left to be switched off.
        }
    }

    private func end(_ observers: [SubscriptionTable.ObserverID], _ error: any Error) {
        tell(.ended(error), to: observers)
        if observers.contains(SubscriptionTable.ourselves) { subscriptions.remove(SubscriptionTable.ourselves) }
    }
}
