// SPDX-License-Identifier: MIT

public import BluetoothDevices
public import SimulatedRadio
public import Testing

/// Runs each test in a separate simulation, in virtual time or in real time: `Simulation.current`.
///
/// A test fails if it leaves something waiting or running: an operation that can never end, a request without an
/// answer, an attempt to connect, a scan, advertising, or a link that the test itself has opened. It also fails if one
/// of its faults has not acted, because it has then not tested its case. On a suite, the trait applies to each of its
/// tests.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
    let time: SimulatedTime
    let limit: Duration?
    let world: @Sendable () throws -> SimulatedWorld

    /// `true`: each test of a suite gets its own simulation.
    public var isRecursive: Bool { true }

    /// Runs a test in a simulation, and records what it leaves running.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let run = SimulationRun(try world(), time, limit: limit)
        // The run returns when the function has ended, so that the function does not outlive the call.
        _ = try await withoutActuallyEscaping(function) { function in
            try await run.run { _ in try await function() }
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
    ///   - time: The clock.
    ///   - limit: The longest time that a test may take, on that clock; `nil` for an hour of virtual time, or a minute of
    ///     real time.
    ///   - devices: The devices: described in Swift, built in, or read from files. They are made for each test.
    public static func simulated(
        seed: UInt64 = 1,
        adapter: Set<AdapterTrait> = [],
        time: SimulatedTime = .virtual,
        limit: Duration? = nil,
        @WorldBuilder _ devices: @escaping @Sendable () throws -> [DeviceDefinition]
    ) -> Self {
        SimulatedTrait(time: time, limit: limit) { try SimulatedWorld(seed: seed, adapter: adapter, devices) }
    }

    /// Runs the test in a simulated world of built-in devices.
    ///
    /// - Parameters:
    ///   - labels: Their labels: `pulse-strap`, `thermometer`.
    ///   - seed: The seed of all random numbers.
    ///   - adapter: The defects and other traits of the adapter.
    ///   - time: The clock.
    ///   - limit: The longest time that a test may take, on that clock; `nil` for an hour of virtual time, or a minute of
    ///     real time.
    public static func simulated(
        _ labels: String...,
        seed: UInt64 = 1,
        adapter: Set<AdapterTrait> = [],
        time: SimulatedTime = .virtual,
        limit: Duration? = nil
    ) -> Self {
        SimulatedTrait(time: time, limit: limit) {
            try SimulatedWorld(seed: seed, adapter: adapter) { try labels.map { try .builtIn($0) } }
        }
    }

    /// Runs the test in a world that was made elsewhere.
    ///
    /// - Parameters:
    ///   - world: The devices, the adapter and the seed.
    ///   - time: The clock.
    ///   - limit: The longest time that a test may take, on that clock; `nil` for an hour of virtual time, or a minute of
    ///     real time.
    public static func simulated(
        _ world: SimulatedWorld,
        time: SimulatedTime = .virtual,
        limit: Duration? = nil
    ) -> Self {
        SimulatedTrait(time: time, limit: limit) { world }
    }
}
