// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("SharedOperation")
struct SharedOperationTests {
    @Test("several callers cause one piece of work, and all get its result")
    func shared() {
        let time = VirtualTime()
        let starts = Mutex(0)
        let results = time.run {
            await withTaskScope { scope in
                let operation = SharedOperation(in: scope) {
                    starts.withLock { $0 += 1 }
                    try await time.sleep(for: .seconds(1))
                    return 5
                }
                return await withTaskGroup(of: Int?.self) { group in
                    for _ in 0..<10 { group.addTask { try? await operation.value() } }
                    var all: [Int?] = []
                    for await result in group { all.append(result) }
                    // After the end the result is there at once.
                    all.append(try? await operation.value())
                    return all
                }
            }
        }
        #expect(results == Array(repeating: 5, count: 11))
        #expect(starts.withLock { $0 } == 1)
    }

    @Test("one caller's cancellation leaves the others waiting; the last one's ends the work")
    func cancellation() {
        let time = VirtualTime()
        let endedAt = Mutex<Instant?>(nil)
        let (abandonedAfterFirst, abandonedAfterBoth) = time.run {
            await withTaskScope { scope in
                let operation = SharedOperation(in: scope) {
                    defer { endedAt.withLock { $0 = time.now } }
                    try await time.sleep(for: .seconds(100))
                }
                let first = scope.spawnCancellable { try? await operation.value() }
                let second = scope.spawnCancellable { try? await operation.value() }
                try? await time.sleep(for: .seconds(1))
                first.cancel()
                try? await time.sleep(for: .seconds(1))
                let afterFirst = operation.isAbandoned
                second.cancel()
                try? await time.sleep(for: .seconds(1))
                return (afterFirst, operation.isAbandoned)
            }
        }
        #expect(!abandonedAfterFirst)
        #expect(abandonedAfterBoth)
        #expect(endedAt.withLock { $0 } == .zero + .seconds(2))
    }
}
