// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("DeadlineTimer")
struct DeadlineTimerTests {
    /// An owner whose deadlines the test sets. It records the times at which it was woken.
    private actor Owner {
        private var timer = DeadlineTimer()
        private var deadline: Instant?
        private let time: VirtualTime
        private let scope: TaskScope
        private(set) var wakes: [Int64] = []

        init(_ time: VirtualTime, _ scope: TaskScope) {
            self.time = time
            self.scope = scope
        }

        func set(_ milliseconds: Int?) {
            deadline = milliseconds.map { .zero + .milliseconds($0) }
            arm()
        }

        func stop() { timer.stop() }

        private func arm() {
            timer.arm(deadline, in: scope, time) { await self.fire() }
        }

        private func fire() {
            timer.fired()
            wakes.append(time.now.milliseconds)
            if let deadline, deadline <= time.now { self.deadline = nil }
            arm()
        }
    }

    /// Sets deadlines at given times. Returns the times at which the owner was woken.
    private func wakes(_ steps: [(at: Int, deadline: Int?)]) throws -> [Int64] {
        try inVirtualTime { time, scope in
            let owner = Owner(time, scope)
            for step in steps {
                try await time.sleep(until: .zero + .milliseconds(step.at))
                await owner.set(step.deadline)
            }
            try await time.sleep(for: .seconds(10))
            return await owner.wakes
        }
    }

    @Test("wakes at the deadline, once")
    func once() throws {
        #expect(try wakes([(0, 500)]) == [500])
        #expect(try wakes([(0, 500), (100, 500), (200, 500)]) == [500])
    }

    @Test("a later deadline costs one wake at the old time; an earlier one is kept")
    func moves() throws {
        #expect(try wakes([(0, 500), (100, 900), (200, 1_200)]) == [500, 1_200])
        #expect(try wakes([(0, 500), (100, 300)]) == [300])
        #expect(try wakes([(0, 500), (100, nil)]) == [500])
        #expect(try wakes([(0, nil)]) == [])
    }

    @Test("a past deadline wakes at once")
    func past() throws {
        #expect(try wakes([(700, 500)]) == [700])
    }

    @Test("a stopped timer does not wake any more, and can be armed again")
    func stops() throws {
        let wakes = try inVirtualTime { time, scope in
            let owner = Owner(time, scope)
            await owner.set(500)
            try await time.sleep(for: .milliseconds(100))
            await owner.stop()
            try await time.sleep(for: .seconds(1))
            await owner.set(2_000)
            try await time.sleep(for: .seconds(5))
            return await owner.wakes
        }
        #expect(wakes == [2_000])
    }
}
