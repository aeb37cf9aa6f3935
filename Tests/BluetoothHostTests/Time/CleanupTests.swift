// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("withCleanup")
struct CleanupTests {
    /// The outcome of a body that is cancelled after a second, and when its cleanup ran.
    private func run(_ body: @escaping @Sendable (VirtualTime) async throws -> String) throws -> [String] {
        let log = Mutex<[String]>([])
        let outcome = try inVirtualTime { time, scope in
            let running = Running(scope, time) {
                try await withCleanup {
                    try await body(time)
                } cleanup: {
                    log.withLock { $0.append("cleanup at \(time.now.milliseconds)") }
                }
            }
            try await time.sleep(for: .seconds(1))
            running.cancel()
            try await time.sleep(for: .seconds(1))
            return running.outcome?.description ?? "none"
        }
        return log.withLock { $0 } + [outcome]
    }

    @Test("the cleanup runs once after a value, an error or a cancellation, which passes through")
    func ends() throws {
        struct Failed: Error {}
        #expect(try run { _ in "value" } == ["cleanup at 0", "value at 0 ms"])
        #expect(try run { _ in throw Failed() } == ["cleanup at 0", "Failed() at 0 ms"])
        let cancelled = try run { time in
            try await time.sleep(for: .seconds(60))
            return "late"
        }
        #expect(cancelled == ["cleanup at 1000", "cancelled at 1000 ms"])
    }

    @Test("the cleanup may await, and the error of the body keeps its type")
    func awaits() throws {
        let (cause, moment) = try inVirtualTime { time, _ in
            do throws(RadioError) {
                try await withCleanup { () async throws(RadioError) in
                    throw RadioError(.adapterDown, during: "test")
                } cleanup: {
                    try? await time.sleep(for: .seconds(2))
                }
                return (nil as RadioError.Cause?, time.now.milliseconds)
            } catch {
                return (error.cause, time.now.milliseconds)
            }
        }
        #expect(cause == .adapterDown)
        #expect(moment == 2_000)
    }
}
