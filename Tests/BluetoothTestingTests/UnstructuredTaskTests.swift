// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import BluetoothTesting

/// A model of an app: its methods start tasks, and nobody awaits them.
@MainActor
private final class StrapModel {
    private(set) var level: UInt8?
    private(set) var reads = 0
    private(set) var error: String?
    private let strap: Peripheral

    init(_ strap: Peripheral) { self.strap = strap }

    func refresh() {
        Task {
            MainActor.assertIsolated()
            do {
                level = try await strap.read(.batteryLevel).percent
                reads += 1
            } catch {
                self.error = "\(error)"
            }
            MainActor.assertIsolated()
        }
    }

    /// Reads again and again, with a pause.
    func follow() -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                refresh()
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }
}

/// A model that is an actor, and whose reads are detached.
private actor Reader {
    private(set) var levels: [UInt8] = []
    private let strap: Peripheral

    init(_ strap: Peripheral) { self.strap = strap }

    func read() {
        Task.detached { [strap] in await self.add(try await strap.read(.batteryLevel).percent) }
    }

    private func add(_ level: UInt8) { levels.append(level) }
}

@Suite("Unstructured tasks in virtual time", .simulated("pulse-strap"))
struct UnstructuredTaskTests {
    @Test("200 tests at once that wait for unstructured tasks end", arguments: 0..<200)
    func many(number: Int) async throws {
        let simulation = try Simulation.current
        let (strap, time) = (simulation.peripheral, simulation.time)
        let level = try await Task { try await strap.read(.batteryLevel).percent }.value
        #expect(level == 87)
        try await Task.detached { try await time.sleep(for: .seconds(number)) }.value
        let reader = Reader(strap)
        await reader.read()
        try await simulation.run { await reader.levels == [87] }
    }

    @Test("a model of the main actor starts tasks, which are in virtual time", arguments: 0..<20)
    func mainActor(number: Int) async throws {
        let simulation = try Simulation.current
        let model = await StrapModel(simulation.peripheral)
        await model.refresh()
        try await simulation.run { await model.level == 87 }
        #expect(await model.error == nil)
        try await simulation.device.set(BatteryLevel(percent: 5))
        let following = await model.follow()
        try await simulation.advance(by: .seconds(600))
        #expect(await model.level == 5)
        // A minute is a minute, also on a busy machine.
        #expect(await model.reads == 11)
        following.cancel()
        await following.value
    }

    @MainActor
    @Test("a test may be on the main actor")
    func isolated() async throws {
        let simulation = try Simulation.current
        let model = StrapModel(simulation.peripheral)
        model.refresh()
        try await simulation.advance(by: .seconds(5))
        MainActor.assertIsolated()
        let before = simulation.time.now
        try await Task.sleep(until: .now + .seconds(300), clock: .continuous)
        #expect(simulation.time.now - before > .seconds(100))
        #expect(model.level == 87)
    }

    @Test("a sleep of the standard library takes virtual time, to the millisecond")
    func sleep() async throws {
        let simulation = try Simulation.current
        let begin = simulation.time.now
        let wall = ContinuousClock.now
        try await Task.sleep(for: .seconds(3000))
        #expect(simulation.time.now == begin + .seconds(3000))
        try await Task { try await Task.sleep(nanoseconds: 5_000_000) }.value
        #expect(simulation.time.now == begin + .milliseconds(3_000_005))
        // Until a moment of a clock that goes on meanwhile.
        let before = simulation.time.now
        try await Task.sleep(until: .now + .seconds(300), clock: .continuous)
        let slept = simulation.time.now - before
        #expect(slept > .seconds(100) && slept <= .seconds(300), "\(slept)")
        // It takes a moment. The bound only detects real waiting, also on a busy machine.
        #expect(ContinuousClock.now - wall < .seconds(300))
    }

    @Test("a task that another thread resumes comes back into virtual time")
    func foreignThread() async throws {
        let simulation = try Simulation.current
        let before = simulation.time.now
        try await Task.detached {
            await pauseInRealTime(.milliseconds(20))
            try await simulation.time.sleep(for: .seconds(7))
        }.value
        #expect(simulation.time.now == before + .seconds(7))
    }

    @Test("a cancelled task does not go on sleeping")
    func cancelled() async throws {
        let simulation = try Simulation.current
        let task = Task { try await Task.sleep(for: .seconds(3000)) }
        try await simulation.advance(by: .seconds(1))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(simulation.time.now < .zero + .seconds(10))
    }
}

@Suite("The end of virtual time")
struct VirtualEndTests {
    @Test("a task that outlives its simulation goes on outside, and who waits for it does not hang")
    func outlives() async throws {
        let world = try SimulatedWorld { try .builtIn("pulse-strap") }
        let (values, continuation) = AsyncStream<Int>.makeStream()
        let task = try await withSimulation(world) { _ in
            Task.detached {
                for await value in values { return value }
                return 0
            }
        }
        continuation.yield(42)
        #expect(await task.value == 42)
    }

    @Test("a simulation within a simulation has a time of its own", .simulated("pulse-strap"))
    func nested() async throws {
        let outer = try Simulation.current
        let world = try SimulatedWorld { try .builtIn("thermometer") }
        let inner = try await withSimulation(world) { simulation in
            try await Task { try await simulation.time.sleep(for: .seconds(100)) }.value
            return simulation.time.now
        }
        #expect(inner == .zero + .seconds(100))
        #expect(outer.time.now < .zero + .seconds(10))
    }
}

@Suite("Real time", .simulated("pulse-strap", time: .real))
struct RealTimeTests {
    @Test("a test in real time has the same devices")
    func read() async throws {
        let simulation = try Simulation.current
        #expect(try await simulation.peripheral.read(.batteryLevel).percent == 87)
        let begin = simulation.time.now
        await pauseInRealTime(.milliseconds(20))
        #expect(simulation.time.now > begin)
    }
}

/// Counts who runs at the same time.
private final class Load: Sendable {
    private let counts = Mutex((running: 0, maximum: 0))

    var running: Int { counts.withLock { $0.running } }
    var maximum: Int { counts.withLock { $0.maximum } }

    func begin() {
        counts.withLock { counts in
            counts.running += 1
            counts.maximum = max(counts.maximum, counts.running)
        }
    }

    func end() { counts.withLock { $0.running -= 1 } }
}

@Suite("Turns of simulations")
struct WorldSlotTests {
    @Test("no more run at a time than there are slots, and all run")
    func turns() async {
        let slots = WorldSlots(count: 2)
        let load = Load()
        await withDiscardingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await slots.withSlot {
                        load.begin()
                        await Task.yield()
                        load.end()
                    }
                }
            }
        }
        #expect(load.running == 0)
        #expect((1...2).contains(load.maximum))
    }
}
