// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The clock for all deadlines: the real one, or the virtual one of a simulation.
public protocol TimeSource: Sendable {
    /// The present moment on the monotonic clock.
    var now: Instant { get }

    /// The present wall-clock time.
    var wallClock: WallTime { get }

    /// Suspends until a moment; throws if the task is cancelled.
    func sleep(until deadline: Instant) async throws(CancellationError)
}

extension TimeSource {
    /// Suspends for a duration; throws if the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: now + duration)
    }
}

/// The machine's clocks: a monotonic one for deadlines and the wall clock for display. It needs no thread of its own.
public struct SystemTimeSource: TimeSource {
    private let start = ContinuousClock.now
    private let wallTime: @Sendable () -> WallTime

    /// A clock that starts at zero now. `wallTime` reads the wall clock.
    public init(wallTime: @escaping @Sendable () -> WallTime) {
        self.wallTime = wallTime
    }

    public var now: Instant { .zero + (ContinuousClock.now - start) }

    public var wallClock: WallTime { wallTime() }

    public func sleep(until deadline: Instant) async throws(CancellationError) {
        do {
            try await Task.sleep(until: start + .nanoseconds(deadline.nanoseconds), clock: .continuous)
        } catch {
            throw CancellationError()
        }
    }
}
