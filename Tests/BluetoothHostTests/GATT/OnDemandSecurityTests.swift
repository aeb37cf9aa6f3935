// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("ATTConnection: security that cannot be raised on demand")
struct OnDemandSecurityTests {
    private static let refused = turn("0a 4200", "01 0a 4200 0f")
    private static let refusal = ATTErrorResponse(
        requestOpcode: .readRequest,
        handle: 0x42,
        code: .insufficientEncryption
    )
    private static let policy = SecurityPolicy(
        raisesOnDemand: true,
        timeout: .seconds(20),
        onDemandTimeout: .seconds(4)
    )

    /// The failure of a read of 0x0042, and its time in milliseconds.
    private func failure(
        _ script: Script,
        _ policy: SecurityPolicy,
        _ raising: ScriptedChannel.Raising
    ) throws -> (SecurityFailure?, Int64) {
        try inVirtualTime { time, scope in
            let channel = ScriptedChannel(script, time, scope)
            channel.whenRaised(raising)
            let connection = ATTConnection.start(channel, scope: scope, time: time, security: policy)
            let failure = await #expect(throws: SecurityFailure.self) { try await connection.perform(ReadValue(0x42)) }
            return (failure, time.now.milliseconds)
        }
    }

    @Test("the attempt has its own time limit, and its error carries the refusal")
    func refusalIsCarried() throws {
        let (failure, end) = try failure([Self.refused], Self.policy, .hangs)
        #expect(failure?.refusal == Self.refusal)
        #expect(failure?.problem == .timedOut(.seconds(4)))
        #expect(end == 4_000)
    }

    @Test("a demanded level has the long time limit, and its error no refusal")
    func demanded() throws {
        var policy = Self.policy
        policy.level = .medium
        let (failure, end) = try failure([], policy, .hangs)
        #expect(failure != nil && failure?.refusal == nil)
        #expect(failure?.problem == .timedOut(.seconds(20)))
        #expect(end == 20_000)
    }

    @Test("the error of a lost key carries the refusal, too")
    func lostKey() throws {
        let (failure, _) = try failure([Self.refused], Self.policy, .ends(.closedByPeer(nil), after: .zero))
        #expect(failure?.refusal == Self.refusal)
    }

    @Test("the next link does not try again for a while, and then does")
    func pause() throws {
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio(
                [.connects([Self.refused]), .connects([Self.refused]), .connects([Self.refused])],
                time,
                scope
            )
            var configuration = Peripheral.Configuration()
            configuration.security = Self.policy
            let peripheral = Peripheral(
                .scripted,
                radio: radio,
                scope: scope,
                time: time,
                configuration: configuration
            )
            func read() async throws -> any Error {
                _ = try await peripheral.connection()
                radio.channels.last?.whenRaised(.hangs)
                return try #require(
                    await #expect(throws: (any Error).self) { try await peripheral.attribute(at: 0x42).read() }
                )
            }
            #expect(try await read() is SecurityFailure)
            await peripheral.disconnect()
            #expect(try await read() as? GATTError == .refused(Self.refusal))
            await peripheral.disconnect()
            try await time.sleep(for: .seconds(30))
            #expect(try await read() is SecurityFailure)
            #expect(radio.channels.map(\.raised) == [[.medium], [], [.medium]])
        }
    }
}
