// SPDX-License-Identifier: MIT

public import Bluetooth

// Operations on the link.
extension Peripheral {
    /// Runs a GATT procedure on the link. Connects first if there is no link.
    public func perform<Procedure: GATTProcedure & Sendable>(
        _ procedure: Procedure
    ) async throws -> Procedure.Output {
        try await repeatingOnReplacedLink { try await connection().perform(procedure) }
    }

    /// Runs an operation that is not repeated after the loss of the link. There are two exceptions, in which it has not
    /// begun: if the device refused it until it was paired, and pairing had to end the link, and if the device does not
    /// take an exchange of the MTU. Each occurs once.
    package func repeatingOnReplacedLink<Value>(_ operation: () async throws -> Value) async throws -> Value {
        for _ in 0..<2 {
            do {
                return try await operation()
            } catch let error as LinkReplaced {
                if error.reason == .exchange { await awaitEndOfLink() }
            }
        }
        return try await operation()
    }

    /// The connection for a write to a handle. If the value needs a larger MTU, that is exchanged already, on a link that
    /// may still be replaced: the write itself is not repeated.
    func connection(forWriteOf length: Int) async throws -> ATTConnection {
        try await onLink { link in
            try await link.prepareWrite(of: length)
            return link
        }
    }

    /// Runs an operation on one link from its beginning to its end. Connects first if there is no link.
    ///
    /// The lifecycle decides whether the operation is repeated after the loss of the link, so the operation has to be
    /// safe to repeat. It holds the lock, if there is one, while it connects and runs, but not during a pause.
    func onLink<Value>(
        retrying losses: ConnectionLifecycle<ATTConnection>.RetriedLosses = .beforeFirstPacket,
        holding lock: AsyncLock? = nil,
        _ operation: (ATTConnection) async throws -> Value
    ) async throws -> Value {
        var claim = lifecycle.claim()
        while true {
            var value: Value?
            let repetition = try await performOnce(claim, retrying: losses, holding: lock) {
                value = try await operation($0)
            }
            if let repetition {
                try await time.sleep(for: repetition.pause)
                claim = repetition.claim
            } else if let value {
                return value
            }
        }
    }

    private struct Repetition {
        let claim: Claim
        let pause: Duration
    }

    /// Runs an operation on a link. If the link breaks in a way that counts as a failed attempt to connect, the result
    /// orders a repetition. It knows no type of values, because a copy for each is 90 KB in all.
    private func performOnce(
        _ claim: Claim,
        retrying losses: ConnectionLifecycle<ATTConnection>.RetriedLosses,
        holding lock: AsyncLock?,
        _ operation: (ATTConnection) async throws -> Void
    ) async throws -> Repetition? {
        if let lock {
            return try await lock.withLock {
                try await performOnce(claim, retrying: losses, holding: nil, operation)
            }
        }
        let grant = try await connection(claim)
        do {
            try await operation(grant.link)
            return nil
        } catch let error as LinkReplaced {
            if error.reason == .exchange { await awaitEndOfLink() }
            // A claim without failures, because the link was ended on purpose.
            return Repetition(claim: lifecycle.claim(), pause: .zero)
        } catch let error as RadioError {
            let isProven = grant.link.isProven
            switch lifecycle.operationFailed(grant, error, isProven: isProven, retrying: losses) {
            case .repeat(let next, let attempt, let pause):
                configuration.onRetry(attempt, error, pause)
                return Repetition(claim: next, pause: pause)
            case .fail(let error):
                throw error
            }
        }
    }
}
