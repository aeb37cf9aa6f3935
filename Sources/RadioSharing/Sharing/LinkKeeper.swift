// SPDX-License-Identifier: MIT

package import BluetoothHost

/// Keeps the link to a device: makes it again, without limit and with pauses that grow, whenever it is lost.
package struct LinkKeeper: Sendable {
    package enum News: Sendable {
        case lost(RadioError)
        /// An attempt to make it again has failed; the next one follows after the pause.
        case failed(any Error, pause: Duration)
        case restored
    }

    private let peripheral: Peripheral
    private let time: any TimeSource

    package init(_ peripheral: Peripheral, time: any TimeSource) {
        self.peripheral = peripheral
        self.time = time
    }

    /// Makes the link, and keeps it until the task is cancelled or until no attempt can succeed any more. Throws the
    /// reason.
    ///
    /// - Parameters:
    ///   - whenReady: Called once, when the first link is made.
    ///   - onNews: Called with later changes of the link.
    package func keep(
        whenReady: () async throws -> Void,
        onNews: @Sendable (News) -> Void
    ) async throws {
        var schedule = RecoverySchedule(.unlimited())
        var connection = try await protected { try await peripheral.connection() }
        try await whenReady()
        while true {
            guard let end = await connection.untilEnded() else { throw CancellationError() }
            onNews(.lost(end))
            connection = try await restored(by: &schedule, onNews)
            onNews(.restored)
        }
    }

    /// A link that is prepared and has the demanded security: its owner may send no request, which would see to that.
    private func protected(_ connect: @Sendable () async throws -> ATTConnection) async throws -> ATTConnection {
        try await peripheral.repeatingOnReplacedLink {
            let connection = try await connect()
            do {
                try await connection.prepareBearers()
            } catch let failure as SecurityFailure {
                // It may be as it was, and guests must not use it so.
                connection.close()
                throw failure
            }
            return connection
        }
    }

    /// Makes the link again: at once if it was stable, and with growing pauses otherwise.
    private func restored(
        by schedule: inout RecoverySchedule,
        _ onNews: @Sendable (News) -> Void
    ) async throws -> ATTConnection {
        var pause = schedule.linkLost(now: time.now)
        while true {
            if pause > .zero { try await time.sleep(for: pause) }
            do {
                let connection = try await protected { try await peripheral.connectionByOneAttempt() }
                schedule.attemptSucceeded(now: time.now)
                return connection
            } catch {
                // A cancelled task and a failure that no attempt can mend end the keeper.
                guard !Task.isCancelled, let next = schedule.attemptFailed(error) else { throw error }
                pause = next
                onNews(.failed(error, pause: pause))
            }
        }
    }
}
