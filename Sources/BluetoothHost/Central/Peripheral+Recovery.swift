// SPDX-License-Identifier: MIT

import Bluetooth

// Watches the link of the observers: `LinkRecovery` decides whether and when a lost link is restored.
extension Peripheral {
    /// Throws if the link is not the present one any more.
    func check(_ link: ATTConnection) throws {
        guard observation.link === link, link.end == nil else {
            throw link.end ?? RadioError(.closedLocally, during: "connection to \(address.address)")
        }
    }

    /// Makes sure that the end of a link, and changes of the database that the device indicates on it, are noticed.
    func watch(_ link: ATTConnection) async {
        guard observation.link !== link, link.end == nil else { return }
        // The news of an earlier link's end may still be on its way.
        if let old = observation.link { linkEnded(old, old.end ?? RadioError(.linkLost(nil), during: "connection")) }
        observation.linkBegan(link)
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
        guard let observers = observation.linkEnded(link) else { return }
        // Values from new places arrived before the end.
        changes.releaseValues()
        reportEndOfLink()
        changes.cancel()
        recover(recovery.linkLost(error, by: observers, now: time.now))
    }

    /// Carries out the recovery's actions. Values are held back while subscriptions are restored, so that the event
    /// of the restored link comes before them.
    ///
    /// - Parameter restored: When the link was made that the actions are about; `nil` for actions about the present.
    func recover(_ actions: [LinkRecovery.Action], restored: (instant: Instant, wall: WallTime)? = nil) {
        for action in actions {
            switch action {
            case .notify(let observers, let event):
                notify(observers, of: event, at: restored)
            case .holdValues:
                restoring.holdValues()
            case .releaseValues:
                restoring.releaseValues()
            case .attempt(let attempt, let moment):
                let task = scope.spawnCancellable { await self.restoreLink(attempt, at: moment) }
                restoring.run(task)
                // The scope has ended. Without this failure the observers would wait for ever.
                guard !task.isStarted else { continue }
                recoveryFailed(attempt, RadioError(.cancelled, during: "connection to \(address.address)"))
            case .cancelAttempt:
                restoring.cancel()
            }
        }
    }

    /// Makes an attempt to restore the link, unless it was withdrawn while it waited.
    private func restoreLink(_ attempt: LinkRecovery.Attempt, at moment: Instant) async {
        // A cancelled pause ends early: the attempt is then refused as not due, or fails at once.
        if moment > time.now { try? await time.sleep(until: moment) }
        guard recovery.attemptDue(attempt) else { return }
        do {
            let link = try await restoredLink()
            let observers = observation.subscribedObservers
            let actions = recovery.attemptSucceeded(attempt, for: observers, now: time.now)
            // Nothing was left to observe, or another recovery has begun meanwhile.
            guard !actions.isEmpty else { return }
            // Values have come since the link was made, and are reported after it.
            recover(actions, restored: linkMade)
            // The device may have sent everything and hung up as soon as it was subscribed to. The recovery has ignored
            // that.
            if let end = link.end, observation.link !== link {
                recover(recovery.linkLost(end, by: observers, now: time.now))
            }
            askForChangesLater()
        } catch {
            recoveryFailed(attempt, error)
        }
    }

    private func recoveryFailed(_ attempt: LinkRecovery.Attempt, _ error: any Error) {
        let observers = observation.subscribedObservers
        recover(recovery.attemptFailed(attempt, error, for: observers, now: time.now))
    }

    /// The connection, made by one attempt if there is none: the caller has a schedule for further ones.
    package func connectionByOneAttempt() async throws -> ATTConnection {
        try await connection(lifecycle.claim(isRetried: false)).link
    }

    /// A link on which everything was switched on; it may have ended since.
    private func restoredLink() async throws -> ATTConnection {
        let link = try await connectionByOneAttempt()
        do {
            try await withDeadline(time.now + configuration.timeout, time, operation: "subscription") {
                try await self.passes.withLock {
                    await self.watch(link)
                    try await self.observeEverything(on: link)
                }
            }
        } catch let error as CancellationError {
            // There are no observers any more; other operations may need the link.
            throw error
        } catch {
            // A link on which a request is not answered is of no use.
            link.close()
            throw error
        }
        return link
    }
}
