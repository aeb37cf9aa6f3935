// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("TaskScope")
struct TaskScopeTests {
    @Test("the end of the scope cancels its work, and waits for it")
    func ends() {
        let time = VirtualTime()
        let log = Mutex<[String]>([])
        let value = time.run {
            await withTaskScope { scope in
                scope.spawn {
                    try? await time.sleep(for: .seconds(100))
                    log.withLock { $0.append("ended at \(time.now)") }
                }
                try? await time.sleep(for: .seconds(1))
                return 42
            }
        }
        #expect(value == 42)
        #expect(log.withLock { $0 } == ["ended at \(Instant.zero + .seconds(1))"])
    }

    @Test("work added at the scope's last moment runs cancelled; after the end none is added")
    func lastMoment() {
        let time = VirtualTime()
        let log = Mutex<[String]>([])
        let isStarted = time.run {
            let ended = await withTaskScope { scope in
                for number in 1...3 {
                    scope.spawn { log.withLock { $0.append("\(number) cancelled: \(Task.isCancelled)") } }
                }
                return scope
            }
            return [
                ended.spawn { log.withLock { $0.append("late") } },
                ended.spawnCancellable { log.withLock { $0.append("late") } }.isStarted,
            ]
        }
        #expect(log.withLock { $0 } == ["1 cancelled: true", "2 cancelled: true", "3 cancelled: true"])
        #expect(isStarted == [false, false])
    }

    @Test("one piece of work can be cancelled alone")
    func cancelsOne() {
        let time = VirtualTime()
        let log = Mutex<[String]>([])
        time.run {
            await withTaskScope { scope in
                let first = scope.spawnCancellable {
                    let finished = (try? await time.sleep(for: .seconds(5))) != nil
                    log.withLock { $0.append("first \(finished)") }
                }
                _ = scope.spawnCancellable {
                    let finished = (try? await time.sleep(for: .seconds(5))) != nil
                    log.withLock { $0.append("second \(finished)") }
                }
                try? await time.sleep(for: .seconds(1))
                first.cancel()
                first.cancel()
                try? await time.sleep(for: .seconds(10))
            }
        }
        #expect(log.withLock { $0 } == ["first false", "second true"])
    }

    @Test("shielded work goes on when its caller is cancelled, and returns values and errors")
    func shields() throws {
        struct Failed: Error {}
        let outcomes = try inVirtualTime { time, scope in
            let value = Running(scope, time) {
                try await scope.shielded {
                    try await time.sleep(for: .seconds(5))
                    return "whole"
                }
            }
            let error = Running(scope, time) { try await scope.shielded { throw Failed() } }
            try await time.sleep(for: .seconds(1))
            value.cancel()
            try await time.sleep(for: .seconds(10))
            let ended = await withTaskScope { $0 }
            let late = Running(scope, time) { try await ended.shielded { "late" } }
            try await time.sleep(for: .seconds(1))
            return [value.outcome, error.outcome, late.outcome].map { $0?.description }
        }
        #expect(outcomes == ["whole at 5000 ms", "Failed() at 0 ms", "cancelled at 11000 ms"])
    }

    @Test("a cleanup runs in a cancelled task, and is cut off at its limit")
    func cleansUp() throws {
        let log = Mutex<[String]>([])
        let outcomes = try inVirtualTime { time, scope in
            let cleaner = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                await scope.cleanUp(time) {
                    try await time.sleep(for: .milliseconds(700))
                    log.withLock { $0.append("restored") }
                }
                return "cleaned up"
            }
            let slow = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                await scope.cleanUp(within: .seconds(2), time) {
                    try await time.sleep(for: .seconds(30))
                    log.withLock { $0.append("too late") }
                }
                return "cut off"
            }
            try await time.sleep(for: .seconds(1))
            cleaner.cancel()
            slow.cancel()
            try await time.sleep(for: .seconds(40))
            return [cleaner.outcome, slow.outcome].map { $0?.description }
        }
        #expect(outcomes == ["cleaned up at 1700 ms", "cut off at 3000 ms"])
        #expect(log.withLock { $0 } == ["restored"])
    }

    @Test("a cleanup drops its error, and does not run after the end of its scope")
    func dropsErrors() throws {
        struct Failed: Error {}
        let log = Mutex<[String]>([])
        let outcome = try inVirtualTime { time, scope in
            let cleaner = Running(scope, time) {
                await scope.cleanUp(time) {
                    log.withLock { $0.append("fails") }
                    throw Failed()
                }
                let ended = await withTaskScope { $0 }
                await ended.cleanUp(time) { log.withLock { $0.append("late") } }
                return "done"
            }
            try await time.sleep(for: .seconds(1))
            return cleaner.outcome?.description
        }
        #expect(outcome == "done at 0 ms")
        #expect(log.withLock { $0 } == ["fails"])
    }
}
