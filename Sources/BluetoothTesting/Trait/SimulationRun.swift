// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
public import SimulatedRadio
import Synchronization

/// Runs `body` in a simulation, in virtual time, on the calling thread.
///
/// - Parameters:
///   - world: The devices, the adapter and the seed.
///   - limit: The longest virtual time that `body` may take.
///   - body: The program. It and its child tasks run in virtual time.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `SimulationLeftovers` if something is left waiting or a fault was never met.
public func withSimulation<Value: Sendable>(
    _ world: SimulatedWorld,
    limit: Duration = .seconds(3600),
    _ body: @escaping @Sendable (Simulation) async throws -> Value
) throws -> Value {
    let run = SimulationRun(world, limit: limit)
    let value = try run.run(body)
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
    private struct State {
        var left: [Leftover] = []
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    /// The real time in which code outside of virtual time has to make something happen in a world at rest.
    private static let restLimit = Duration.seconds(1)

    private let world: SimulatedWorld
    private let limit: Duration
    private let state = Mutex(State())

    init(_ world: SimulatedWorld, limit: Duration) {
        self.world = world
        self.limit = limit
    }

    /// The leftovers that were found so far.
    var leftovers: [Leftover] { state.withLock { $0.left } }

    /// Cancels the body from any thread.
    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }

    /// Runs the body on the calling thread. The result is `nil` if it was cancelled because it would never have ended.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Simulation) async throws -> Value) throws -> Value? {
        let time = VirtualTime()
        do {
            return try time.run(onStart: started) { [self] () async throws -> Value? in
                try await withTaskScope { scope in
                    let simulation = try Simulation(world, time: time, scope: scope)
                    return try await Simulation.$bound.withValue(simulation) {
                        try await run(body, in: simulation)
                    }
                }
            }
        } catch  where leftovers.contains(where: \.isEndOfBody) {
            // The error is only the body's answer to its cancellation.
            return nil
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
    private func end(of time: VirtualTime) async throws -> Leftover {
        let deadline = time.now + limit
        while try await time.untilNothingIsDue(or: deadline) {
            let rest = time.now
            // Code outside of virtual time, such as that of the main actor, may still make something happen.
            try await Task.sleep(for: Self.restLimit, clock: .continuous)
            if try await time.untilNothingIsDue(or: deadline), time.now == rest {
                return .deadlock(after: rest - .zero)
            }
        }
        return .endless(limit: limit)
    }

    private func started(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        // The test may have been cancelled before the body could be.
        if isCancelled { cancel() }
    }

    private func note(_ leftover: Leftover) { state.withLock { $0.left.append(leftover) } }
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
