// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("ValueGate")
struct ValueGateTests {
    private static func event(_ number: Int) -> ObservationEvent {
        let kind = ObservationEvent.Kind.linkRestored(after: .zero, attempts: number)
        return ObservationEvent(kind: kind, instant: .zero, wall: WallTime(nanosecondsSince1970: 0))
    }

    private static func number(_ event: ObservationEvent) -> Int {
        if case .linkRestored(_, let number) = event.kind { number } else { -1 }
    }

    @Test("what is held back comes when it opens, in its order, and before what comes later")
    func order() throws {
        let numbers = try inVirtualTime { _, _ in
            let (gate, queue) = (ValueGate(), BoundedQueue<ObservationEvent>(limit: 10, overflow: .dropOldest))
            for number in 1...2 { gate.pass(Self.event(number), to: queue) }
            queue.push(Self.event(0))
            gate.open()
            gate.pass(Self.event(3), to: queue)
            var numbers: [Int] = []
            for _ in 0...3 { numbers.append(Self.number(try await queue.next())) }
            return numbers
        }
        #expect(numbers == [0, 1, 2, 3])
    }

    @Test("of more than it holds the first are missing, and counted by who misses them")
    func overflow() throws {
        let limit = ValueGate.limit
        let (first, dropped, others) = try inVirtualTime { _, _ in
            let gate = ValueGate()
            let queues = (0..<2).map { _ in BoundedQueue<ObservationEvent>(limit: limit, overflow: .dropOldest) }
            gate.pass(Self.event(0), to: queues[1])
            for number in 1...limit { gate.pass(Self.event(number), to: queues[0]) }
            gate.open()
            return (Self.number(try await queues[0].next()), queues[0].droppedCount, queues[1].droppedCount)
        }
        #expect(first == limit / 2)
        #expect(dropped == limit / 2 - 1)
        #expect(others == 1)
    }
}
