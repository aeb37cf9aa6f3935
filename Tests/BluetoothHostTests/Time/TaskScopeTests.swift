// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("TaskScope and deadlines")
struct TaskScopeTests {
    @Test("work of the scope is cancelled, and waited for, when the scope ends")
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

    @Test("one piece of work can be cancelled by itself")
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

    @Test("a deadline ends what takes longer, and leaves what is in time")
    func deadline() throws {
        let time = VirtualTime()
        let (inTime, late, at) = time.run {
            let inTime = try? await withDeadline(time.now + .seconds(2), time, operation: "quick") {
                try await time.sleep(for: .seconds(1))
                return "quick"
            }
            var late: (any Error)?
            do {
                _ = try await withDeadline(time.now + .seconds(2), time, operation: "slow") {
                    try await time.sleep(for: .seconds(60))
                    return "slow"
                }
            } catch { late = error }
            return (inTime, late as? DeadlineExceeded, time.now)
        }
        #expect(inTime == "quick")
        #expect(late == DeadlineExceeded("slow"))
        #expect(at == .zero + .seconds(3))
    }

    @Test("an error of the body passes the deadline unchanged")
    func errorPasses() {
        let time = VirtualTime()
        struct Failed: Error {}
        let error: (any Error)? = time.run {
            do {
                try await withDeadline(time.now + .seconds(2), time, operation: "x") { throw Failed() }
                return nil
            } catch { return error }
        }
        #expect(error is Failed)
    }
}
