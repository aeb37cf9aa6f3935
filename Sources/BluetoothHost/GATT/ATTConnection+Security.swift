// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

// The security of the link. `LinkProtection` decides when it is raised.
extension ATTConnection {
    nonisolated var hasBond: Bool { bondIsKept.load(ordering: .relaxed) }

    /// The present security of the link.
    public nonisolated var security: LinkSecurity {
        var security = channel.security
        if hasBond { security.hasBond = true }
        return security
    }

    /// Prepares the link, if that is wanted, as the first request would. Callers that arrive meanwhile wait for it, and
    /// get the same error. A later caller makes another attempt after a failure, because the link is still there.
    public func prepare() async throws {
        guard let preparation else { return }
        let operation =
            preparing
            ?? SharedOperation(in: scope) {
                do {
                    try await preparation()
                } catch {
                    // Before the error is passed on, so that later callers make a new attempt.
                    await self.forgetPreparation()
                    throw error
                }
            }
        preparing = operation
        try await operation.value()
    }

    private func forgetPreparation() { preparing = nil }

    /// Prepares the link and raises its security before the first request, if that is demanded. Callers that arrive
    /// meanwhile wait for it, and get the same error. A later caller makes another attempt if the failure has left the
    /// link as it was.
    package func protect() async throws {
        try await prepare()
        guard protection.policy.level > .low else { return }
        if let level = protection.requestStarting(on: security) {
            raisingFirst = SharedOperation(in: scope) { try await self.raiseFirst(to: level) }
        }
        // The wait for a failed one throws again, if the link is closed by then.
        try await raisingFirst?.value()
    }

    private func raiseFirst(to level: SecurityLevel) async throws {
        do {
            try await raise(to: level, within: protection.policy.timeout)
        } catch let failure as SecurityFailure where failure.problem == .unavailable {
            // Before the error is passed on, so that later callers do not get it: a passkey may have been mistyped, and
            // the next attempt may succeed.
            protection.firstRaisingWasUnavailable()
            raisingFirst = nil
            throw failure
        }
    }

    /// Raises the security after a refusal if `LinkProtection` says so. Returns whether the request is to be repeated.
    func protect(after refusal: ATTErrorResponse, sentIn epoch: Int) async throws -> Bool {
        if SecurityPolicy.raisesNothing { return false }
        let verdict = protection.refused(refusal.code, sentIn: epoch, on: security)
        switch verdict {
        case .leave: return false
        case .raise(let level): raisingOnDemand = startRaising(to: level, within: protection.policy.onDemandTimeout)
        case .repeat: break
        }
        do {
            try await raisingOnDemand?.value()
        } catch let failure as SecurityFailure where failure.problem == .unavailable && failure.cause == nil {
            protection.raisingWasUnavailable()
            // The device's own words say more.
            return false
        } catch let failure as SecurityFailure {
            noteRaisingFailure()
            throw failure.after(refusal)
        }
        if verdict != .repeat { onSecurityRaised(refusal.code, security) }
        return true
    }

    /// Goes on even if the caller that began it has left, because the kernel cannot take it back.
    private func startRaising(to level: SecurityLevel, within limit: Duration) -> SharedOperation<Void> {
        SharedOperation(in: scope) { try await self.raise(to: level, within: limit) }
    }

    /// Asks the guard of the link, if there is one. Returns whether the kernel has a key that gives the level, and the
    /// error for the user if it has none.
    private func askGuard(
        _ level: SecurityLevel,
        _ limit: Duration
    ) async throws -> (hasKey: Bool, otherwise: (any Error)?) {
        guard let linkGuard else { return (false, nil) }
        let verdict: LinkVerdict
        do {
            verdict = try await linkGuard.mayRaise(self, to: level, within: limit)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw SecurityFailure(
                peer: peer,
                level: level,
                problem: .unavailable,
                cause: error,
                causeMayPass: linkGuard.mayPass(error)
            )
        }
        switch verdict {
        case .raise(let otherwise): return (false, otherwise)
        case .encrypt(let otherwise): return (true, otherwise)
        case .paired(let isKept):
            if isKept { bondIsKept.store(true, ordering: .relaxed) }
            return (false, nil)
        case .replaced: throw LinkReplaced(reason: .pairing)
        }
    }

    /// Raises the security of the link, or closes the link if that fails, unless it can be used as it was.
    func raise(to level: SecurityLevel, within limit: Duration) async throws {
        let (hasKey, cause) = try await askGuard(level, limit)
        // A pairing by the guard has encrypted the link already.
        if let linkGuard, protection.isSufficient(security, for: level) { return linkGuard.raised(security) }
        let problem: SecurityFailure.Problem
        do {
            let done: Void? = try await untilDeadline(time.now + limit, time) { [channel, protection] in
                do throws(RadioError) {
                    try await channel.raiseSecurity(to: level)
                    // If the device requests security at the same time, the kernel encrypts at the level of that
                    // request, and its end also ends this wait. The second call encrypts again; it cannot pair, because
                    // the kernel has a key for the level.
                    guard hasKey, !protection.isSufficient(channel.security, for: level) else { return }
                    try await channel.raiseSecurity(to: level)
                } catch {
                    throw error.cause == .cancelled ? CancellationError() : error
                }
            }
            let security = security
            if done != nil, protection.isSufficient(security, for: level) {
                linkGuard?.raised(security)
                return
            }
            problem = done == nil ? .timedOut(limit) : .insufficient(security)
        } catch let error as RadioError {
            // The owner has closed the link meanwhile, which is not a failure of the encryption.
            if isClosedByOwner.load(ordering: .relaxed) { throw end ?? error }
            problem = error.cause == .unsupported ? .unavailable : .failed(error)
        }
        // The kernel may keep the channel suspended for ever, and a request must not go out without protection.
        if problem != .unavailable { close(RadioError(.authenticationFailed, during: "connection to \(peer.address)")) }
        throw SecurityFailure(peer: peer, level: level, problem: problem, cause: problem == .unavailable ? cause : nil)
    }
}
