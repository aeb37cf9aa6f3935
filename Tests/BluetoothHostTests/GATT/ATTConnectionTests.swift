// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("ATTConnection")
struct ATTConnectionTests {
    private static func read(
        _ handle: Handle,
        _ connection: ATTConnection,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) -> Running {
        Running(scope, time) { Hex.string(try await connection.perform(ReadValue(handle)).value) }
    }

    @Test func `a failed preparation is repeated by the next request, and not by those that waited for it`() throws {
        let (outcomes, attempts) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("0a 4200", "0b 99")], time, scope)
            let attempts = Mutex(0)
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: SecurityPolicy(),
                preparation: {
                    let attempt = attempts.withLock { count in
                        count += 1
                        return count
                    }
                    try await time.sleep(for: .seconds(1))
                    if attempt == 1 { throw RadioError(.controllerSilent, during: "preparation") }
                }
            )
            let early = (0..<2).map { _ in Self.read(0x42, connection, time, scope) }
            try await time.sleep(for: .seconds(2))
            let late = Self.read(0x42, connection, time, scope)
            try await time.sleep(for: .seconds(2))
            return ((early + [late]).map { $0.outcome?.description }, attempts.withLock { $0 })
        }
        let failure = "radio: controllerSilent at 1000 ms"
        #expect(outcomes == [failure, failure, "99 at 3000 ms"])
        #expect(attempts == 2)
    }

    // MARK: - MTU

    @Test("the MTU is exchanged once for all callers, even later and cancelled ones")
    func mtuOnce() throws {
        let (outcomes, sent) = try inVirtualTime { time, scope in
            let script: Script = [turn("02 0502", reactions: [.packet("03 f700", after: .seconds(1))])]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            var all = (0..<3).map { _ in Running(scope, time) { try await connection.exchangeMTU() } }
            try await time.sleep(for: .milliseconds(500))
            all[0].cancel()
            try await time.sleep(for: .seconds(1))
            all.append(Running(scope, time) { try await connection.exchangeMTU() })
            try await time.sleep(for: .seconds(1))
            return (all.map { $0.outcome?.description }, channel.sent)
        }
        #expect(outcomes == ["cancelled at 500 ms", "247 at 1000 ms", "247 at 1000 ms", "247 at 1500 ms"])
        #expect(sent == ["020502"])
    }

    @Test("an exchange prevented by a failed preparation is made later; one that failed in transit is not")
    func mtuAfterFailure() throws {
        let exchange = turn("02 0502", reactions: [.packet("03 f700", after: .seconds(1))])
        let garbled = turn("02 0502", reactions: [.packet("03", after: .seconds(1))])
        func outcomes(_ turn: Script.Turn, preparationFails: Bool) throws -> [String?] {
            try inVirtualTime { time, scope in
                let channel = ScriptedChannel([turn], time, scope)
                let fails = Mutex(preparationFails)
                let connection = ATTConnection.start(
                    channel,
                    scope: scope,
                    time: time,
                    security: SecurityPolicy(),
                    preparation: {
                        let failsNow = fails.withLock { fails in
                            defer { fails = false }
                            return fails
                        }
                        if failsNow { throw RadioError(.controllerSilent, during: "preparation") }
                    }
                )
                var running: [Running] = []
                for _ in 0..<3 {
                    running.append(Running(scope, time) { try await connection.exchangeMTU() })
                    try await time.sleep(for: .seconds(5))
                }
                #expect(channel.isPlayed && connection.end == nil)
                return running.map { $0.outcome?.text }
            }
        }
        #expect(try outcomes(exchange, preparationFails: true) == ["radio: controllerSilent", "247", "247"])
        let failed = try outcomes(garbled, preparationFails: false)
        #expect(failed.first??.hasPrefix("att: ") == true)
        #expect(Set(failed).count == 1)
    }

    @Test("the offered MTU is what the channel can receive, and 517 at most, in both roles")
    func offers() throws {
        for (maximum, offered) in [(UInt16(672), "0502"), (100, "6400")] {
            let sent = try inVirtualTime { time, scope in
                let channel = ScriptedChannel(
                    [
                        turn("02 \(offered)", reactions: [.packet("02 1700"), .packet("03 1700")]),
                        turn("03 \(offered)"),
                    ],
                    time,
                    scope,
                    maximumMTU: maximum
                )
                let connection = ATTConnection.start(channel, scope: scope, time: time)
                _ = try await connection.exchangeMTU()
                return channel.sent
            }
            #expect(sent == ["02\(offered)", "03\(offered)"])
        }
    }

    @Test("an answer is judged whole by the MTU at the time of the request")
    func mtuOfTheAnswer() throws {
        let outcomes = try inVirtualTime { time, scope in
            let cut = String(repeating: "00", count: 22)
            // The exchange waits behind the read in the queue, and its answer comes right after the read's.
            let script: Script = [
                turn("0a 0300", reactions: [.packet("0b \(cut)", after: .seconds(1))]), turn("02 0502", "03 0502"),
            ]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let read = Running(scope, time) { try await connection.perform(ReadValue(3)).mayBeCut }
            try await time.sleep(for: .milliseconds(10))
            let exchange = Running(scope, time) { try await connection.exchangeMTU() }
            try await time.sleep(for: .seconds(5))
            return [read, exchange].map { $0.outcome?.description }
        }
        #expect(outcomes == ["true at 1000 ms", "517 at 1000 ms"])
    }

    @Test("an answer in transit while the device exchanges the MTU has the old one")
    func mtuOfTheAnswerAndTheDevice() throws {
        let (mayBeCut, mtu) = try inVirtualTime { time, scope in
            let cut = String(repeating: "00", count: 22)
            let script: Script = [
                turn("0a 0300", reactions: [.packet("02 0502"), .packet("0b \(cut)", after: .seconds(1))]),
                turn("03 0502"),
            ]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let value = try await connection.perform(ReadValue(3))
            return (value.mayBeCut, await connection.mtu)
        }
        #expect(mayBeCut)
        #expect(mtu == 517)
    }

    // MARK: - Answers

    @Test("requests of many callers are sent one at a time, and each caller gets its own answer")
    func order() throws {
        let outcomes = try inVirtualTime { time, scope in
            let script = Script(
                (1...9).map { number in
                    turn("0a 0\(number)00", reactions: [.packet("0b 0\(number)", after: .milliseconds(10))])
                }
            )
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let all = (1...9).map { Self.read(Handle(UInt16($0)), connection, time, scope) }
            try await time.sleep(for: .seconds(5))
            return all.map { $0.outcome?.description }
        }
        #expect(outcomes == (1...9).map { "0\($0) at \($0)0 ms" })
    }

    @Test("the queue has room for every caller")
    func longLine() throws {
        let outcomes = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(time, scope) { request in [0x0B, request[1]] }
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let all = (1...200).map { Self.read(Handle(UInt16($0)), connection, time, scope) }
            try await time.sleep(for: .seconds(5))
            return all.map { $0.outcome?.description }
        }
        #expect(outcomes == (1...200).map { "\(Hex.string([UInt8($0)])) at 0 ms" })
    }

    @Test("a request cancelled in the queue is never sent")
    func cancelledInLine() throws {
        let (outcomes, sent) = try inVirtualTime { time, scope in
            let script: Script = [
                turn("0a 0100", reactions: [.packet("0b 01", after: .seconds(1))]), turn("0a 0300", "0b 03"),
            ]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let all = (1...3).map { Self.read(Handle(UInt16($0)), connection, time, scope) }
            try await time.sleep(for: .milliseconds(100))
            all[1].cancel()
            try await time.sleep(for: .seconds(5))
            return (all.map { $0.outcome?.description }, channel.sent)
        }
        #expect(outcomes == ["01 at 1000 ms", "cancelled at 100 ms", "03 at 1000 ms"])
        #expect(sent == ["0a0100", "0a0300"])
    }

    @Test("an answer to another request ends the link, with the reason for every caller; odd packets are reported")
    func oddAnswers() throws {
        let diagnostics = Mutex<[String]>([])
        let (outcomes, closedAt, end) = try inVirtualTime { time, scope in
            let script: Script = [
                turn("0a 0100", reactions: [.packet("0b 01"), .packet("0b 01"), .packet("")]),
                turn("0a 0200", reactions: [.packet("13", after: .seconds(1))]),
            ]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time) { oddity in
                diagnostics.withLock { $0.append(oddity.text) }
            }
            var all = [Self.read(1, connection, time, scope)]
            try await time.sleep(for: .milliseconds(1))
            all += (2...3).map { Self.read(Handle(UInt16($0)), connection, time, scope) }
            try await time.sleep(for: .seconds(5))
            let late = Self.read(4, connection, time, scope)
            try await time.sleep(for: .seconds(5))
            return ((all + [late]).map { $0.outcome?.description }, channel.closedAt, connection.end)
        }
        let invalid = "invalid answer to Read Request: Write Response (13)"
        #expect(
            outcomes == [
                "01 at 0 ms", "att: \(invalid) at 1001 ms", "att: \(invalid) at 1001 ms",
                "radio: closedLocally at 5001 ms",
            ]
        )
        #expect(closedAt?.milliseconds == 1_001)
        #expect(end?.operation == "connection to F0:F1:F2:F3:F4:F5: \(invalid)")
        #expect(
            diagnostics.withLock { $0 } == [
                "F0:F1:F2:F3:F4:F5: ignored Read Response to no request", "F0:F1:F2:F3:F4:F5: dropped an empty PDU",
            ]
        )
    }

    @Test("the device's own requests are answered during ours")
    func peersRequests() throws {
        let (outcome, sent) = try inVirtualTime { time, scope in
            let script: Script = [
                turn("0a 0300", reactions: [.packet("10 0100 ffff 0028"), .packet("0a 0100"), .packet("0b 07")]),
                turn("01 10 0100 0a"), turn("01 0a 0100 06"),
            ]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let read = Self.read(3, connection, time, scope)
            try await time.sleep(for: .seconds(1))
            return (read.outcome?.text, channel.sent.count)
        }
        #expect(outcome == "07")
        #expect(sent == 3)
    }

    // MARK: - Ends

    @Test("closing fails every waiting caller and closes the channel; afterwards the link counts as lost")
    func closes() throws {
        let (outcomes, closedAt, isProven) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("0a 0100")], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let observation = await connection.observe(nil, in: scope)
            let all = [
                Self.read(1, connection, time, scope), Self.read(2, connection, time, scope),
                Running(scope, time) { "\(try await observation.next())" },
            ]
            try await time.sleep(for: .seconds(1))
            connection.close()
            connection.close()
            let late = Self.read(3, connection, time, scope)
            try await time.sleep(for: .seconds(1))
            return ((all + [late]).map { $0.outcome?.description }, channel.closedAt, connection.isProven)
        }
        #expect(outcomes == Array(repeating: "radio: closedLocally at 1000 ms", count: 4))
        #expect(closedAt == .zero + .seconds(1))
        #expect(!isProven)
    }

    @Test("the end of the scope closes the link, at once if the scope has already ended")
    func scopeEnds() throws {
        let (outcomes, moments) = try inVirtualTime { time, outer in
            let (read, channel, scope) = await withTaskScope { scope in
                let channel = ScriptedChannel([turn("0a 0100")], time, outer)
                let connection = ATTConnection.start(channel, scope: scope, time: time)
                let read = Self.read(1, connection, time, outer)
                try? await time.sleep(for: .seconds(1))
                return (read, channel, scope)
            }
            let other = ScriptedChannel([], time, outer)
            let connection = ATTConnection.start(other, scope: scope, time: time)
            let late = Self.read(1, connection, time, outer)
            try await time.sleep(for: .seconds(1))
            return (
                [read, late].map { $0.outcome?.description }, [channel, other].map { $0.closedAt?.milliseconds }
            )
        }
        #expect(outcomes == ["radio: cancelled at 1000 ms", "radio: closedLocally at 1000 ms"])
        #expect(moments == [1_000, 1_000])
    }
}
