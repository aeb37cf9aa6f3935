// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("ATTConnection: prepared writes and commands")
struct ATTConnectionWritingTests {
    private static let first = Array(repeating: UInt8(0x11), count: 20)
    private static let second = Array(repeating: UInt8(0x22), count: 20)

    /// The parts of a value of 20 octets as they are prepared and echoed, with an MTU of 23.
    private static func parts(_ octet: String, at handle: String) -> Script {
        let head = "\(handle) 0000 " + String(repeating: octet, count: 18)
        let tail = "\(handle) 1200 " + String(repeating: octet, count: 2)
        return [turn("16 \(head)", "17 \(head)"), turn("16 \(tail)", "17 \(tail)")]
    }

    private static let execute: Script = [turn("18 01", "19")]
    private static let cancel: Script = [turn("18 00", "19")]

    /// Runs long writes and others on a scripted channel, and says what became of them.
    private func run(
        _ script: Script,
        _ body: @escaping @Sendable (ATTConnection, ScriptedChannel, VirtualTime, TaskScope) async throws -> [Running]
    ) throws -> (outcomes: [String?], sent: [String], isPlayed: Bool, closedAt: Instant?) {
        try inVirtualTime { time, scope in
            let channel = ScriptedChannel(script, time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let running = try await body(connection, channel, time, scope)
            try await time.sleep(for: .seconds(100))
            return (
                running.map { $0.outcome?.description }, channel.sentWithTimes.map(\.description), channel.isPlayed,
                channel.closedAt
            )
        }
    }

    private static func write(
        _ value: [UInt8],
        to handle: Handle,
        _ connection: ATTConnection,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) -> Running {
        Running(scope, time) {
            try await connection.perform(WriteLongValue(value, to: handle))
            return "written"
        }
    }

    @Test("two simultaneous long writes take turns: their parts are never executed together")
    func turns() throws {
        let script =
            Self.parts("11", at: "0700").delaying(at: 1, by: .milliseconds(50)) + Self.execute
            + Self.parts("22", at: "0900") + Self.execute
        let (outcomes, _, isPlayed, _) = try run(script) { connection, _, time, scope in
            [
                Self.write(Self.first, to: 7, connection, time, scope),
                Self.write(Self.second, to: 9, connection, time, scope),
            ]
        }
        #expect(outcomes == ["written at 50 ms", "written at 50 ms"])
        #expect(isPlayed)
    }

    @Test("a read passes between the parts of a long write")
    func readBetween() throws {
        let parts = Self.parts("11", at: "0700")
        let script =
            Script([parts.turns[0]]).delaying(at: 0, by: .milliseconds(50)) + [turn("0a 0300", "0b 01")]
            + [parts.turns[1]] + Self.execute
        let (outcomes, _, isPlayed, _) = try run(script) { connection, _, time, scope in
            let write = Self.write(Self.first, to: 7, connection, time, scope)
            try await time.sleep(for: .milliseconds(10))
            return [write, Running(scope, time) { try await connection.perform(ReadValue(3)).value }]
        }
        #expect(outcomes == ["written at 50 ms", "[1] at 50 ms"])
        #expect(isPlayed)
    }

    @Test("the queue is cancelled before the next long write, however slow the device is")
    func slowCancel() throws {
        let script =
            Self.parts("11", at: "0700").delaying(at: 1, by: .seconds(20)) + Self.cancel + Self.parts("22", at: "0900")
            + Self.execute
        let (outcomes, sent, isPlayed, closedAt) = try run(script) { connection, _, time, scope in
            let given = Self.write(Self.first, to: 7, connection, time, scope)
            try await time.sleep(for: .seconds(1))
            given.cancel()
            try await time.sleep(for: .milliseconds(10))
            return [given, Self.write(Self.second, to: 9, connection, time, scope)]
        }
        // The wait for the tidying up is bounded; the tidying up itself stays in line.
        #expect(outcomes == ["cancelled at 1750 ms", "written at 20000 ms"])
        #expect(sent[2] == "1800 at 20000 ms")
        #expect(isPlayed)
        #expect(closedAt == nil)
    }

    @Test("a write abandoned while Execute Write waits behind another request cancels the queue")
    func cancelledInLine() throws {
        let script =
            Self.parts("11", at: "0700").delaying(at: 1, by: .milliseconds(100))
            + [turn("0a 0300", reactions: [.packet("0b 01", after: .milliseconds(100))])] + Self.cancel
        let (outcomes, _, isPlayed, _) = try run(script) { connection, _, time, scope in
            let given = Self.write(Self.first, to: 7, connection, time, scope)
            try await time.sleep(for: .milliseconds(50))
            let read = Running(scope, time) { try await connection.perform(ReadValue(3)).value }
            try await time.sleep(for: .milliseconds(100))
            given.cancel()
            return [given, read]
        }
        #expect(outcomes == ["cancelled at 200 ms", "[1] at 200 ms"])
        #expect(isPlayed)
    }

    @Test("a write abandoned before it began leaves nothing behind, and sends nothing")
    func cancelledBefore() throws {
        let (outcomes, sent, _, _) = try run([]) { connection, _, time, scope in
            let running = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                try await connection.perform(WriteLongValue(Self.first, to: 7))
            }
            running.cancel()
            return [running]
        }
        #expect(outcomes == ["cancelled at 0 ms"])
        #expect(sent == [])
    }

    /// An answer to the second part that is no echo of it.
    struct BadEcho: Sendable, CustomTestStringConvertible {
        let answer: String
        let failure: String
        var testDescription: String { answer }
    }

    @Test(
        "a different or malformed echo, or a refusal, cancels the queue",
        arguments: [
            BadEcho(
                answer: "17 0700 1200 1112",
                failure: "gatt: the device's answer is invalid: 0x0007 at offset 18 was echoed with other octets"
            ),
            BadEcho(
                answer: "17 07",
                failure:
                    "att: invalid answer to Prepare Write Request: attribute handle: needs 2 octets, 1 left (1707)"
            ),
            BadEcho(answer: "01 16 0700 09", failure: "gatt: prepare queue full (0x09) at 0x0007"),
        ]
    )
    func badEcho(echo: BadEcho) throws {
        var turns = Self.parts("11", at: "0700").turns
        turns[1].reactions = [.packet(echo.answer)]
        let (outcomes, _, isPlayed, closedAt) = try run(Script(turns) + Self.cancel) { connection, _, time, scope in
            [Self.write(Self.first, to: 7, connection, time, scope)]
        }
        #expect(outcomes == ["\(echo.failure) at 0 ms"])
        #expect(isPlayed)
        #expect(closedAt == nil)
    }

    @Test("a value that cannot be written is refused without a request")
    func tooLong() throws {
        let (outcomes, sent, _, _) = try run([turn("02 0502", "03 1700")]) { connection, _, time, scope in
            [
                Running(scope, time) { try await connection.write(Array(repeating: 0, count: 513), to: 3) },
                Running(scope, time) {
                    try await connection.writeWithoutResponse(Array(repeating: 0, count: 21), to: 3)
                    return "sent"
                },
            ]
        }
        #expect(
            outcomes == [
                "gatt: the value has 513 octets, and at most 512 can be written this way at 0 ms",
                "gatt: the value has 21 octets, and at most 20 can be written this way at 0 ms",
            ]
        )
        // Whether a larger MTU is to be had has to be asked.
        #expect(sent == ["020502 at 0 ms"])
    }

    @Test("a command waits until there is room, is cancelled while it waits, and gives up after 30 s")
    func backPressure() throws {
        let command = turn("52 0300 01")
        let (outcomes, sent, _, closedAt) = try run([command, command, command]) { connection, channel, time, scope in
            func command() -> Running {
                Running(scope, time) {
                    try await connection.writeWithoutResponse([1], to: 3)
                    return "sent"
                }
            }
            channel.setCongested(true)
            let first = command()
            try await time.sleep(for: .seconds(5))
            channel.setCongested(false)
            try await time.sleep(for: .seconds(1))
            channel.setCongested(true)
            let second = command()
            try await time.sleep(for: .seconds(1))
            second.cancel()
            try await time.sleep(for: .seconds(1))
            return [first, second, command()]
        }
        #expect(
            outcomes == [
                "sent at 5000 ms", "cancelled at 7000 ms", "late: room for data to F0:F1:F2:F3:F4:F5 at 38000 ms",
            ]
        )
        #expect(sent.count == 3)
        #expect(closedAt == nil)
    }
}
