// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("ValueGate")
struct ValueGateTests {
    private static func value(_ number: Int) -> ValueEvent {
        let value = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        return ValueEvent(.notification, 8, value, at: .zero, wall: WallTime(nanosecondsSince1970: 0), mtu: nil)
    }

    /// What an observer gets next: the value, and its number.
    private static func next(_ queue: ObservationQueue) async throws -> [Int?] {
        let event = try await queue.next()
        guard case .value(let value, _) = event.kind else { return [] }
        return [Int(value.value[0]) | Int(value.value[1]) << 8, event.number]
    }

    @Test("held values come when the gate opens, in order, and before later ones")
    func order() throws {
        let numbers = try inVirtualTime { time, scope in
            let level = ObservedCharacteristic(ObservedDevice([], time, scope).level)
            let (gate, queue) = (ValueGate(), ObservationQueue(limit: 10))
            for number in 1...2 { _ = gate.pass(Self.value(number), of: level, to: queue, hasFlowControl: false) }
            _ = queue.push(Self.value(0), of: level, hasFlowControl: false)
            gate.open()
            _ = gate.pass(Self.value(3), of: level, to: queue, hasFlowControl: false)
            var numbers: [[Int?]] = []
            for _ in 0...3 { numbers.append(try await Self.next(queue)) }
            return numbers
        }
        #expect(numbers == [[0, 1], [1, 2], [2, 3], [3, 4]])
    }

    @Test("a full gate drops its first values, which are counted and leave a gap in the numbers")
    func overflow() throws {
        let limit = ValueGate.limit
        let (first, dropped, others) = try inVirtualTime { time, scope in
            let level = ObservedCharacteristic(ObservedDevice([], time, scope).level)
            let gate = ValueGate()
            let queues = (0..<2).map { _ in ObservationQueue(limit: limit) }
            _ = gate.pass(Self.value(0), of: level, to: queues[1], hasFlowControl: false)
            for number in 1...limit {
                _ = gate.pass(Self.value(number), of: level, to: queues[0], hasFlowControl: false)
            }
            gate.open()
            return (try await Self.next(queues[0]), queues[0].droppedCount, queues[1].droppedCount)
        }
        #expect(first == [limit / 2, limit / 2])
        #expect(dropped == limit / 2 - 1)
        #expect(others == 1)
    }

    @Test("for a device that can be slowed down the gate holds as much as an observer keeps in reserve")
    func reserve() throws {
        let limit = ValueGate.limit
        let (first, dropped) = try inVirtualTime { time, scope in
            let level = ObservedCharacteristic(ObservedDevice([], time, scope).level)
            let (gate, queue) = (ValueGate(), ObservationQueue(limit: limit))
            for number in 0..<limit * 3 {
                _ = gate.pass(Self.value(number), of: level, to: queue, hasFlowControl: true)
            }
            gate.open()
            return (try await Self.next(queue), queue.droppedCount)
        }
        #expect(first == [0, 1])
        #expect(dropped == 0)
    }
}
