// SPDX-License-Identifier: MIT

import Bluetooth

/// Decides when the security of one link is raised: before its first request if the policy demands it, and once if the
/// device refuses a request for lack of security.
///
/// Spec: Core 5.4, Vol 3, Part C, 10.3.2
///
/// `SecurityPolicy.afterFailure` has the policy of a link that follows one whose security could not be raised.
struct LinkProtection: Sendable {
    /// The treatment of a refused request.
    enum Verdict: Hashable, Sendable {
        /// It stays refused.
        case leave
        /// The link is raised to this level, and the request is repeated then.
        case raise(to: SecurityLevel)
        /// The link is being raised, or was raised after the request was sent: the request is repeated then.
        case `repeat`
    }

    let policy: SecurityPolicy
    /// The number of times that the link was raised or is being raised. A request notes it when it is sent.
    private(set) var epoch = 0
    private var isRaisedOnDemand = false

    init(_ policy: SecurityPolicy) { self.policy = policy }

    /// The level that the link has to get now, before the first request; `nil` if it has it, or if that was said
    /// before.
    mutating func requestStarting(on link: LinkSecurity) -> SecurityLevel? {
        guard epoch == 0, policy.level > .low else { return nil }
        epoch = 1
        return link.meets(policy.level) && link.keySize >= policy.minimumKeySize ? nil : policy.level
    }

    /// The link stays as it was, because there was no key to raise the security with before the first request. Nothing
    /// was sent, so the next request is the first one again.
    mutating func firstRaisingWasUnavailable() { epoch = 0 }

    /// The device has refused a request.
    ///
    /// - Parameters:
    ///   - code: Its reason.
    ///   - sent: The epoch in which the request was sent.
    mutating func refused(_ code: ATTErrorCode, sentIn sent: Int, on link: LinkSecurity) -> Verdict {
        guard policy.raisesOnDemand, let level = Self.level(for: code, on: link) else { return .leave }
        if sent < epoch { return .repeat }
        guard !isRaisedOnDemand else { return .leave }
        isRaisedOnDemand = true
        epoch += 1
        return .raise(to: level)
    }

    /// There was no key to raise the security with, and no guard that pairs. Nothing was sent, so the one attempt is
    /// left for when the device is paired.
    mutating func raisingWasUnavailable() { isRaisedOnDemand = false }

    /// Whether the link is good enough after it was raised.
    func isSufficient(_ link: LinkSecurity, for level: SecurityLevel) -> Bool {
        link.meets(level) && (level == .low || link.keySize >= policy.minimumKeySize)
    }

    /// As little as may satisfy the device: encryption first; on an encrypted link an authenticated key, and where the
    /// key is too short, one of full length. `nil` if security is not the reason.
    fileprivate static func level(for code: ATTErrorCode, on link: LinkSecurity) -> SecurityLevel? {
        switch code {
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption:
            if !link.isEncrypted { return .medium }
            return link.isAuthenticated ? .fips : .high
        case .encryptionKeySizeTooShort:
            return link.isEncrypted ? .fips : .medium
        default:
            return nil
        }
    }
}

extension ATTErrorCode {
    /// Whether a client that raises security on demand does so for this refusal on a link that has none.
    package var mayRaiseSecurity: Bool { LinkProtection.level(for: self, on: .none) != nil }
}

extension SecurityPolicy {
    /// Whether the requests of the present task raise no security on demand, whatever the policy of their link says.
    @TaskLocal package static var raisesNothing = false

    /// After a failure to raise the security on demand, links do not try again for this long, so that a silent device
    /// is not tried for each value. It is the time after which the Security Manager gives up (Vol 3, Part H, 3.4).
    private static let pauseAfterFailure = Duration.seconds(30)

    /// The policy of the next link after a failure to raise the security. Until a while later it is not raised on
    /// demand, so that the refusal is reported at once. A device that was paired with since then is worth another
    /// attempt.
    ///
    /// - Parameters:
    ///   - failure: When the raising failed.
    ///   - hadBond: Whether the keys of the device were kept then.
    func afterFailure(at failure: Instant, hadBond: Bool, now: Instant) -> Self {
        guard hadBond == hasBond, now < failure + Self.pauseAfterFailure else { return self }
        var policy = self
        policy.raisesOnDemand = false
        return policy
    }
}
