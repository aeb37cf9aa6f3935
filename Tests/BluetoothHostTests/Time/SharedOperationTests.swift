// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("SharedOperation")
struct SharedOperationTests {
    @Test("several callers cause one piece of work and share its result, at once if it exists")
    func shared() throws {
        let starts = Mutex(0)
        let results = try inVirtualTime { time, scope in
            let operation = SharedOperation(in: scope) {
                starts.withLock { $0 += 1 }
                try await time.sleep(for: .seconds(1))
                return 5
            }
            let callers = (0..<10).map { _ in Running(scope, time) { try await operation.value() } }
            try await time.sleep(for: .seconds(2))
            let late = Running(scope, time) { try await operation.value() }
            try await time.sleep(for: .seconds(1))
            return (callers + [late]).map { $0.outcome?.description }
        }
        #expect(results == Array(repeating: "5 at 1000 ms", count: 10) + ["5 at 2000 ms"])
        #expect(starts.withLock { $0 } == 1)
    }

    @Test("a cancelled caller leaves the others waiting, and the work goes on without callers")
    func cancellation() throws {
        let endedAt = Mutex<Instant?>(nil)
        let outcomes = try inVirtualTime { time, scope in
            let operation = SharedOperation(in: scope) {
                try await time.sleep(for: .seconds(10))
                endedAt.withLock { $0 = time.now }
                return "done"
            }
            let first = Running(scope, time) { try await operation.value() }
            let second = Running(scope, time) { try await operation.value() }
            try await time.sleep(for: .seconds(1))
            first.cancel()
            try await time.sleep(for: .seconds(1))
            let afterFirst = second.outcome
            second.cancel()
            try await time.sleep(for: .seconds(20))
            let last = try await operation.value()
            return [first.outcome?.description, afterFirst?.description, second.outcome?.description, last]
        }
        #expect(outcomes == ["cancelled at 1000 ms", nil, "cancelled at 2000 ms", "done"])
        #expect(endedAt.withLock { $0 } == .zero + .seconds(10))
    }

    @Test("every caller gets the error, except one that was cancelled before it asked")
    func failures() throws {
        struct Failed: Error {}
        let outcomes = try inVirtualTime { time, scope in
            let operation = SharedOperation<Int>(in: scope) {
                try await time.sleep(for: .seconds(1))
                throw Failed()
            }
            let first = Running(scope, time) { try await operation.value() }
            let cancelled = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                return try await operation.value()
            }
            cancelled.cancel()
            try await time.sleep(for: .seconds(2))
            return [first.outcome?.description, cancelled.outcome?.description]
        }
        #expect(outcomes == ["Failed() at 1000 ms", "cancelled at 0 ms"])
    }

    @Test("in an ended scope the work never starts, and nobody waits for it")
    func endedScope() throws {
        let outcome = try inVirtualTime { time, scope in
            let ended = await withTaskScope { $0 }
            let operation = SharedOperation(in: ended) { 1 }
            let caller = Running(scope, time) { try await operation.value() }
            try await time.sleep(for: .seconds(1))
            return caller.outcome
        }
        #expect(outcome?.text == "cancelled")
    }
}
