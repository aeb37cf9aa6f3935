// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("When the security of a link is raised")
struct LinkProtectionTests {
    private static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
    private static let authenticated = LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16)

    /// A refusal on a link, and the level that may satisfy the device.
    struct Case: Sendable, CustomTestStringConvertible {
        let code: ATTErrorCode
        let link: LinkSecurity
        let level: SecurityLevel?
        var testDescription: String { "\(code), \(link.text)" }
    }

    @Test(
        "the level is the least that may satisfy the device, and unchanged if security is not the reason",
        arguments: [
            Case(code: .insufficientAuthentication, link: .none, level: .medium),
            Case(code: .insufficientEncryption, link: .none, level: .medium),
            Case(code: .insufficientAuthorization, link: .none, level: .medium),
            Case(code: .encryptionKeySizeTooShort, link: .none, level: .medium),
            Case(code: .insufficientAuthentication, link: encrypted, level: .high),
            Case(code: .insufficientAuthorization, link: encrypted, level: .high),
            Case(code: .encryptionKeySizeTooShort, link: encrypted, level: .fips),
            Case(code: .insufficientAuthentication, link: authenticated, level: .fips),
            Case(code: .readNotPermitted, link: .none, level: nil),
            Case(code: .attributeNotFound, link: .none, level: nil),
            Case(code: ATTErrorCode(0x80), link: .none, level: nil),
        ]
    )
    func levels(of refusal: Case) {
        var protection = LinkProtection(SecurityPolicy(raisesOnDemand: true))
        let verdict = protection.refused(refusal.code, sentIn: 0, on: refusal.link)
        #expect(verdict == (refusal.level.map { .raise(to: $0) } ?? .leave))
        var unwilling = LinkProtection(SecurityPolicy())
        #expect(unwilling.refused(refusal.code, sentIn: 0, on: refusal.link) == .leave)
    }

    @Test("it is raised once for a link; only requests that were sent before are repeated")
    func once() {
        var protection = LinkProtection(SecurityPolicy(raisesOnDemand: true))
        #expect(protection.refused(.insufficientEncryption, sentIn: 0, on: .none) == .raise(to: .medium))
        #expect(protection.refused(.insufficientEncryption, sentIn: 0, on: .none) == .repeat)
        #expect(protection.refused(.insufficientEncryption, sentIn: 1, on: Self.encrypted) == .leave)
        #expect(protection.refused(.readNotPermitted, sentIn: 0, on: Self.encrypted) == .leave)
        #expect(protection.epoch == 1)
    }

    @Test("it is raised again after a missing key, because the device may be paired with later")
    func unavailable() {
        var protection = LinkProtection(SecurityPolicy(raisesOnDemand: true))
        #expect(protection.refused(.insufficientEncryption, sentIn: 0, on: .none) == .raise(to: .medium))
        protection.raisingWasUnavailable()
        #expect(protection.refused(.insufficientEncryption, sentIn: 1, on: .none) == .raise(to: .medium))
        #expect(protection.refused(.insufficientEncryption, sentIn: 2, on: .none) == .leave)
    }

    @Test("the next link is not raised on demand for 30 s, unless the device was paired with or forgotten since")
    func afterFailure() {
        var policy = SecurityPolicy(level: .medium, raisesOnDemand: true)
        let failure = Instant.zero + .seconds(7)
        let last = failure + .milliseconds(29_999)
        #expect(!policy.afterFailure(at: failure, hadBond: false, now: failure).raisesOnDemand)
        #expect(!policy.afterFailure(at: failure, hadBond: false, now: last).raisesOnDemand)
        #expect(policy.afterFailure(at: failure, hadBond: false, now: last).level == .medium)
        #expect(policy.afterFailure(at: failure, hadBond: false, now: failure + .seconds(30)) == policy)
        #expect(policy.afterFailure(at: failure, hadBond: true, now: failure) == policy)
        policy.hasBond = true
        #expect(policy.afterFailure(at: failure, hadBond: false, now: failure) == policy)
        #expect(!policy.afterFailure(at: failure, hadBond: true, now: failure).raisesOnDemand)
    }

    @Test("it is raised before the first request only, unless the link already has the level")
    func first() {
        var protection = LinkProtection(SecurityPolicy(level: .high))
        #expect(protection.requestStarting(on: Self.encrypted) == .high)
        #expect(protection.requestStarting(on: Self.encrypted) == nil)
        var satisfied = LinkProtection(SecurityPolicy(level: .medium))
        #expect(satisfied.requestStarting(on: Self.encrypted) == nil)
        var undemanding = LinkProtection(SecurityPolicy(raisesOnDemand: true))
        #expect(undemanding.requestStarting(on: .none) == nil)
    }

    @Test("it is raised again after a missing key before the first request")
    func firstUnavailable() {
        var protection = LinkProtection(SecurityPolicy(level: .high))
        #expect(protection.requestStarting(on: Self.encrypted) == .high)
        protection.firstRaisingWasUnavailable()
        #expect(protection.requestStarting(on: Self.encrypted) == .high)
        #expect(protection.requestStarting(on: Self.encrypted) == nil)
    }

    @Test("a short key is not enough, and a level needs its kind of key")
    func enough() {
        let short = LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 7)
        let protection = LinkProtection(SecurityPolicy(level: .medium, minimumKeySize: 16))
        #expect(protection.isSufficient(Self.encrypted, for: .medium))
        #expect(!protection.isSufficient(short, for: .medium))
        #expect(!protection.isSufficient(.none, for: .medium))
        #expect(!protection.isSufficient(Self.encrypted, for: .high))
        var secure = Self.authenticated
        secure.isSecureConnections = true
        #expect(protection.isSufficient(secure, for: .fips))
        #expect(!protection.isSufficient(Self.authenticated, for: .fips))
        #expect(short.meets(.high) && !short.meets(.fips))
    }
}
