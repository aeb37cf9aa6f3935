// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost
import Synchronization

/// Simulated time: one thread runs every job in the order of arrival, and when none is left the clock jumps to the next sleeper.
///
/// A command, its actors, child tasks and streams all run on the thread that called `run`, so the same program gives the
/// same output on every run, however loaded the machine is, and waits cost nothing. Two rules go with it: no unstructured
/// tasks (they would run elsewhere), and all sleeping through this clock.
///
/// Another thread may cancel the command, or resume one of its continuations: that job is queued like any other.
public final class VirtualTime: TaskExecutor, TimeSource {
    private struct State {
        var jobs: [UnownedJob] = []
        var sleepers = SleeperQueue()
        var isRunning = false
        var isWaiting = false
    }

    private enum Step {
        case run([UnownedJob])
        case wake(UnsafeContinuation<Bool, Never>)
        case wait
    }

    /// The wall clock at instant zero: 2024-01-01T00:00:00Z.
    public static let epoch = WallTime(nanosecondsSince1970: 1_704_067_200_000_000_000)

    private let state = Mutex(State())
    private let clock = Atomic<Int64>(0)
    private let wakeUp = WakeUp()
    private let onStall: (@Sendable (Instant) -> Void)?

    /// A clock at zero.
    ///
    /// - Parameter onStall: Called on the executor's thread each time when nothing is left to run and nobody sleeps, so that
    ///   only another thread can make it go on. Whether that is a deadlock only the caller can know: the executor just waits.
    public init(onStall: (@Sendable (Instant) -> Void)? = nil) {
        self.onStall = onStall
    }

    // MARK: - Running

    /// Runs `body` and all that it starts on the calling thread, and returns its result.
    ///
    /// - Parameters:
    ///   - onStart: Called before the first job with a function that cancels `body`; any thread may call that at any time.
    ///   - body: The program. What it leaves asleep when it ends is not waited for.
    public func run<Value: Sendable, Failure: Error>(
        onStart: (@escaping @Sendable () -> Void) -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Value, Failure>()
        let root = Task<Void, Never>(executorPreference: self) {
            do throws(Failure) {
                outcome.set(.success(try await body()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        onStart { root.cancel() }
        return try drive(until: outcome).get()
    }

    private func drive<Value, Failure>(until outcome: Outcome<Value, Failure>) -> Result<Value, Failure> {
        let wasRunning = state.withLock { state in
            defer { state.isRunning = true }
            return state.isRunning
        }
        precondition(!wasRunning, "virtual time runs on one thread at a time")
        defer { state.withLock { $0.isRunning = false } }
        let executor = asUnownedTaskExecutor()
        while true {
            switch nextStep() {
            case .run(let jobs):
                for job in jobs { job.runSynchronously(on: executor) }
                if let result = outcome.get() { return result }
            case .wake(let sleeper):
                sleeper.resume(returning: true)
            case .wait:
                onStall?(now)
                wakeUp.wait()
            }
        }
    }

    /// Takes all jobs there are, or else the next sleeper. Sleepers of one instant are woken one at a time, each with all
    /// that follows from it, in the order in which they fell asleep.
    private func nextStep() -> Step {
        state.withLock { state in
            if !state.jobs.isEmpty {
                defer { state.jobs = [] }
                return .run(state.jobs)
            }
            if let (deadline, sleeper) = state.sleepers.popFirst() {
                let moment = max(deadline.nanoseconds, clock.load(ordering: .relaxed))
                clock.store(moment, ordering: .relaxed)
                return .wake(sleeper)
            }
            state.isWaiting = true
            return .wait
        }
    }

    /// Queues a job; the runtime calls it, from whatever thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasWaiting = state.withLock { state in
            state.jobs.append(job)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wasWaiting { wakeUp.signal() }
    }

    // MARK: - Clock

    /// How many sleep.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// How many entries are kept for sleepers, cancelled ones included.
    var sleeperEntryCount: Int { state.withLock { $0.sleepers.entryCount } }

    /// The moment to which the clock has come; it moves only when nothing is left to run.
    public var now: Instant { Instant(nanoseconds: clock.load(ordering: .relaxed)) }

    /// `epoch` and the time since zero: the same on every run.
    public var wallClock: WallTime { Self.epoch + (now - .zero) }

    /// Suspends until the clock has come to the deadline. A deadline of `Instant(nanoseconds: .max)` is never: such a sleep
    /// ends by cancellation only.
    public func sleep(until deadline: Instant) async throws(CancellationError) {
        let ticket = state.withLock { $0.sleepers.nextTicket() }
        let isAwake = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // The handler below may have run already; then the flag is set, and nobody else will wake us.
                    if Task.isCancelled { return true }
                    state.sleepers.insert(continuation, ticket: ticket, deadline: deadline)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.remove(ticket) }?.resume(returning: false)
        }
        guard isAwake else { throw CancellationError() }
    }
}

/// The result of a root task, handed from the job that ends it to the loop that runs it.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)

    func set(_ value: Result<Value, Failure>) { result.withLock { $0 = value } }

    func get() -> Result<Value, Failure>? { result.withLock { $0 } }
}
