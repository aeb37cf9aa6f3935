// SPDX-License-Identifier: MIT

public import Bluetooth

/// The security that a client demands of a link, and its reaction if the device demands more.
public struct SecurityPolicy: Hashable, Sendable {
    /// The level that a link gets before the first request.
    public var level: SecurityLevel
    /// The shortest key that is accepted on a link whose security was raised, in octets: 7 to 16.
    public var minimumKeySize: UInt8
    /// Whether the security of a link is raised, once, if the device refuses a request for lack of it. The request is
    /// then repeated, once.
    public var raisesOnDemand: Bool

    /// Whether the keys of the device are kept. A radio may not know that of its link.
    package var hasBond = false

    /// The time that raising the security to `level` may take, 30 s by default. It is that long because a person may
    /// have to enter a passkey meanwhile.
    public var timeout: Duration
    /// The time that raising the security may take after a refusal. The request has its own time limit, which should be
    /// longer, so that the refusal is reported.
    public var onDemandTimeout: Duration

    /// Makes a policy; by default no security is required or raised.
    ///
    /// - Parameters:
    ///   - level: The level to which a link is raised before the first request.
    ///   - minimumKeySize: The shortest key that is accepted, in octets.
    ///   - raisesOnDemand: Whether the security is raised if the device refuses a request for lack of it.
    ///   - timeout: The time limit for raising it; by default that of the Security Manager (Vol 3, Part H, 3.4).
    ///   - onDemandTimeout: The time limit for raising it after a refusal.
    public init(
        level: SecurityLevel = .low,
        minimumKeySize: UInt8 = 7,
        raisesOnDemand: Bool = false,
        timeout: Duration = .seconds(30),
        onDemandTimeout: Duration = .seconds(30)
    ) {
        self.timeout = timeout
        self.onDemandTimeout = onDemandTimeout
        self.level = level
        self.minimumKeySize = minimumKeySize
        self.raisesOnDemand = raisesOnDemand
    }
}

/// The security of a link could not be raised. Unless the problem is `unavailable`, the link was closed, so that
/// nothing is sent on it without the required protection.
public struct SecurityFailure: Error, Equatable, Sendable {
    /// The kind of problem.
    public enum Problem: Equatable, Sendable {
        /// There is no key of the device, and no guard that pairs. Nothing was sent, and the link is unchanged.
        case unavailable
        /// Neither a key nor a refusal came in time.
        case timedOut(Duration)
        /// The link ended in the meantime. That happens if one side has lost the key.
        case failed(RadioError)
        /// The link is encrypted, and worse than demanded.
        case insufficient(LinkSecurity)
    }

    /// The device.
    public let peer: DeviceAddress
    /// The level that was demanded.
    public let level: SecurityLevel
    /// The problem.
    public let problem: Problem
    /// The device's refusal that the security was raised for; `nil` if the level was demanded before the first request.
    public let refusal: ATTErrorResponse?
    /// Why the link must not be raised, if its guard says so.
    package let cause: (any Error)?
    /// Whether that reason may pass without any change, as the guard judges it.
    let causeMayPass: Bool

    package init(
        peer: DeviceAddress,
        level: SecurityLevel,
        problem: Problem,
        refusal: ATTErrorResponse? = nil,
        cause: (any Error)? = nil,
        causeMayPass: Bool = false
    ) {
        self.cause = cause
        self.causeMayPass = causeMayPass
        self.peer = peer
        self.level = level
        self.problem = problem
        self.refusal = refusal
    }

    /// The same failure, of an attempt that the refusal of a request has caused.
    func after(_ refusal: ATTErrorResponse) -> Self {
        Self(
            peer: peer,
            level: level,
            problem: problem,
            refusal: refusal,
            cause: cause,
            causeMayPass: causeMayPass
        )
    }

    /// Whether both are the same failure of the same device. The words of a guard do not matter.
    public static func == (one: Self, other: Self) -> Bool {
        one.peer == other.peer && one.level == other.level && one.problem == other.problem
            && one.refusal == other.refusal
    }

    /// The failure in a person's words.
    public var reason: String {
        switch problem {
        case .unavailable:
            "the link cannot get the security '\(level)': there is no sufficient key, and this command cannot pair"
        case .timedOut(let limit):
            "the link was not encrypted within \(limit.text): "
                + "the device, or the person who has to confirm, did not answer"
        case .failed(let error): "the link could not be encrypted: \(error.reason)"
        case .insufficient(let security): "the link has less security than required: it is \(security.text)"
        }
    }
}

extension LinkSecurity {
    /// The security in a few words: `encrypted with an authenticated key of 16 octets`.
    public var text: String {
        guard isEncrypted else { return "not encrypted" }
        return "encrypted with \(isAuthenticated ? "an authenticated" : "an unauthenticated") key of "
            + "\(count: Int(keySize), "octet")"
    }

    func meets(_ level: SecurityLevel) -> Bool { self.level >= level }
}
