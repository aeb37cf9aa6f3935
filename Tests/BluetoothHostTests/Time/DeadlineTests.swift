// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("withDeadline and untilDeadline")
struct DeadlineTests {
    private struct Failed: Error {}

    /// The outcomes of `body` with a deadline after two seconds, and of its caller, which is optionally cancelled.
    private func outcomes(
        cancelledAfter delay: Duration? = nil,
        _ body: @escaping @Sendable (VirtualTime, TaskScope) async throws -> String?
    ) throws -> [String] {
        try inVirtualTime { time, scope in
            let deadline = time.now + .seconds(2)
            let callers = [
                Running(scope, time) {
                    try await withDeadline(deadline, time, operation: "x") { try await body(time, scope) } ?? "nothing"
                },
                Running(scope, time) {
                    let value = try await untilDeadline(deadline, time) { try await body(time, scope) }
                    return value.map { $0 ?? "nothing" } ?? "no value"
                },
            ]
            if let delay {
                try await time.sleep(for: delay)
                for caller in callers { caller.cancel() }
            }
            try await time.sleep(for: .seconds(100))
            return callers.map { $0.outcome?.description ?? "still running" }
        }
    }

    @Test("does not affect work that ends in time")
    func inTime() throws {
        let outcomes = try outcomes { time, _ in
            try await time.sleep(for: .seconds(1))
            return "value"
        }
        #expect(outcomes == ["value at 1000 ms", "value at 1000 ms"])
    }

    @Test("a nil result is a value too")
    func optionalValue() throws {
        #expect(try outcomes { _, _ in nil } == ["nothing at 0 ms", "nothing at 0 ms"])
    }

    @Test("cancels work that takes longer: one variant throws, the other does not")
    func late() throws {
        let outcomes = try outcomes { time, _ in
            try await time.sleep(for: .seconds(60))
            return "value"
        }
        #expect(outcomes == ["late: x at 2000 ms", "no value at 2000 ms"])
    }

    @Test("waits for the end of cancelled work, and keeps a value that it returns")
    func valueAtTheLastMoment() throws {
        let outcomes = try outcomes { time, scope in
            try? await time.sleep(for: .seconds(60))
            return try await scope.shielded {
                try await time.sleep(for: .milliseconds(5))
                return "rescued"
            }
        }
        #expect(outcomes == ["rescued at 2005 ms", "rescued at 2005 ms"])
    }

    @Test("an error that ends the cancelled work becomes the deadline's error")
    func errorAfterTheDeadline() throws {
        let outcomes = try outcomes { time, _ in
            try? await time.sleep(for: .seconds(60))
            throw Failed()
        }
        #expect(outcomes == ["late: x at 2000 ms", "no value at 2000 ms"])
    }

    @Test("an error before the deadline passes unchanged, even another deadline's")
    func errorPasses() throws {
        #expect(try outcomes { _, _ in throw Failed() } == ["Failed() at 0 ms", "Failed() at 0 ms"])
        let inner = try outcomes { time, _ in
            try await withDeadline(time.now + .seconds(1), time, operation: "inner") {
                try await time.sleep(for: .seconds(60))
                return "value"
            }
        }
        #expect(inner == ["late: inner at 1000 ms", "late: inner at 1000 ms"])
    }

    @Test("a cancelled caller gets that error, and not the deadline's")
    func callerCancelled() throws {
        let outcomes = try outcomes(cancelledAfter: .seconds(1)) { time, _ in
            try await time.sleep(for: .seconds(60))
            return "value"
        }
        #expect(outcomes == ["cancelled at 1000 ms", "cancelled at 1000 ms"])
        // The same if cleaning up lasts beyond the deadline.
        let slow = try self.outcomes(cancelledAfter: .seconds(1)) { time, scope in
            try? await time.sleep(for: .seconds(60))
            try await scope.shielded { try await time.sleep(for: .seconds(5)) }
            throw Failed()
        }
        #expect(slow == ["cancelled at 6000 ms", "cancelled at 6000 ms"])
    }

    @Test("without a deadline only the work counts; a past deadline allows work that needs no time")
    func edges() throws {
        let outcomes = try inVirtualTime { time, scope in
            try await time.sleep(for: .seconds(1))
            let none = Running(scope, time) {
                try await withDeadline(nil, time, operation: "x") {
                    try await time.sleep(for: .seconds(1_000))
                    return "value"
                }
            }
            let past = Running(scope, time) { try await withDeadline(.zero, time, operation: "x") { "value" } }
            try await time.sleep(for: .seconds(2_000))
            return [none.outcome, past.outcome].map { $0?.description }
        }
        #expect(outcomes == ["value at 1001000 ms", "value at 1000 ms"])
    }

    @Test("an error has the caller's time limit, even if some of it passed before the wait")
    func limit() throws {
        let reasons = try inVirtualTime { time, scope in
            var reasons: [String] = []
            for limit in [Duration.seconds(1), .milliseconds(1_500), .milliseconds(1), .microseconds(300)] {
                let deadline = time.now + limit
                try await time.sleep(for: .microseconds(60))
                do {
                    try await withDeadline(deadline, time, operation: "x") { try await time.sleep(for: .seconds(60)) }
                } catch let error as DeadlineExceeded {
                    reasons.append(error.reason)
                }
            }
            return reasons
        }
        #expect(reasons == ["1 s", "1.5 s", "1 ms", "240 us"].map { "timed out after \($0)" })
    }
}
