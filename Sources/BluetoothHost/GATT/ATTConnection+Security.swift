// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

// The security of the link. `LinkProtection` decides when it is raised.
extension ATTConnection {
    /// The present security of the link.
    public nonisolated var security: LinkSecurity {
        var security = channel.security
        if hasBond { security.hasBond = true }
        return security
    }

    /// Prepares the link and raises its security before the first request, if that is demanded. Callers that arrive meanwhile wait for it,
    /// and get the same error.
    func protect() async throws {
        try await prepare()
        guard protection.policy.level > .low else { return }
        if let level = protection.firstRequest(on: security) {
            raisingFirst = startRaising(to: level, within: protection.policy.timeout)
        }
        // The wait for a failed one throws again: the link is closed by then, or has no security to offer.
        try await raisingFirst?.value()
    }

    /// Raises the security after a refusal if `LinkProtection` says so. Returns whether the request is to be repeated.
    func protect(after refusal: ATTErrorResponse, sentIn epoch: Int) async throws -> Bool {
        let verdict = protection.refused(refusal.code, sentIn: epoch, on: security)
        switch verdict {
        case .leave: return false
        case .raise(let level): raisingOnDemand = startRaising(to: level, within: protection.policy.onDemandTimeout)
        case .repeat: break
        }
        do {
            try await raisingOnDemand?.value()
        } catch let failure as SecurityFailure where failure.problem == .unavailable {
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

    /// Raises the security of the link, or closes the link if that fails, unless it can be used as it was.
    private func raise(to level: SecurityLevel, within limit: Duration) async throws {
        let problem: SecurityFailure.Problem
        do {
            let done: Void? = try await untilDeadline(time.now + limit, time) { [channel] in
                do throws(RadioError) {
                    try await channel.raiseSecurity(to: level)
                } catch {
                    throw error.cause == .cancelled ? CancellationError() : error
                }
            }
            let security = security
            if done != nil, protection.isSufficient(security, for: level) { return }
            problem = done == nil ? .timedOut(limit) : .insufficient(security)
        } catch let error as RadioError {
            if isClosedByOwner.load(ordering: .relaxed) { throw end ?? error }
            problem = error.cause == .unsupported ? .unavailable : .failed(error)
        }
        // The kernel may keep the channel suspended for ever, and a request must not go out without protection.
        if problem != .unavailable { close(RadioError(.authenticationFailed, during: "connection to \(peer.address)")) }
        throw SecurityFailure(peer: peer, level: level, problem: problem)
    }
}
