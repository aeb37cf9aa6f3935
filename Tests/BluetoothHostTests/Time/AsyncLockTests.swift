// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("AsyncLock")
struct AsyncLockTests {
    @Test("callers get it one at a time, in the order of arrival, and a cancelled one leaves")
    func order() throws {
        let log = Mutex<[String]>([])
        let cancelled = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let callers = (1...4).map { number in
                Running(scope, time) {
                    try await lock.withLock {
                        log.withLock { $0.append("\(number) in at \(time.now.milliseconds)") }
                        try? await time.sleep(for: .seconds(1))
                        log.withLock { $0.append("\(number) out at \(time.now.milliseconds)") }
                    }
                }
            }
            try await time.sleep(for: .milliseconds(500))
            callers[2].cancel()
            try await time.sleep(for: .seconds(10))
            return callers[2].outcome
        }
        #expect(
            log.withLock { $0 } == [
                "1 in at 0", "1 out at 1000", "2 in at 1000", "2 out at 2000", "4 in at 2000", "4 out at 3000",
            ]
        )
        #expect(cancelled?.description == "cancelled at 500 ms")
    }

    @Test("a cancelled task does not wait")
    func cancelledBefore() throws {
        let outcome = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let holder = Running(scope, time) {
                try await lock.withLock { try await time.sleep(for: .seconds(9)) }
            }
            let cancelled = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                try await lock.withLock {}
            }
            try await time.sleep(for: .seconds(1))
            cancelled.cancel()
            try await time.sleep(for: .seconds(20))
            #expect(holder.outcome?.milliseconds == 9_000)
            return cancelled.outcome
        }
        #expect(outcome?.description == "cancelled at 1000 ms")
    }

    @Test("an error, or a cancellation inside it, releases the lock")
    func errors() throws {
        struct Failed: Error {}
        let outcomes = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let failing = Running(scope, time) { try await lock.withLock { throw Failed() } }
            let sleeping = Running(scope, time) {
                try await lock.withLock { try await time.sleep(for: .seconds(60)) }
            }
            let last = Running(scope, time) { try await lock.withLock { "in" } }
            try await time.sleep(for: .seconds(1))
            let before = last.outcome
            sleeping.cancel()
            try await time.sleep(for: .seconds(1))
            return [failing.outcome, before, sleeping.outcome, last.outcome].map { $0?.description }
        }
        #expect(outcomes == ["Failed() at 0 ms", nil, "cancelled at 1000 ms", "in at 1000 ms"])
    }
}
