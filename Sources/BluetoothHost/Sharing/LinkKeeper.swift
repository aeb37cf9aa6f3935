// SPDX-License-Identifier: MIT

package import Bluetooth

/// Keeps the link to a device: makes it again, without limit and with pauses that grow, whenever it is lost.
package struct LinkKeeper: Sendable {
    /// What has become of the link.
    package enum News: Sendable {
        /// It was lost.
        case lost(RadioError)
        /// An attempt to make it again has failed; the next one follows after the pause.
        case failed(any Error, pause: Duration)
        /// It is there again.
        case restored
    }

    private let peripheral: Peripheral
    private let policy: Reconnection
    private let time: any TimeSource

    /// Keeps the link of a device.
    package init(_ peripheral: Peripheral, policy: Reconnection = Reconnection(), time: any TimeSource) {
        self.peripheral = peripheral
        self.policy = policy
        self.time = time
    }

    /// Makes the link, and keeps it until the task is cancelled or until no attempt can succeed any more. Throws the reason.
    ///
    /// - Parameters:
    ///   - whenReady: Called once, when there is the first link.
    ///   - onNews: Called with what becomes of it later.
    package func keep(
        whenReady: () async throws -> Void,
        onNews: @Sendable (News) -> Void
    ) async throws {
        var connection = try await peripheral.connection()
        try await whenReady()
        var failures = 0
        while true {
            let began = time.now
            let error = try await end(of: connection)
            onNews(.lost(error))
            // A link that did not last counts as a failed attempt: it is not made again without a pause.
            failures = time.now - began >= policy.longestPause ? 0 : failures + 1
            if failures > 0 { try await time.sleep(for: policy.pause(afterAttempt: failures)) }
            connection = try await restored(&failures, onNews)
            onNews(.restored)
        }
    }

    private func restored(
        _ failures: inout Int,
        _ onNews: @Sendable (News) -> Void
    ) async throws -> ATTConnection {
        while true {
            do {
                return try await peripheral.connection()
            } catch {
                guard !policy.isHopeless(error), !Task.isCancelled else { throw error }
                failures += 1
                let pause = policy.pause(afterAttempt: failures)
                onNews(.failed(error, pause: pause))
                try await time.sleep(for: pause)
            }
        }
    }

    /// Waits for the end of a connection.
    private func end(of connection: ATTConnection) async throws -> RadioError {
        let (events, continuation) = AsyncStream<RadioError>.makeStream()
        let sink = ValueSink(received: { _ in true }, ended: { continuation.yield($0) })
        let observer = await connection.observe(nil, sink)
        for await error in events { return error }
        await connection.stopObserving(observer)
        throw CancellationError()
    }
}

extension Peripheral {
    /// The primary services of the device, each once.
    package func primaryServices() async throws -> [BluetoothUUID] {
        let all = try await answer { database throws(DiscoveryStep) in try database.allServices() }
        var seen: Set<BluetoothUUID> = []
        return all.filter { $0.isPrimary && seen.insert($0.uuid).inserted }.map(\.uuid)
    }
}
