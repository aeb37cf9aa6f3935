// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import FoundationEssentials
public import SimulatedRadio
import Synchronization

/// The clock of a simulation.
public enum SimulatedTime: Hashable, Sendable {
    /// The clock jumps to the next thing that is due, and two runs are the same.
    case virtual
    /// The clock of the machine, for code that waits for something outside of Swift's tasks: a thread, a queue of
    /// Dispatch, a process, a person.
    case real
}

/// Runs `body` in a simulation.
///
/// - Parameters:
///   - world: The devices, the adapter and the seed.
///   - time: The clock.
///   - limit: The longest time that `body` may take, on that clock; `nil` for an hour of virtual time, or a minute of
///     real time.
///   - body: The program.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `SimulationLeftovers` if something is left waiting or a fault was never met.
public func withSimulation<Value: Sendable>(
    _ world: SimulatedWorld,
    time: SimulatedTime = .virtual,
    limit: Duration? = nil,
    _ body: @escaping @Sendable (Simulation) async throws -> Value
) async throws -> Value {
    let run = SimulationRun(world, time, limit: limit)
    let value = try await run.run(body)
    let left = run.leftovers
    guard let value, left.isEmpty else { throw SimulationLeftovers(left: left) }
    return value
}

/// Something was left waiting in a simulation, or a fault was never met.
public struct SimulationLeftovers: Error, Hashable, Sendable, CustomStringConvertible {
    /// The leftovers, at least one.
    public let left: [Leftover]

    /// All of it, separated by semicolons.
    public var description: String { left.map(\.description).joined(separator: "; ") }
}

/// One run of a simulation, and what it leaves behind.
final class SimulationRun: Sendable {
    private let world: SimulatedWorld
    private let time: SimulatedTime
    private let limit: Duration
    private let left = Mutex<[Leftover]>([])

    init(_ world: SimulatedWorld, _ time: SimulatedTime, limit: Duration?) {
        self.world = world
        self.time = time
        self.limit = limit ?? (time == .virtual ? .seconds(3600) : .seconds(60))
    }

    var leftovers: [Leftover] { left.withLock { $0 } }

    /// Runs the body. The result is `nil` if it was cancelled because it would never have ended.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Simulation) async throws -> Value) async throws -> Value? {
        do {
            switch time {
            case .real: return try await simulateInRealTime(body)
            // It runs within a simulation that has its turn.
            case .virtual where Simulation.bound != nil: return try await simulateInVirtualTime(body)
            case .virtual: return try await WorldSlots.all.withSlot { try await simulateInVirtualTime(body) }
            }
        } catch  where leftovers.contains(where: \.isEndOfBody) {
            // The error is only the body's answer to its cancellation.
            return nil
        }
    }

    /// Ahead of tests that only compute: these can keep all processors busy for longer than a deadline of the clock.
    private func simulateInRealTime<Value: Sendable>(
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask(priority: .high) { [self] in try await simulate(SystemTimeSource { .now }, body) }
            return try await group.next().flatMap(\.self)
        }
    }

    private func simulateInVirtualTime<Value: Sendable>(
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) async throws -> Value? {
        let time = VirtualTime()
        return try await time.runOnThreadOfItsOwn { [self] () async throws -> Value? in
            try await simulate(time, body)
        }
    }

    private func simulate<Value: Sendable>(
        _ time: any TimeSource,
        _ body: @escaping @Sendable (Simulation) async throws -> Value
    ) async throws -> Value? {
        try await withTaskScope { scope in
            let simulation = try Simulation(world, time: time, scope: scope)
            return try await Simulation.$bound.withValue(simulation) {
                try await run(body, in: simulation)
            }
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (Simulation) async throws -> Value,
        in simulation: Simulation
    ) async throws -> Value? {
        let value = try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body(simulation) }
            group.addTask { [self] in
                note(try await end(of: simulation.time))
                return nil
            }
            defer { group.cancelAll() }
            // The first of the two decides: the result of the body, or the finding that the body cannot end.
            return try await group.next().flatMap(\.self)
        }
        // A test that has failed leaves much behind, which would only hide the failure.
        if value != nil { for leftover in await simulation.end() { note(leftover) } }
        return value
    }

    /// Waits until the body cannot end any more, and returns why.
    ///
    /// It does not count as a sleeper, because a world in which only this task waits is at rest.
    private func end(of time: any TimeSource) async throws -> Leftover {
        let deadline = time.now + limit
        guard self.time == .virtual else {
            try await time.sleep(until: deadline)
            return .endless(limit: limit)
        }
        while try await time.untilNothingIsDue(or: deadline) {
            let rest = time.now
            // Code outside of virtual time, such as that of another thread, may still make something happen.
            await pauseInRealTime(.seconds(1))
            if try await time.untilNothingIsDue(or: deadline), time.now == rest {
                return .deadlock(after: rest - .zero)
            }
        }
        return .endless(limit: limit)
    }

    private func note(_ leftover: Leftover) { left.withLock { $0.append(leftover) } }
}

extension Leftover {
    /// Whether the body was cancelled for it.
    fileprivate var isEndOfBody: Bool {
        switch self {
        case .deadlock, .endless: true
        default: false
        }
    }
}

extension WallTime {
    /// What the clock of the machine shows.
    fileprivate static var now: WallTime {
        // A number of seconds that an Int64 has room for until the year 2262.
        WallTime(nanosecondsSince1970: Int64(exactly: (Date().timeIntervalSince1970 * 1e9).rounded()) ?? 0)
    }
}
