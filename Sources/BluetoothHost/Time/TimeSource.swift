// SPDX-License-Identifier: MIT

public import Bluetooth

/// The clock for all deadlines: the real one, or the virtual one of a simulation.
public protocol TimeSource: Sendable {
    /// The present moment on the monotonic clock.
    var now: Instant { get }

    /// The moment at which the program began. Simulated and served devices act relative to it, so that every run begins
    /// the same.
    var start: Instant { get }

    /// The present wall-clock time.
    var wallClock: WallTime { get }

    /// The executor that everything on this clock has to run on; `nil` for any.
    var executor: (any TaskExecutor)? { get }

    /// Suspends until a moment; throws if the task is cancelled.
    func sleep(until deadline: Instant) async throws(CancellationError)

    /// Suspends until no work is due any more, so that only outside events can change anything, or until the deadline.
    /// Returns whether no work is due. Throws if the task is cancelled.
    ///
    /// Only a simulated world comes to rest. On a real clock this does not return.
    func untilNothingIsDue(or deadline: Instant) async throws(CancellationError) -> Bool
}

extension TimeSource {
    /// A clock of a test and virtual time begin at zero.
    public var start: Instant { .zero }

    /// Real time passes on every executor.
    public var executor: (any TaskExecutor)? { nil }

    /// Real time goes on for ever: suspends until the task is cancelled.
    public func untilNothingIsDue(or deadline: Instant) async throws(CancellationError) -> Bool {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }

    /// Suspends for a duration; throws if the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: now + duration)
    }
}

/// The machine's clocks: a monotonic one for deadlines and the wall clock for display. It needs no thread of its own.
///
/// The monotonic clock is CLOCK_MONOTONIC of clock_gettime(2), so that moments of several processes can be compared. It
/// stands still while the machine sleeps, and so do time limits: nothing that they wait for could happen in the
/// meantime.
public struct SystemTimeSource: TimeSource {
    private let clock = SuspendingClock()
    private let wallTime: @Sendable () -> WallTime

    public let start: Instant

    /// Creates a source whose `wallTime` reads the wall clock.
    public init(wallTime: @escaping @Sendable () -> WallTime) {
        self.wallTime = wallTime
        start = Self.now(of: clock)
    }

    public var now: Instant { Self.now(of: clock) }

    private static func now(of clock: SuspendingClock) -> Instant { .zero + clock.systemEpoch.duration(to: clock.now) }

    public var wallClock: WallTime { wallTime() }

    public func sleep(until deadline: Instant) async throws(CancellationError) {
        do {
            try await Task.sleep(until: clock.systemEpoch + .nanoseconds(deadline.nanoseconds), clock: clock)
        } catch {
            throw CancellationError()
        }
    }
}
