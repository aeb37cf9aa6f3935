// SPDX-License-Identifier: MIT

public import BluetoothDevices
public import SimulatedRadio
public import Testing

/// Runs each test in a separate simulation, in virtual time: `Simulation.current`.
///
/// A test fails if it leaves something waiting or running: an operation that can never end, a request without an
/// answer, an attempt to connect, a scan, advertising, or a link that the test itself has opened. It also fails if one
/// of its faults has not acted, because it has then not tested its case. On a suite, the trait applies to each of its
/// tests.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
    let limit: Duration
    let world: @Sendable () throws -> SimulatedWorld

    /// `true`: each test of a suite gets its own simulation.
    public var isRecursive: Bool { true }

    /// Runs a test in a simulation, and records what it leaves running.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let run = SimulationRun(try world(), limit: limit)
        try await withTaskCancellationHandler {
            // The run blocks this thread until the test has ended, so that the function does not outlive the call.
            _ = try withoutActuallyEscaping(function) { function in
                try run.run { _ in try await function() }
            }
        } onCancel: {
            run.cancel()
        }
        for leftover in run.leftovers { Issue.record("\(leftover)", sourceLocation: test.sourceLocation) }
    }
}

extension Trait where Self == SimulatedTrait {
    /// Runs the test in a simulated world.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random numbers.
    ///   - adapter: The defects and other traits of the adapter.
    ///   - limit: The longest virtual time that a test may take.
    ///   - devices: The devices: described in Swift, built in, or read from files. They are made for each test.
    public static func simulated(
        seed: UInt64 = 1,
        adapter: Set<AdapterTrait> = [],
        limit: Duration = .seconds(3600),
        @WorldBuilder _ devices: @escaping @Sendable () throws -> [DeviceDefinition]
    ) -> Self {
        SimulatedTrait(limit: limit) { try SimulatedWorld(seed: seed, adapter: adapter, devices) }
    }

    /// Runs the test in a simulated world of built-in devices.
    ///
    /// - Parameters:
    ///   - labels: Their labels: `pulse-strap`, `thermometer`.
    ///   - seed: The seed of all random numbers.
    ///   - adapter: The defects and other traits of the adapter.
    ///   - limit: The longest virtual time that a test may take.
    public static func simulated(
        _ labels: String...,
        seed: UInt64 = 1,
        adapter: Set<AdapterTrait> = [],
        limit: Duration = .seconds(3600)
    ) -> Self {
        SimulatedTrait(limit: limit) {
            try SimulatedWorld(seed: seed, adapter: adapter) { try labels.map { try .builtIn($0) } }
        }
    }

    /// Runs the test in a world that was made elsewhere.
    public static func simulated(_ world: SimulatedWorld, limit: Duration = .seconds(3600)) -> Self {
        SimulatedTrait(limit: limit) { world }
    }
}
