// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("A device that can be held back")
struct HoldBackTests {
    private static let limit = 100
    private static let flood = 5_000

    /// A device with flow control, whose answers come after the values that it has sent.
    private static func device(
        _ script: Script = [],
        _ time: VirtualTime,
        _ scope: TaskScope
    ) -> (ATTConnection, ScriptedChannel) {
        let queue = PacketQueue(limit: 1_000_000, overflow: .pauseProducer)
        let channel = ScriptedChannel(script, time, scope, hasFlowControl: true, queue: queue)
        return (ATTConnection.start(channel, scope: scope, time: time), channel)
    }

    /// The device sends values that contain their numbers.
    private static func pour(_ values: Range<Int> = 0..<flood, into channel: ScriptedChannel) {
        for number in values { channel.push("1b 0800 " + Hex.string(UInt32(number), minimumDigits: 8)) }
    }

    private static func number(_ event: ValueEvent) -> Int { event.value.reduce(0) { $0 << 8 | Int($1) } }

    /// So many values.
    private static func values(_ observation: ValueObservation, _ count: Int) async throws -> [Int] {
        var numbers: [Int] = []
        for _ in 0..<count { numbers.append(number(try await observation.next())) }
        return numbers
    }

    @Test("without a reader the device keeps its values, and a slow reader gets all of them")
    func slowReader() throws {
        let (left, numbers, dropped) = try inVirtualTime { time, scope in
            let (connection, channel) = Self.device([], time, scope)
            let observation = await connection.observe(8, limit: Self.limit, in: scope)
            Self.pour(into: channel)
            try await time.sleep(for: .seconds(100))
            let left = channel.waitingCount
            var numbers: [Int] = []
            for _ in 0..<Self.flood / 100 {
                numbers += try await Self.values(observation, 100)
                try await time.sleep(for: .seconds(1))
            }
            return (left, numbers, observation.droppedCount)
        }
        #expect(left >= Self.flood - Self.limit - 1)
        #expect(numbers == Array(0..<Self.flood))
        #expect(dropped == 0)
    }

    @Test("a reader that waits for an answer behind values gets it, and all values")
    func answerBehindValues() throws {
        let (answers, numbers, dropped) = try inVirtualTime { time, scope in
            let script: Script = [turn("0a 0300", "0b 07"), turn("0a 0300", "0b 08")]
            let (connection, channel) = Self.device(script, time, scope)
            let observation = await connection.observe(8, limit: Self.limit, in: scope)
            Self.pour(0..<500, into: channel)
            try await time.sleep(for: .seconds(1))
            var answers = [try await connection.perform(ReadValue(3)).value]
            var numbers = try await Self.values(observation, 1)
            Self.pour(500..<1_000, into: channel)
            answers.append(try await connection.perform(ReadValue(3)).value)
            numbers += try await Self.values(observation, 999)
            return (answers, numbers, observation.droppedCount)
        }
        #expect(answers == [[7], [8]])
        #expect(numbers == Array(0..<1_000))
        #expect(dropped == 0)
    }

    @Test("a reader that waits for room to send is not delayed by values that it does not take")
    func roomBehindValues() throws {
        let outcome = try inVirtualTime { time, scope in
            let (connection, channel) = Self.device([turn("52 0300 01")], time, scope)
            let observation = await connection.observe(8, limit: Self.limit, in: scope)
            Self.pour(0..<1_000, into: channel)
            try await time.sleep(for: .seconds(1))
            // A device that cannot send does not receive: there is room when all its values were taken.
            channel.setCongested(true)
            let sending = Running(scope, time) {
                try await connection.send(.write(WriteCommand(handle: 3, value: [1])))
                return "sent"
            }
            try await time.sleep(for: .seconds(1))
            if channel.waitingCount == 0 { channel.setCongested(false) }
            try await time.sleep(for: .seconds(60))
            return (sending.outcome?.description, try await Self.values(observation, 1_000).last)
        }
        #expect(outcome.0 == "sent at 2000 ms")
        #expect(outcome.1 == 999)
    }

    @Test("values beyond the reserve are dropped and counted, so that the answer is reached")
    func beyondReserve() throws {
        let (answer, first, dropped) = try inVirtualTime { time, scope in
            let (connection, channel) = Self.device([turn("0a 0300", "0b 07")], time, scope)
            let observation = await connection.observe(8, limit: Self.limit, in: scope)
            Self.pour(into: channel)
            try await time.sleep(for: .seconds(1))
            let answer = try await connection.perform(ReadValue(3)).value
            return (answer, try await Self.values(observation, 1), observation.droppedCount)
        }
        #expect(answer == [7])
        #expect(first == [Self.flood - 16 * Self.limit])
        #expect(dropped == Self.flood - 16 * Self.limit)
    }

    @Test("the slowest of several observers sets the pace, and an ended one delays nobody")
    func severalObservers() throws {
        let (before, after, dropped, others) = try inVirtualTime { time, scope in
            let (connection, channel) = Self.device([], time, scope)
            let slow = await connection.observe(8, limit: Self.limit, in: scope)
            let quick = await connection.observe(nil, limit: Self.limit, in: scope)
            Self.pour(into: channel)
            let reader = Running(scope, time) { try await Self.values(quick, Self.flood) == Array(0..<Self.flood) }
            try await time.sleep(for: .seconds(1))
            _ = try await Self.values(slow, 1_000)
            let before = channel.waitingCount
            slow.end()
            try await time.sleep(for: .seconds(1))
            return (before, channel.waitingCount, [slow.droppedCount, quick.droppedCount], reader.outcome?.text)
        }
        #expect((Self.flood - 1_000 - 2 * Self.limit...Self.flood - 1_000).contains(before))
        #expect(after == 0)
        #expect(dropped == [0, 0])
        #expect(others == "true")
    }

    @Test("closing or losing the link does not wait for a reader")
    func closes() throws {
        let (end, outcome) = try inVirtualTime { time, scope in
            let (connection, channel) = Self.device([], time, scope)
            let observation = await connection.observe(8, limit: Self.limit, in: scope)
            Self.pour(into: channel)
            try await time.sleep(for: .seconds(1))
            let other = await connection.observe(9, in: scope)
            let waiting = Running(scope, time) { "\(try await other.next())" }
            try await time.sleep(for: .seconds(1))
            connection.close()
            try await time.sleep(for: .seconds(1))
            return (try await Self.values(observation, 1), waiting.outcome?.description)
        }
        #expect(!end.isEmpty)
        #expect(outcome == "radio: closedLocally at 2000 ms")
    }

    /// An observer that a test fills and empties, and which records who waits for it.
    private final class Observer: BackpressureSource {
        private let state = Mutex((isFull: true, actions: [@Sendable () -> Void](), asked: 0))

        var isFull: Bool { state.withLock { $0.isFull } }
        /// How often it was asked to tell when there is room.
        var askedCount: Int { state.withLock { $0.asked } }

        func whenRoom(_ action: @escaping @Sendable () -> Void) {
            state.withLock { state in
                state.asked += 1
                state.actions.append(action)
            }
        }

        /// Tells of room, which somebody may have taken again.
        func tell(isFull: Bool) {
            let actions = state.withLock { state in
                defer { state.actions = [] }
                state.isFull = isFull
                return state.actions
            }
            for action in actions { action() }
        }
    }

    @Test("an observer is asked once, whatever interrupts the wait, and again if its room was taken meanwhile")
    func asksOnce() throws {
        let counts = try inVirtualTime { time, scope in
            let (throttle, observer) = (ReceiveThrottle(), Observer())
            var counts: [Int] = []
            for _ in 0..<2 {
                let wait = Running(scope, time) {
                    await throttle.wait(for: observer)
                    return "over"
                }
                try await time.sleep(for: .seconds(1))
                // An answer is awaited, and comes: the next wait finds the observer asked already.
                throttle.lift()
                try await time.sleep(for: .seconds(1))
                #expect(wait.outcome?.text == "over")
                throttle.restore()
                counts.append(observer.askedCount)
            }
            let wait = Running(scope, time) {
                await throttle.wait(for: observer)
                return "over"
            }
            for isFull in [true, false] {
                try await time.sleep(for: .seconds(1))
                observer.tell(isFull: isFull)
                try await time.sleep(for: .seconds(1))
                counts.append(observer.askedCount)
                #expect((wait.outcome == nil) == isFull)
            }
            return counts
        }
        #expect(counts == [1, 1, 2, 2])
    }
}
