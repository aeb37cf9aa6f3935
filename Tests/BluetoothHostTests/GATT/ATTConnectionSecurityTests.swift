// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("ATTConnection: the security of the link")
struct ATTConnectionSecurityTests {
    private static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
    private static let refused = turn("0a 4200", "01 0a 4200 0f")
    private static let answered = turn("0a 4200", "0b 99")

    /// The result of a read of 0x0042, and the operations on the channel meanwhile.
    private struct Course: Equatable, Sendable {
        var outcomes: [String]
        var raised: [SecurityLevel]
        var told: [String]
        var closedAt: Int64?
    }

    private func course(
        _ script: Script,
        _ policy: SecurityPolicy,
        _ raising: ScriptedChannel.Raising?,
        again: ScriptedChannel.Raising? = nil,
        guardedBy linkGuard: (any LinkGuard)? = nil,
        reads: Int = 1
    ) throws -> Course {
        try inVirtualTime { time, scope in
            let channel = ScriptedChannel(script, time, scope)
            if let raising { channel.whenRaised(raising) }
            if let again { channel.whenRaisedAgain(again) }
            let told = TextLog()
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: policy,
                guardedBy: linkGuard,
                onSecurityRaised: { told.add("\($0): \($1.text)") }
            )
            let running = (0..<reads).map { _ in
                Running(scope, time) {
                    do {
                        return Hex.string(try await connection.perform(ReadValue(0x42)).value)
                    } catch let failure as SecurityFailure {
                        return failure.reason
                    } catch GATTError.refused(let error) {
                        return "\(error.code)"
                    }
                }
            }
            try await time.sleep(for: .seconds(60))
            #expect(channel.isPlayed)
            return Course(
                outcomes: running.map { $0.outcome?.description ?? "none" },
                raised: channel.raised,
                told: told.texts,
                closedAt: channel.closedAt?.milliseconds
            )
        }
    }

    private static let onDemand = SecurityPolicy(raisesOnDemand: true)

    @Test("a refused request is repeated on the encrypted link, and the encryption is reported")
    func onDemand() throws {
        let course = try course(
            [Self.refused, Self.answered],
            Self.onDemand,
            .becomes(Self.encrypted, after: .milliseconds(200))
        )
        #expect(course.outcomes == ["99 at 200 ms"])
        #expect(course.raised == [.medium])
        #expect(course.told == ["insufficient encryption: encrypted with an unauthenticated key of 16 octets"])
        #expect(course.closedAt == nil)
    }

    @Test("a second refusal is final")
    func once() throws {
        let course = try course(
            [Self.refused, Self.refused],
            Self.onDemand,
            .becomes(Self.encrypted, after: .milliseconds(200))
        )
        #expect(course.outcomes == ["insufficient encryption at 200 ms"])
        #expect(course.raised == [.medium])
    }

    @Test("several requests wait for the same encryption, and each is repeated")
    func shared() throws {
        let course = try course(
            [Self.refused, Self.refused, Self.answered, Self.answered],
            Self.onDemand,
            .becomes(Self.encrypted, after: .milliseconds(200)),
            reads: 2
        )
        #expect(course.outcomes == ["99 at 200 ms", "99 at 200 ms"])
        #expect(course.raised == [.medium])
        #expect(course.told.count == 1)
    }

    @Test("without encryption, or if it is not wanted, the refusal stays, and so does the link")
    func refusalStays() throws {
        let unable = try course([Self.refused], Self.onDemand, nil)
        #expect(unable == Course(outcomes: ["insufficient encryption at 0 ms"], raised: [.medium], told: []))
        let unwilling = try course([Self.refused], SecurityPolicy(), .becomes(Self.encrypted, after: .zero))
        #expect(unwilling == Course(outcomes: ["insufficient encryption at 0 ms"], raised: [], told: []))
    }

    @Test("a demanded level is reached before the first request, also for callers that arrive meanwhile")
    func demanded() throws {
        let course = try course(
            [Self.answered, Self.answered],
            SecurityPolicy(level: .medium),
            .becomes(Self.encrypted, after: .milliseconds(200)),
            reads: 2
        )
        #expect(course.outcomes == ["99 at 200 ms", "99 at 200 ms"])
        #expect(course.raised == [.medium])
    }

    @Test("if the key is missing, nothing is sent and the link is closed")
    func keyMissing() throws {
        let course = try course([], SecurityPolicy(level: .medium), .ends(.closedLocally, after: .milliseconds(90)))
        let outcome = try #require(course.outcomes.first)
        #expect(outcome.hasPrefix("the link could not be encrypted: ") && outcome.hasSuffix(" at 90 ms"), "\(outcome)")
        #expect(course.closedAt != nil)
    }

    @Test("if the key is missing after a refusal, the request is not repeated without encryption")
    func keyMissingOnDemand() throws {
        let course = try course([Self.refused], Self.onDemand, .ends(.closedByPeer(nil), after: .milliseconds(90)))
        let outcome = try #require(course.outcomes.first)
        #expect(outcome.hasPrefix("the link could not be encrypted: "), "\(outcome)")
    }

    @Test("the wait for a key is limited, and closes the link")
    func silence() throws {
        for isDemanded in [true, false] {
            let course = try course(
                isDemanded ? [] : [Self.refused],
                isDemanded ? SecurityPolicy(level: .high) : Self.onDemand,
                .hangs
            )
            let outcome = try #require(course.outcomes.first)
            #expect(outcome.hasPrefix("the link was not encrypted within 30 s"), "\(outcome)")
            #expect(outcome.hasSuffix(" at 30000 ms"), "\(outcome)")
            #expect(course.closedAt == 30_000)
        }
    }

    @Test("a key shorter or weaker than demanded closes the link before the first request")
    func tooWeak() throws {
        let short = LinkSecurity(isEncrypted: true, keySize: 7)
        for policy in [SecurityPolicy(level: .medium, minimumKeySize: 16), SecurityPolicy(level: .high)] {
            let course = try course([], policy, .becomes(short, after: .zero))
            #expect(
                course.outcomes == [
                    "the link has less security than required: it is encrypted with an unauthenticated key of "
                        + "7 octets at 0 ms"
                ]
            )
            #expect(course.closedAt == 0)
        }
    }

    /// A guard of a link whose kernel has a key.
    private struct KeyHolder: LinkGuard {
        struct Lost: Error {}

        let verdict: LinkVerdict

        func mayRaise(
            _ link: ATTConnection,
            to level: SecurityLevel,
            within limit: Duration
        ) async throws -> LinkVerdict { verdict }

        func raised(_ security: LinkSecurity) {}
    }

    @Test("an encryption that the device began is not taken for the answer if a stronger key exists")
    func encryptionOfTheDevice() throws {
        let bonded = LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16)
        let policy = SecurityPolicy(level: .fips)
        let first = ScriptedChannel.Raising.becomes(Self.encrypted, after: .milliseconds(5))
        let second = ScriptedChannel.Raising.becomes(bonded, after: .milliseconds(10))
        let holder = KeyHolder(verdict: .encrypt(otherwise: KeyHolder.Lost()))
        #expect(
            try course([Self.answered], policy, first, again: second, guardedBy: holder)
                == Course(outcomes: ["99 at 15 ms"], raised: [.fips, .fips], told: [], closedAt: nil)
        )
        // Twice, and not more often.
        let weak = try course([], policy, first, again: first, guardedBy: holder)
        #expect(weak.raised == [.fips, .fips])
        #expect(weak.closedAt == 10)
        // Without a key the kernel would pair a second time.
        let stranger = KeyHolder(verdict: .raise(otherwise: nil))
        let once = try course([], policy, first, again: second, guardedBy: stranger)
        #expect(once.raised == [.fips])
        #expect(once.closedAt == 5)
    }

    /// A guard that cannot pair at first, such as for a person who mistypes a passkey.
    private final class Mistyping: LinkGuard {
        private let count = Mutex(0)
        private let time: any TimeSource

        var attempts: Int { count.withLock { $0 } }

        init(_ time: any TimeSource) { self.time = time }

        func mayRaise(
            _ link: ATTConnection,
            to level: SecurityLevel,
            within limit: Duration
        ) async throws -> LinkVerdict {
            let attempt = count.withLock { count in
                count += 1
                return count
            }
            try await time.sleep(for: .seconds(1))
            guard attempt > 1 else { throw KeyHolder.Lost() }
            return .raise(otherwise: nil)
        }

        func raised(_ security: LinkSecurity) {}
    }

    @Test("a pairing that failed before the first request is tried again once, for a later request")
    func mistyped() throws {
        let (outcomes, attempts, raised) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([Self.answered, Self.answered], time, scope)
            channel.whenRaised(.becomes(Self.encrypted, after: .zero))
            let linkGuard = Mistyping(time)
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: SecurityPolicy(level: .medium),
                guardedBy: linkGuard
            )
            let read: @Sendable () async throws -> String = {
                do {
                    return Hex.string(try await connection.perform(ReadValue(0x42)).value)
                } catch let failure as SecurityFailure {
                    return "\(failure.problem)"
                }
            }
            let first = (0..<2).map { _ in Running(scope, time, read) }
            try await time.sleep(for: .seconds(10))
            let later = (0..<2).map { _ in Running(scope, time, read) }
            try await time.sleep(for: .seconds(10))
            let outcomes = (first + later).map { $0.outcome?.description ?? "none" }
            return (outcomes, linkGuard.attempts, channel.raised)
        }
        #expect(outcomes == ["unavailable at 1000 ms", "unavailable at 1000 ms", "99 at 11000 ms", "99 at 11000 ms"])
        #expect(attempts == 2)
        #expect(raised == [.medium])
    }

    @Test("an exchange of the MTU that such a pairing prevented is made later, once")
    func mistypedBeforeExchange() throws {
        let value = String(repeating: "07", count: 100)
        let script: Script = [turn("02 0502", "03 0502"), turn("12 4200" + value, "13")]
        let (outcomes, method) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(script, time, scope)
            channel.whenRaised(.becomes(Self.encrypted, after: .zero))
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: SecurityPolicy(level: .medium),
                guardedBy: Mistyping(time)
            )
            let exchange: @Sendable () async throws -> String = {
                do {
                    return "\(try await connection.exchangeMTU())"
                } catch let failure as SecurityFailure {
                    return "\(failure.problem)"
                }
            }
            let first = (0..<2).map { _ in Running(scope, time, exchange) }
            try await time.sleep(for: .seconds(10))
            let later = (0..<2).map { _ in Running(scope, time, exchange) }
            try await time.sleep(for: .seconds(10))
            let method = try await connection.write([UInt8](repeating: 7, count: 100), to: 0x42)
            #expect(channel.isPlayed)
            return ((first + later).map { $0.outcome?.description ?? "none" }, method)
        }
        #expect(outcomes == ["unavailable at 1000 ms", "unavailable at 1000 ms", "517 at 11000 ms", "517 at 11000 ms"])
        #expect(method == .request)
    }

    @Test("a write without response waits for the demanded level, too")
    func command() throws {
        let (sent, raised) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("52 4200 07")], time, scope)
            channel.whenRaised(.becomes(Self.encrypted, after: .milliseconds(200)))
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: SecurityPolicy(level: .medium)
            )
            try await connection.writeWithoutResponse([7], to: 0x42)
            return (channel.sentWithTimes.map(\.description), channel.raised)
        }
        #expect(sent == ["524200" + "07 at 200 ms"])
        #expect(raised == [.medium])
    }
}

/// Texts from callbacks, in their order.
private final class TextLog: Sendable {
    private let state = Mutex<[String]>([])

    var texts: [String] { state.withLock { $0 } }

    func add(_ text: String) { state.withLock { $0.append(text) } }
}
