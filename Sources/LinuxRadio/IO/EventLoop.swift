// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Glibc
import Synchronization

/// One thread for a whole command: it runs all jobs in the order of their arrival, resumes sleeping tasks, and waits
/// for descriptors while it has nothing else to do.
///
/// A command that makes one request over a socket ends before the threads of a pool would have started. Everything has
/// to run on the thread that calls `run`, as in virtual time: there are no unstructured tasks, and no task sleeps by
/// another clock. Other threads may resume continuations; their jobs are queued like any other.
package final class EventLoop: TaskExecutor, TimeSource {
    private struct State {
        var jobs: [UnownedJob] = []
        var sleepers = SleeperQueue()
        /// Whether the thread waits for descriptors, and must be woken for a job of another thread.
        var isWaiting = false
        /// The thread that runs the loop.
        var thread: pthread_t?
    }

    private enum Step {
        case run([UnownedJob])
        case wake(UnsafeContinuation<Bool, Never>)
        /// Wait for descriptors, at most that many milliseconds; -1 without limit.
        case wait(Int32)
    }

    /// The number of times that jobs are run before descriptors are looked at, while there are always more jobs.
    private static let batchesPerLook = 32

    /// The I/O thread is the one that calls `run`.
    let io: IOThread
    private let clock = SystemTimeSource.linux
    private let state = Mutex(State())
    /// The watches that last as long as the loop; the registrations hold their handlers weakly.
    private let watches = Mutex<[DescriptorWatch]>([])

    /// Creates a loop. Throws if the system has no descriptor left.
    package init() throws(RadioError) {
        io = try RadioError.translating(.hci, "epoll_create1", during: "Bluetooth") { () throws(Errno) in
            try IOThread(isDriven: true)
        }
    }

    // MARK: - Running

    /// Runs `body` and everything that it starts on the calling thread, and returns its result.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let result = Result<Value>()
        _ = Task<Void, Never>(executorPreference: self) { result.set(await body()) }
        return drive(until: result)
    }

    private final class Result<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        func set(_ new: Value) { value.withLock { $0 = new } }

        func get() -> Value? { value.withLock { $0 } }
    }

    /// Runs jobs until the result is there. Looks at the descriptors now and then between batches, because jobs that
    /// queue further jobs would otherwise keep packets waiting.
    private func drive<Value>(until result: Result<Value>) -> Value {
        let executor = asUnownedTaskExecutor()
        state.withLock { $0.thread = pthread_self() }
        var batches = 0
        while true {
            switch nextStep() {
            case .run(let jobs):
                for job in jobs { job.runSynchronously(on: executor) }
                if let value = result.get() { return value }
                batches += 1
                if batches % Self.batchesPerLook == 0 { io.turn(0) }
            // Without the lock, because resuming the task queues its job.
            case .wake(let sleeper): sleeper.resume(returning: true)
            case .wait(let limit):
                batches = 0
                io.turn(limit)
                // A descriptor may have ended the wait. Only `enqueue` clears this before.
                state.withLock { $0.isWaiting = false }
            }
        }
    }

    /// Takes all queued jobs, or else a sleeper that is due.
    private func nextStep() -> Step {
        state.withLock { state in
            if !state.jobs.isEmpty {
                defer { state.jobs = [] }
                return .run(state.jobs)
            }
            guard let deadline = state.sleepers.firstDeadline() else {
                state.isWaiting = true
                return .wait(-1)
            }
            let rest = deadline - now
            if rest <= .zero, let (_, sleeper) = state.sleepers.popFirst() { return .wake(sleeper) }
            state.isWaiting = true
            // Rounded up, so that the loop does not wake before the deadline.
            return .wait(Int32(clamping: rest.clampedNanoseconds / 1_000_000 + 1))
        }
    }

    /// Queues a job. The runtime calls this from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wakes = state.withLock { state in
            state.jobs.append(job)
            // The loop's own thread needs no wake-up: it looks for jobs after it has handled the descriptors.
            guard state.isWaiting, let thread = state.thread, pthread_equal(thread, pthread_self()) == 0 else {
                return false
            }
            // One wake-up is enough for all jobs until the thread has looked.
            state.isWaiting = false
            return true
        }
        if wakes { io.wake() }
    }

    // MARK: - Clock

    package var executor: (any TaskExecutor)? { self }
    package var start: Instant { clock.start }
    package var now: Instant { clock.now }
    package var wallClock: WallTime { clock.wallClock }

    /// Sleeps until a deadline, or throws when the task is cancelled. The continuation waits in the loop's state, so
    /// that the loop can wait for the first deadline and for descriptors in one call.
    package func sleep(until deadline: Instant) async throws(CancellationError) {
        let ticket = state.withLock { $0.sleepers.nextTicket() }
        let isAwake = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // The handler below may have run already. Then the flag is set, and nothing else would wake this
                    // task.
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

    // MARK: - Watching

    /// Calls back on the loop's thread for each event of the signals, which the waiter's thread has to be. Returns
    /// `false` if that is impossible.
    package func watch(_ signals: SignalWaiter, _ onEvent: @escaping @Sendable (SignalWaiter.Event) -> Void) -> Bool {
        watch(signals.makeDescriptor(), .readable) { _ in
            while let event = signals.waiting() { onEvent(event) }
            return true
        }
    }

    /// Calls back once on the loop's thread when the reader of a pipe, a socket or a terminal has gone. Returns `false`
    /// if that is impossible, as for a file.
    package func watchEnd(of descriptor: Int32, _ onEnd: @escaping @Sendable () -> Void) -> Bool {
        // A copy, because the watch closes its descriptor, and the stream has to stay open.
        let copy = try? OwnedFileDescriptor { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        // Without interest: epoll reports EPOLLHUP and EPOLLERR in any case.
        return watch(copy, []) { _ in
            onEnd()
            return false
        }
    }

    private func watch(
        _ descriptor: consuming OwnedFileDescriptor?,
        _ interest: Readiness,
        _ onReady: @escaping @Sendable (Readiness) -> Bool
    ) -> Bool {
        guard let descriptor else { return false }
        guard let watch = try? DescriptorWatch(descriptor, interest, on: io, onReady) else { return false }
        watches.withLock { $0.append(watch) }
        return true
    }
}

/// A descriptor whose events call a function.
private final class DescriptorWatch: ReadinessHandler {
    private let descriptor: OwnedFileDescriptor
    private let ioThread: IOThread
    private let onReady: @Sendable (Readiness) -> Bool
    private let registration = Mutex<IOThread.Registration?>(nil)

    /// Takes over a descriptor. `onReady` returns whether to watch it further.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        _ interest: Readiness,
        on ioThread: IOThread,
        _ onReady: @escaping @Sendable (Readiness) -> Bool
    ) throws(Errno) {
        self.descriptor = descriptor
        self.ioThread = ioThread
        self.onReady = onReady
        let registered = try ioThread.add(self.descriptor, interest, for: self)
        registration.withLock { $0 = registered }
    }

    deinit { stop() }

    func ready(_ readiness: Readiness) {
        if !onReady(readiness) { stop() }
    }

    func ioThreadEnded(_ reason: IOThread.End) {}

    private func stop() {
        let registered = registration.withLock { registration in
            defer { registration = nil }
            return registration
        }
        if let registered { ioThread.remove(registered) }
    }
}
