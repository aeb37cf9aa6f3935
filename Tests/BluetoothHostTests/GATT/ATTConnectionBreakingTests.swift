// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

/// Every operation, broken at every packet.
@Suite("ATTConnection: operations that go wrong")
struct ATTConnectionBreakingTests {
    typealias Point = ScriptedOperation.BreakingPoint

    /// A later request of another caller, which has to get its own answer.
    private static let probe = turn("0a 4200", "0b 99")
    private static let cancelPrepared = turn("18 00", "19")

    @Test("the normal course", arguments: ScriptedOperation.all)
    func normal(operation: ScriptedOperation) throws {
        let (outcome, isPlayed) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(operation.script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) { try await operation.run(connection) }
            try await time.sleep(for: .seconds(1))
            return (running.outcome?.description, channel.isPlayed)
        }
        #expect(outcome == "\(operation.result) at 0 ms")
        #expect(isPlayed)
    }

    @Test(
        "cancelled after any packet: it ends, the queue is cancelled, and the late answer goes to nobody else",
        arguments: ScriptedOperation.breakingPoints
    )
    func cancelled(point: Point) throws {
        let (outcomes, sent, isPlayed, closedAt) = try inVirtualTime { time, scope in
            let script =
                point.operation.script.delaying(at: point.packet, by: .milliseconds(100))
                + (point.hasPrepared ? [Self.cancelPrepared] : []) + [Self.probe]
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) { try await point.operation.run(connection) }
            try await time.sleep(for: .milliseconds(10))
            running.cancel()
            try await time.sleep(for: .milliseconds(10))
            // The request is on its way still: this one has to wait for its answer.
            let probe = Running(scope, time) { Hex.string(try await connection.perform(ReadValue(0x42)).value) }
            try await time.sleep(for: .seconds(60))
            return (
                [running.outcome?.description, probe.outcome?.description], channel.sentWithTimes.suffix(2),
                channel.isPlayed, channel.closedAt
            )
        }
        // Tidying up waits for the answer that is under way.
        #expect(outcomes == ["cancelled at \(point.hasPrepared ? 100 : 10) ms", "99 at 100 ms"])
        #expect(sent.last?.instant == .zero + .milliseconds(100))
        #expect(isPlayed)
        #expect(closedAt == nil)
    }

    @Test(
        "a device that stalls at any packet ends the operation at its deadline, and the link 30 s after the packet",
        arguments: ScriptedOperation.breakingPoints
    )
    func stalled(point: Point) throws {
        let (outcomes, closedAt, count) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(point.operation.script.stalling(at: point.packet), time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) {
                try await withDeadline(time.now + .seconds(5), time, operation: "it") {
                    try await point.operation.run(connection)
                }
            }
            try await time.sleep(for: .seconds(10))
            let waiting = Running(scope, time) { try await connection.perform(ReadValue(0x42)) }
            try await time.sleep(for: .seconds(60))
            let late = Running(scope, time) { try await connection.perform(ReadValue(0x42)) }
            try await time.sleep(for: .seconds(60))
            return (
                [running, waiting, late].map { $0.outcome?.description }, channel.closedAt, channel.sent.count
            )
        }
        // What was prepared cannot be cancelled: that is waited for no longer than the tidying up may take.
        #expect(outcomes[0] == "late: it at \(point.hasPrepared ? 5_750 : 5_000) ms")
        #expect(outcomes[1] == "att: no answer within 30 s at 30000 ms")
        #expect(outcomes[2] == "radio: closedLocally at 70000 ms")
        #expect(closedAt == .zero + .seconds(30))
        #expect(count == point.packet + 1)
    }

    @Test(
        "a device that stalls at any packet, without a deadline: it ends after 30 s, and nothing is sent again",
        arguments: ScriptedOperation.breakingPoints
    )
    func timedOut(point: Point) throws {
        let (outcome, count, end) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(point.operation.script.stalling(at: point.packet), time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) { try await point.operation.run(connection) }
            try await time.sleep(for: .seconds(100))
            return (running.outcome?.description, channel.sent.count, connection.end)
        }
        #expect(outcome == "att: no answer within 30 s at 30000 ms")
        #expect(count == point.packet + 1)
        #expect(end?.operation.hasSuffix("no answer within 30 s") == true)
    }

    @Test(
        "the link breaks at any packet: present and later callers get the same error",
        arguments: ScriptedOperation.breakingPoints
    )
    func lost(point: Point) throws {
        let lost = RadioError.Cause.linkLost(HCIStatus(rawValue: 0x08))
        let (outcomes, count) = try inVirtualTime { time, scope in
            let script = point.operation.script.delaying(at: point.packet, by: .seconds(60))
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let observation = await connection.observe(nil, in: scope)
            let waiting = [
                Running(scope, time) { try await point.operation.run(connection) },
                Running(scope, time) { "\(try await observation.next())" },
                Running(scope, time) {
                    try await time.sleep(for: .milliseconds(1))
                    return "\(try await connection.perform(ReadValue(0x42)))"
                },
            ]
            try await time.sleep(for: .seconds(1))
            channel.end(lost)
            try await time.sleep(for: .seconds(1))
            let late = [
                Running(scope, time) { try await point.operation.run(connection) },
                Running(scope, time) {
                    try await connection.send(.write(WriteCommand(handle: 3, value: [1])))
                    return "sent"
                },
                Running(scope, time) { "\(try await connection.observe(3, in: scope).next())" },
            ]
            try await time.sleep(for: .seconds(1))
            return ((waiting + late).map { $0.outcome?.description }, channel.sent.count)
        }
        #expect(
            outcomes == Array(repeating: "radio: \(lost) at 1000 ms", count: 3)
                + Array(repeating: "radio: \(lost) at 2000 ms", count: 3)
        )
        #expect(count == point.packet + 1)
    }

    @Test(
        "a channel that accepts no more packets, from any packet on",
        arguments: ScriptedOperation.breakingPoints
    )
    func unsendable(point: Point) throws {
        let (outcome, closedAt) = try inVirtualTime { time, scope in
            var script = point.operation.script
            if point.packet > 0 { script = script.delaying(at: point.packet - 1, by: .milliseconds(50)) }
            let channel = ScriptedChannel(script, time, scope)
            if point.packet == 0 { channel.failSending(.closedByPeer(nil)) }
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) { try await point.operation.run(connection) }
            try await time.sleep(for: .milliseconds(10))
            channel.failSending(.closedByPeer(nil))
            try await time.sleep(for: .seconds(60))
            return (running.outcome?.description, channel.closedAt)
        }
        let moment = point.packet == 0 ? 0 : 50
        #expect(outcome == "radio: closedByPeer(nil) at \(moment) ms")
        #expect(closedAt?.milliseconds == Int64(moment))
    }

    @Test("a cancelled task sends nothing", arguments: ScriptedOperation.all)
    func cancelledBefore(operation: ScriptedOperation) throws {
        let (outcome, sent) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("02 0502", "03 1700")], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                return try await operation.run(connection)
            }
            running.cancel()
            try await time.sleep(for: .seconds(60))
            return (running.outcome?.text, channel.sent)
        }
        #expect(outcome == "cancelled")
        // The exchange of the MTU is shared: it is completed for later callers.
        #expect(sent == [] || sent == ["020502"])
    }
}
