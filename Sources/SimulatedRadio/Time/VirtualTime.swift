// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothHost
import Dispatch
import Synchronization

/// Simulated time. One thread runs all jobs in the order of arrival; when none is left, the clock jumps to the next
/// sleeper.
///
/// A command, its actors, child tasks and streams all run on the thread that called `run`. The same program therefore
/// has the same output in every run, independent of the machine's load, and waiting costs no real time. This requires
/// that it starts no unstructured tasks, which would run on other threads. The tests of module BluetoothTesting bring
/// those here as well.
///
/// Another thread may cancel the command or resume one of its continuations. That job is queued like any other.
public final class VirtualTime: TaskExecutor, TimeSource {
    /// The state shared by the loop and other threads.
    private struct State {
        /// The jobs that are ready, in the order of arrival.
        var jobs: [UnownedJob] = []
        /// What waits for a moment.
        var sleepers = SleeperQueue<Sleeper>()
        /// Tasks that wait until the world is at rest. They do not count as activity: a world with no other sleepers
        /// is at rest.
        var watchers = SleeperQueue<Sleeper>()
        /// The pieces of work on other threads during which the clock stands still.
        var holds = 0
        /// Whether a thread runs the loop.
        var isRunning = false
        /// Whether that thread is blocked, so that a new job has to wake it.
        var isWaiting = false
        /// Whether the loop is over for good.
        var isClosed = false
        /// Decides what happens when no job is left; `nil` if this clock is the only one of its world.
        var conductor: (@Sendable (Idle) -> Permission)?

        /// Returns whether the thread of the loop has to be woken, once: the semaphore counts, and a second signal would
        /// end a later wait at once.
        mutating func endsWait() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }

        /// Puts a suspended task into one of the queues.
        mutating func enqueue(
            _ continuation: UnsafeContinuation<Bool, Never>,
            _ ticket: SleeperQueue.Ticket,
            until deadline: Instant,
            isWatcher: Bool
        ) {
            if isWatcher {
                watchers.insert(.task(continuation), ticket: ticket, deadline: deadline)
            } else {
                sleepers.insert(.task(continuation), ticket: ticket, deadline: deadline)
            }
        }
    }

    /// What waits for a moment.
    private enum Sleeper {
        /// A task that sleeps on this clock.
        case task(UnsafeContinuation<Bool, Never>)
        /// A job of `Task.sleep`.
        case job(UnownedJob)
    }

    /// What a clock without jobs waits for.
    package struct Idle: Hashable, Sendable {
        /// The deadline of the first sleeper; `nil` for none.
        package var due: Instant?
        /// The deadline of the first task that waits for a world at rest; `nil` for none.
        package var watch: Instant?
    }

    /// What a clock without jobs may do next.
    package enum Permission: Hashable, Sendable {
        /// Move to the first sleeper, and wake it.
        case sleeper
        /// Wake the first task that waits for a world at rest.
        case watcher
        /// Wait until another thread queues a job.
        case nothing
    }

    private enum Step {
        case run([UnownedJob])
        /// Wake this sleeper, after the clock has moved to its deadline.
        case wake(Sleeper)
        case ask(Idle, @Sendable (Idle) -> Permission)
        /// Block until another thread queues a job, or has done its work.
        case wait(isStalled: Bool)
    }

    /// The wall clock at instant zero: 2024-01-01T00:00:00Z.
    public static let epoch = WallTime(nanosecondsSince1970: 1_704_067_200_000_000_000)

    /// Jobs and sleepers. The lock is never held while a job runs.
    private let state = Mutex(State())
    /// The nanoseconds since zero. Atomic, so that `now` needs no lock.
    private let clock = Atomic<Int64>(0)
    /// Blocks the thread of the loop.
    private let wakeUp = WakeUp()
    /// Called when the loop is about to block.
    private let onStall: (@Sendable (Instant) -> Void)?

    /// The moment at which the program began: zero, unless its clock joined others.
    public let start: Instant

    /// Creates a clock at zero.
    ///
    /// - Parameter onStall: Called on the executor's thread whenever no job and no sleeper is left, and no task waits
    ///   for that, so that only another thread can continue the program. Only the caller knows whether that is a
    ///   deadlock; the executor just waits.
    public init(onStall: (@Sendable (Instant) -> Void)? = nil) {
        start = .zero
        self.onStall = onStall
    }

    package init(at start: Instant) {
        self.start = start
        onStall = nil
        clock.store(start.nanoseconds, ordering: .relaxed)
    }

    /// This clock stands still while anything runs on it.
    public var executor: (any TaskExecutor)? { self }

    // MARK: - Running

    /// Runs `body` and everything that it starts on the calling thread, and returns its result.
    ///
    /// - Parameters:
    ///   - onStart: Called before the first job with a function that cancels `body`. Any thread may call it at any
    ///     time.
    ///   - body: The program. Tasks that still sleep at its end are not awaited.
    public func run<Value: Sendable, Failure: Error>(
        onStart: (@escaping @Sendable () -> Void) -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Value, Failure>()
        let root = Task<Void, Never>(executorPreference: self) { outcome.set(await Result(catching: body)) }
        onStart { root.cancel() }
        while true {
            loop { outcome.isThere }
            if let result = outcome.get() { return try result.get() }
        }
    }

    /// Runs jobs until the end, and moves the clock to the next sleeper when there are none. With neither, only another
    /// thread can go on.
    private func loop(until isAtEnd: () -> Bool) {
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
            case .wake(.task(let sleeper)):
                // Without the lock, because the resumption calls `enqueue`, which takes it.
                sleeper.resume(returning: true)
            case .wake(.job(let job)):
                job.runSynchronously(on: executor)
            case .ask(let idle, let conductor):
                // Without the lock, because a conductor sends packets, which may queue jobs.
                switch follow(conductor(idle)) {
                case .task(let sleeper)?: sleeper.resume(returning: true)
                case .job(let job)?: job.runSynchronously(on: executor)
                case nil: break
                }
            case .wait(let isStalled):
                if isStalled { onStall?(now) }
                wakeUp.wait()
            }
            if isAtEnd() { return }
        }
    }

    /// Does what the conductor permits. Returns the sleeper or watcher to wake.
    private func follow(_ permission: Permission) -> Sleeper? {
        let (sleeper, mustWait) = state.withLock { state -> (Sleeper?, Bool) in
            switch permission {
            case .sleeper:
                if let due = state.sleepers.firstDeadline() { advance(to: due) }
                return (state.sleepers.popFirst()?.1, false)
            case .watcher: return (state.watchers.popFirst()?.1, false)
            case .nothing:
                // As in `nextStep`: under the lock that has seen no job.
                guard state.jobs.isEmpty, !state.isClosed else { return (nil, false) }
                state.isWaiting = true
                return (nil, true)
            }
        }
        if mustWait { wakeUp.wait() }
        return sleeper
    }

    /// Takes all queued jobs, or else the next sleeper. Sleepers with the same deadline wake one by one in the order in
    /// which they fell asleep, each with all its consequences, so that the order of events is reproducible.
    private func nextStep() -> Step {
        state.withLock { state in
            if !state.jobs.isEmpty {
                // The whole batch at once: jobs that it adds come after it, and the lock is not taken for each job.
                defer { state.jobs = [] }
                return .run(state.jobs)
            }
            let isHeld = state.holds > 0 || state.isClosed
            if !isHeld {
                let (due, watched) = (state.sleepers.firstDeadline(), state.watchers.firstDeadline())
                if let conductor = state.conductor { return .ask(Idle(due: due, watch: watched), conductor) }
                if let due, watched.map({ due <= $0 }) ?? true, let (_, sleeper) = state.sleepers.popFirst() {
                    advance(to: due)
                    return .wake(sleeper)
                }
                if let (deadline, watcher) = state.watchers.popFirst() {
                    // A world at rest has no later moment. The watcher sees by the clock which of the two it was.
                    if due != nil { advance(to: deadline) }
                    return .wake(watcher)
                }
            }
            // Set under the lock that has seen no job, so that a job that comes before the thread blocks signals.
            state.isWaiting = !state.isClosed
            return state.isClosed ? .run([]) : .wait(isStalled: !isHeld)
        }
    }

    /// Has another one decide what happens when no job is left, on the thread of the loop: the clock is one of several
    /// of a world. `nil` makes it the only one again.
    package func conduct(_ conductor: (@Sendable (Idle) -> Permission)?) {
        state.withLock { $0.conductor = conductor }
    }

    /// Moves the clock forward, never back, on the thread of the loop. For a conductor, which wakes the sleepers until
    /// then by and by.
    package func move(to moment: Instant) { advance(to: moment) }

    /// Moves the clock forward, never back.
    private func advance(to moment: Instant) {
        // A deadline in the past wakes its sleeper and leaves the clock. Relaxed, because only the thread of the loop
        // moves the clock.
        clock.store(max(moment.nanoseconds, clock.load(ordering: .relaxed)), ordering: .relaxed)
    }

    /// Queues a job. The runtime calls this from any thread.
    public func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    /// Queues a job from any thread. When the loop is over for good, it runs where all tasks without a clock run.
    package func add(_ job: UnownedJob) {
        let (isClosed, wasWaiting) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.jobs.append(job)
            return (false, state.endsWait())
        }
        if isClosed { globalConcurrentExecutor.enqueue(job) }
        if wasWaiting { wakeUp.signal() }
    }

    /// Lets a job of `Task.sleep` run after a duration of virtual time.
    ///
    /// The clocks of the standard library go on between the call of `sleep` and this one, so that the rest of a duration
    /// is a little short. It is rounded up, so that two runs are the same: from 10 s on to tenths, from 1 s on to
    /// hundredths, and else to thousandths of a second.
    package func add(_ job: UnownedJob, after delay: Duration) {
        let nanoseconds = max(delay, .zero).clampedNanoseconds
        let grain: Int64 =
            nanoseconds > 9_900_000_000 ? 100_000_000 : nanoseconds > 990_000_000 ? 10_000_000 : 1_000_000
        let (rest, isExact) = (nanoseconds % grain, nanoseconds % grain == 0)
        let deadline = now + .nanoseconds(nanoseconds) + .nanoseconds(isExact ? 0 : grain - rest)
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            let ticket = state.sleepers.nextTicket()
            state.sleepers.insert(.job(job), ticket: ticket, deadline: deadline)
            return false
        }
        // As any sleep does.
        if isClosed {
            let delay = DispatchTimeInterval.nanoseconds(Int(nanoseconds))
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { globalConcurrentExecutor.enqueue(job) }
        }
    }

    // MARK: - A thread of its own

    /// Runs on the calling thread, which blocks, until `close`.
    package func runUntilClosed() {
        loop { state.withLock { $0.isClosed } }
        let left = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in left { globalConcurrentExecutor.enqueue(job) }
    }

    /// Ends the loop for good, from any thread. What is queued from now on runs elsewhere, so that no task that awaits it
    /// waits for ever; who sleeps on this clock is not woken any more.
    package func close() {
        let wasWaiting = state.withLock { state in
            state.isClosed = true
            return state.endsWait()
        }
        if wasWaiting { wakeUp.signal() }
    }

    /// Lets the clock stand still until `release`: another thread works for the program.
    package func hold() { state.withLock { $0.holds += 1 } }

    /// Lets the clock go on, if nothing else holds it.
    package func release() {
        let wasWaiting = state.withLock { state in
            state.holds -= 1
            return state.endsWait()
        }
        if wasWaiting { wakeUp.signal() }
    }

    // MARK: - Clock

    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The number of entries for sleepers, including cancelled ones.
    var sleeperEntryCount: Int { state.withLock { $0.sleepers.entryCount } }

    /// The present time of the clock. It moves only when no job is left.
    public var now: Instant { Instant(nanoseconds: clock.load(ordering: .relaxed)) }

    /// `epoch` plus the time since zero: the same in every run.
    public var wallClock: WallTime { Self.epoch + (now - .zero) }

    /// Suspends until the deadline. `Instant(nanoseconds: .max)` is never reached: such a sleep ends only by
    /// cancellation.
    public func sleep(until deadline: Instant) async throws(CancellationError) {
        try await wait(until: deadline, isWatcher: false)
    }

    /// Suspends until no job and no sleeper with a deadline is left, or until the deadline. Returns whether nothing is
    /// due; the clock then stands still. Several that wait so are woken one by one, the earliest deadline first, each
    /// with all its consequences.
    public func untilNothingIsDue(or deadline: Instant) async throws(CancellationError) -> Bool {
        // A deadline at the end of time is in no queue.
        let last = min(deadline, Instant(nanoseconds: .max - 1))
        try await wait(until: last, isWatcher: true)
        return now < last
    }

    /// Waits for a moment, as a sleeper, or as a watcher that does not keep the world going.
    private func wait(until deadline: Instant, isWatcher: Bool) async throws(CancellationError) {
        // Before the handler is installed, which finds the sleeper by its ticket.
        let ticket = state.withLock { isWatcher ? $0.watchers.nextTicket() : $0.sleepers.nextTicket() }
        let isAwake = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // The handler below may have run already. Then the flag is set, and nothing else would wake this
                    // task.
                    if Task.isCancelled { return true }
                    state.enqueue(continuation, ticket, until: deadline, isWatcher: isWatcher)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { isWatcher ? $0.watchers.remove(ticket) : $0.sleepers.remove(ticket) }
            if case .task(let continuation)? = sleeper { continuation.resume(returning: false) }
        }
        guard isAwake else { throw CancellationError() }
    }
}

/// The result of a root task, passed from the job that ends it to the loop that runs it.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    /// The result; `nil` before the end.
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let isSet = Atomic(false)

    /// Whether there is a result. It takes no lock, because the loop asks after each job.
    var isThere: Bool { isSet.load(ordering: .acquiring) }

    func set(_ value: Result<Value, Failure>) {
        result.withLock { $0 = value }
        isSet.store(true, ordering: .releasing)
    }

    /// The result; `nil` before the end.
    func get() -> Result<Value, Failure>? { result.withLock { $0 } }
}
