// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("The enhanced bearers of a client (Vol 3, Part F, 3.2.11)")
struct EnhancedBearerTests {
    /// Server Supported Features with bit 0 and one of a later version, and the Client Supported Features that are written
    /// for it.
    private static let features: Script = [
        turn("08 0100 ffff 3a2b", "09 03 0500 81"), turn("08 0100 ffff 292b", "09 03 0700 00"),
        turn("12 0700 06", "13"),
    ]
    private static var encrypted: LinkSecurity {
        var security = LinkSecurity.none
        security.isEncrypted = true
        security.keySize = 16
        return security
    }

    private static func wanted(_ count: Int) -> BearerRequest {
        var request = BearerRequest()
        request.enhanced = count
        return request
    }

    private static func start(
        _ channel: ScriptedChannel,
        _ request: BearerRequest,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) -> ATTConnection {
        ATTConnection.start(
            channel,
            scope: scope,
            time: time,
            security: SecurityPolicy(),
            guardedBy: nil,
            bearers: request
        )
    }

    private static func read(
        _ handle: Handle,
        _ connection: ATTConnection,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) -> Running {
        Running(scope, time) { Hex.string(try await connection.perform(ReadValue(handle)).value) }
    }

    private static func slow(_ hex: String, _ answer: String) -> Script.Turn {
        turn(hex, reactions: [.packet(answer, after: .seconds(1))])
    }

    @Test("requests run on the bearers at once, one on each, and the others wait")
    func spread() throws {
        let (outcomes, sent, bearers) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(Self.features, time, scope)
            channel.become(Self.encrypted)
            let first = ScriptedChannel([Self.slow("0a 0100", "0b 01"), Self.slow("0a 0300", "0b 03")], time, scope)
            let second = ScriptedChannel([Self.slow("0a 0200", "0b 02")], time, scope, maximumMTU: 517)
            channel.whenAsked(for: .success([first, second]))
            let connection = Self.start(channel, Self.wanted(2), time, scope)
            let all = [1, 2, 3].map { Self.read(Handle($0), connection, time, scope) }
            try await time.sleep(for: .seconds(5))
            // There is no exchange on an enhanced bearer, and none is needed.
            let mtu = try await connection.exchangeMTU()
            #expect(mtu == 517)
            return (all.map { $0.outcome?.description }, channel.sent.count, await connection.bearers)
        }
        #expect(outcomes == ["01 at 1000 ms", "02 at 1000 ms", "03 at 2000 ms"])
        #expect(sent == 3, "the questions for the features")
        #expect(bearers.enhanced == [517, 517])
        #expect(bearers.mtu == 23)
    }

    @Test("a device that does not offer bearers is used as every other one")
    func notOffered() throws {
        let (outcome, asked, bearers) = try inVirtualTime { time, scope in
            let script: Script = [turn("08 0100 ffff 3a2b", "01 08 0100 0a"), turn("0a 0100", "0b 01")]
            let channel = ScriptedChannel(script, time, scope)
            channel.whenAsked(for: .success([]))
            let connection = Self.start(channel, Self.wanted(3), time, scope)
            let read = Self.read(0x01, connection, time, scope)
            try await time.sleep(for: .seconds(1))
            return (read.outcome?.text, channel.asked, await connection.bearers)
        }
        #expect(outcome == "01")
        #expect(asked == [])
        #expect(bearers.lack == .notOffered)
    }

    @Test("a device that refuses them, and a link that cannot be encrypted")
    func refused() throws {
        func lack(_ cause: RadioError.Cause, isEncrypted: Bool) throws -> BearerOutcome.Lack? {
            try inVirtualTime { time, scope in
                let script = isEncrypted ? Self.features : Script(Array(Self.features.turns.prefix(1)))
                let channel = ScriptedChannel(script, time, scope)
                if isEncrypted { channel.become(Self.encrypted) }
                channel.whenAsked(for: .failure(RadioError(cause, during: "script")))
                let connection = Self.start(channel, BearerRequest(), time, scope)
                return try await connection.fulfil(Self.wanted(3)).lack
            }
        }
        #expect(try lack(.channelRefused(.noResources), isEncrypted: true) == .refused(.noResources))
        #expect(try lack(.connectTimedOut, isEncrypted: true) == .refused(nil))
        #expect(try lack(.channelMisused("rule"), isEncrypted: true) == .unusable("rule"))
        #expect(try lack(.connectTimedOut, isEncrypted: false) == .notEncrypted)
        let failure = try inVirtualTime { time, scope in
            let connection = Self.start(ScriptedChannel([], time, scope), BearerRequest(), time, scope)
            let outcome = Running(scope, time) { try await connection.fulfil(Self.wanted(1)) }
            try await time.sleep(for: .seconds(1))
            return outcome.outcome?.text
        }
        #expect(failure == "radio: unsupported", "the radio has none")
    }

    @Test("a bearer that the device closes: a read goes to another one, and a write fails")
    func closed() throws {
        let (outcomes, bearers) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(Self.features, time, scope)
            channel.become(Self.encrypted)
            let first = ScriptedChannel(
                [turn("0a 0100", reactions: [.end(.closedByPeer(nil), after: .seconds(1))])],
                time,
                scope,
                maximumMTU: 100
            )
            let second = ScriptedChannel(
                [Self.slow("0a 0200", "0b 02"), turn("0a 0100", "0b 01"), turn("12 0300 09", reactions: [])],
                time,
                scope,
                maximumMTU: 100
            )
            channel.whenAsked(for: .success([first, second]))
            let connection = Self.start(channel, Self.wanted(2), time, scope)
            let reads = [1, 2].map { Self.read(Handle($0), connection, time, scope) }
            try await time.sleep(for: .seconds(2))
            let write = Running(scope, time) { try await connection.perform(WriteValue([9], to: 0x03)) }
            try await time.sleep(for: .seconds(1))
            second.end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            let all = reads + [write]
            return (all.map { $0.outcome?.text }, await connection.bearers)
        }
        #expect(outcomes == ["01", "02", "radio: closedByPeer(nil)"])
        #expect(bearers.enhanced == [])
    }

    @Test("values come over each bearer, and the end of the link ends all")
    func values() throws {
        let (confirmations, values, closings) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(Self.features, time, scope)
            channel.become(Self.encrypted)
            let bearer = ScriptedChannel([turn("1e", reactions: [])], time, scope, maximumMTU: 100)
            channel.whenAsked(for: .success([bearer]))
            let connection = Self.start(channel, BearerRequest(), time, scope)
            let values = AsyncStream<Handle>.makeStream()
            let sink = ValueSink(
                received: { event in
                    values.continuation.yield(event.handle)
                    return true
                },
                ended: { _ in values.continuation.finish() }
            )
            _ = await connection.observe(nil, sink)
            _ = try await connection.fulfil(Self.wanted(1))
            channel.push("1b 0100 01")
            bearer.push("1d 0200 02")
            bearer.push("23 0300 0100 01 0400 0100 01")
            try await time.sleep(for: .seconds(1))
            channel.end(.linkLost(nil))
            var seen: [Handle] = []
            for await handle in values.stream { seen.append(handle) }
            return (bearer.sent, seen, bearer.closedAt)
        }
        #expect(confirmations == ["1e"])
        #expect(Set(values) == [0x01, 0x02, 0x03, 0x04])
        #expect(closings != nil)
    }

    @Test("the exchange of the MTU is made as it is asked for", arguments: [23, 100, 517])
    func exchange(size: UInt16) throws {
        let (mtu, sent) = try inVirtualTime { time, scope in
            let request = "02 \(Hex.string([UInt8(size & 0xFF), UInt8(size >> 8)]))"
            let script: Script = [turn(request, "03 f700"), turn("52 0100 01", reactions: [])]
            let channel = ScriptedChannel(script, time, scope)
            var wanted = BearerRequest()
            wanted.exchange = .offering(size)
            let connection = Self.start(channel, wanted, time, scope)
            try await connection.send(.write(WriteCommand(handle: 0x0001, value: [1])))
            return (await connection.mtu, channel.sent.count)
        }
        #expect(mtu == min(size, 247))
        #expect(sent == 2, "before the first command")
    }

    @Test("without an exchange a long value is written in parts")
    func noExchange() throws {
        let mtu = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(time, scope) { octets in
                switch octets.first {
                case 0x16: [0x17] + octets.dropFirst()
                case 0x18: [0x19]
                default: nil
                }
            }
            var request = BearerRequest()
            request.exchange = .never
            let connection = Self.start(channel, request, time, scope)
            #expect(try await connection.write([UInt8](repeating: 1, count: 30), to: 0x01) == .prepared)
            #expect(try await connection.exchangeMTU() == 23)
            // What the device asks for is answered in kind.
            channel.push("02 0502")
            try await time.sleep(for: .seconds(1))
            #expect(channel.sent.last == "031700")
            return await connection.mtu
        }
        #expect(mtu == 23)
    }
}
