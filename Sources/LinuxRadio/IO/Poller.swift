// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// A thread that waits for descriptors, and runs the jobs of the tasks that prefer it between its waits. Who resumes a task
/// from a handler therefore wakes no other thread.
///
/// The thread does not hold its handle (`IOThread`), because the handle's `deinit` ends it.
final class Poller: TaskExecutor {
    private struct Entry {
        let descriptor: Int32
        /// The system to which it belongs, on the thread of an event loop.
        let group: UInt64?
        /// The awaited events; `nil` if the descriptor is not in the epoll set at the moment.
        var interest: Readiness?
        weak var handler: (any ReadinessHandler)?
    }

    private enum Thread {
        case notStarted
        case running(pthread_t)
        case stopping
        case ended
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastToken: UInt64 = wakeToken
        var thread = Thread.notStarted
        var lastGroup: UInt64 = 0
        /// Systems whose sockets have ended for good.
        var endedGroups: Set<UInt64> = []
        /// The jobs that are ready, in the order of arrival.
        var jobs: [UnownedJob] = []
        var sleepers = SleeperQueue<UnsafeContinuation<Bool, Never>>()
        /// Whether the thread waits, or is about to, so that a new job or an earlier deadline has to wake it.
        var isWaiting = false
        /// Called on the thread of an event loop before it waits; `nil` for a thread that runs no jobs.
        var beforeWait: (@Sendable () -> Void)?

        /// Returns whether the thread has to be woken, once.
        mutating func endsWait() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    /// What the thread does next.
    private enum Step {
        case run
        /// Resume those whose deadline has come.
        case wake([UnsafeContinuation<Bool, Never>])
        /// Wait for descriptors, at most that many milliseconds; without limit for -1.
        case wait(Int32)
    }

    /// The token of `wakeUp`. Registrations count from 1, so that none of them has it.
    private static let wakeToken: UInt64 = 0
    /// The number of events that one epoll_wait(2) returns at most. Further events stay ready for the next one.
    private static let eventsPerWait = 64
    /// The batches of jobs that run before descriptors have their turn, if the jobs do not end.
    private static let batchesPerWait = 16

    private let epoll: OwnedFileDescriptor
    private let wakeUp: OwnedFileDescriptor
    private let clock = SystemTimeSource.linux
    /// The thread, as pthread_self(3) names it; 0 before it runs.
    private let current = Atomic<UInt>(0)
    private let state = Mutex(State())

    static func makeEpoll() throws(Errno) -> OwnedFileDescriptor {
        try OwnedFileDescriptor { blectl_epoll_create() }
    }

    /// Creates the epoll descriptor. The thread does not run yet.
    convenience init() throws(Errno) { try self.init(epoll: Self.makeEpoll()) }

    init(epoll: consuming OwnedFileDescriptor) throws(Errno) {
        self.epoll = epoll
        wakeUp = try OwnedFileDescriptor { blectl_eventfd() }
        let (poller, wakeUp) = (self.epoll.rawValue, wakeUp.rawValue)
        // Reported once for each write, so that nobody has to read it.
        let interest = Readiness.readable.rawValue | BLECTL_EPOLLET
        try systemCall { blectl_epoll_add(poller, wakeUp, interest, Self.wakeToken) }
    }

    // MARK: - From any thread

    // The epoll set changes only under the lock that guards the table of handlers. So an event that arrives while `add`
    // runs finds its handler, since the thread takes the lock to look it up, and no event finds a handler after
    // `remove` has returned. A handler that was looked up just before may still be called just after: it has to check
    // that it is not closed.

    func add(
        _ descriptor: Int32,
        _ interest: Readiness,
        for handler: any ReadinessHandler,
        in group: UInt64?
    ) throws(Errno) -> UInt64 {
        try state.withLock { state throws(Errno) in
            if let group, state.endedGroups.contains(group) { throw Errno(ESHUTDOWN) }
            try run(&state)
            state.lastToken += 1
            let (epoll, token) = (epoll.rawValue, state.lastToken)
            try systemCall { blectl_epoll_add(epoll, descriptor, interest.rawValue, token) }
            state.entries[token] = Entry(descriptor: descriptor, group: group, interest: interest, handler: handler)
            return token
        }
    }

    /// Starts the thread, so that it can run jobs.
    ///
    /// - Parameter beforeWait: Called on the thread whenever no job is left.
    func start(beforeWait: @escaping @Sendable () -> Void) throws(Errno) {
        try state.withLock { state throws(Errno) in
            state.beforeWait = beforeWait
            try run(&state)
        }
    }

    /// Whether the calling thread is this one.
    var isCurrent: Bool { current.load(ordering: .relaxed) == pthread_self() }

    private func run(_ state: inout State) throws(Errno) {
        switch state.thread {
        case .notStarted: state.thread = .running(try makeThread())
        case .running: break
        case .stopping, .ended: throw Errno(ESHUTDOWN)
        }
    }

    func newGroup() -> UInt64 {
        state.withLock { state in
            state.lastGroup += 1
            return state.lastGroup
        }
    }

    func change(_ token: UInt64, to interest: Readiness) {
        state.withLock { state in
            guard let entry = state.entries[token], entry.interest != interest else { return }
            state.entries[token]?.interest = interest
            // Fails only if the descriptor was closed too early, which is a bug in this module.
            if entry.interest == nil {
                _ = blectl_epoll_add(epoll.rawValue, entry.descriptor, interest.rawValue, token)
            } else {
                _ = blectl_epoll_modify(epoll.rawValue, entry.descriptor, interest.rawValue, token)
            }
        }
    }

    func mute(_ token: UInt64) {
        state.withLock { state in
            guard let entry = state.entries[token], entry.interest != nil else { return }
            state.entries[token]?.interest = nil
            // Taken out of the set, because epoll reports EPOLLHUP and EPOLLERR also for a descriptor without interest.
            _ = blectl_epoll_remove(epoll.rawValue, entry.descriptor)
        }
    }

    func remove(_ token: UInt64) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: token), entry.interest != nil else { return }
            _ = blectl_epoll_remove(epoll.rawValue, entry.descriptor)
        }
    }

    /// Ends the registrations of a system, and informs their handlers.
    func end(_ group: UInt64) {
        let handlers = state.withLock { state in
            guard state.endedGroups.insert(group).inserted else { return [any ReadinessHandler]() }
            let tokens = state.entries.filter { $0.value.group == group }.keys
            return tokens.compactMap { token in
                guard let entry = state.entries.removeValue(forKey: token) else { return nil }
                if entry.interest != nil { _ = blectl_epoll_remove(epoll.rawValue, entry.descriptor) }
                return entry.handler
            }
        }
        for handler in handlers { handler.ioThreadEnded(.stopped) }
    }

    // MARK: - Jobs, from any thread

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wakes = state.withLock { state in
            state.jobs.append(job)
            return state.endsWait()
        }
        if wakes { wake() }
    }

    /// Suspends until the deadline; `false` if the task was cancelled before.
    func sleep(until deadline: Instant) async -> Bool {
        // Before the handler is installed, which finds the sleeper by its ticket.
        let ticket = state.withLock { $0.sleepers.nextTicket() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (isCancelled, wakes) = state.withLock { state in
                    // The handler below may have run already. Then the flag is set, and nothing else would wake this
                    // task.
                    if Task.isCancelled { return (true, false) }
                    let first = state.sleepers.firstDeadline()
                    state.sleepers.insert(continuation, ticket: ticket, deadline: deadline)
                    return (false, first.map { deadline < $0 } ?? true ? state.endsWait() : false)
                }
                if isCancelled { continuation.resume(returning: false) }
                if wakes { wake() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.remove(ticket) }?.resume(returning: false)
        }
    }

    private func wake() { eventfd_write(wakeUp.rawValue, 1) }

    /// Ends the thread and waits for it, so that no handler runs after this returns. A handler that calls it does not
    /// wait.
    func stop() {
        let thread = state.withLock { state -> pthread_t? in
            switch state.thread {
            case .notStarted:
                state.thread = .ended
                return nil
            case .running(let thread):
                state.thread = .stopping
                return thread
            case .stopping, .ended:
                return nil
            }
        }
        guard let thread else { return }
        wake()
        // A handler may be the last user of the handle. Then this is the I/O thread, which cannot join itself.
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    // MARK: - The thread

    /// Starts the thread. It retains the poller until its end, so that the poller cannot vanish under it.
    private func makeThread() throws(Errno) -> pthread_t {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let error = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Poller>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context.toOpaque()
        )
        guard error == 0 else {
            context.release()
            throw Errno(error)
        }
        return thread
    }

    private func run() {
        blectl_name_thread("blectl-io")
        current.store(pthread_self(), ordering: .relaxed)
        let beforeWait = state.withLock { $0.beforeWait }
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: Self.eventsPerWait)
        defer { events.deallocate() }
        let reason = wait(events, beforeWait ?? {})
        end(reason)
        if case .failed = reason, let beforeWait { workWithoutDescriptors(beforeWait) }
    }

    /// Runs jobs and wakes sleepers after epoll has failed, so that the tasks of a command can end: the ends of their channels
    /// have told them why.
    private func workWithoutDescriptors(_ beforeWait: () -> Void) -> Never {
        var jobs: [UnownedJob] = []
        while true {
            let limit = turn(&jobs, beforeWait)
            var entry = pollfd(fd: wakeUp.rawValue, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, limit)
            state.withLock { $0.isWaiting = false }
            var count: eventfd_t = 0
            eventfd_read(wakeUp.rawValue, &count)
        }
    }

    /// Runs jobs and calls the handlers of ready descriptors, until `stop` is called or epoll fails.
    private func wait(
        _ events: UnsafeMutableBufferPointer<epoll_event>,
        _ beforeWait: () -> Void
    ) -> IOThread.End {
        var jobs: [UnownedJob] = []
        while true {
            let limit = turn(&jobs, beforeWait)
            let count: Int32
            do throws(Errno) {
                count = try systemCall {
                    epoll_wait(epoll.rawValue, events.baseAddress, Int32(Self.eventsPerWait), limit)
                }
            } catch {
                return .failed(error)
            }
            let isStopping = state.withLock { state in
                state.isWaiting = false
                if case .stopping = state.thread { return true }
                return false
            }
            if isStopping { return .stopped }
            for event in events.prefix(Int(count)) {
                handler(of: event.data.u64)?.ready(Readiness(rawValue: event.events))
            }
        }
    }

    /// The turn of the jobs between two waits. Returns the limit of the next one in milliseconds, as `work` does.
    private func turn(_ jobs: inout [UnownedJob], _ beforeWait: () -> Void) -> Int32 {
        let limit = work(&jobs)
        beforeWait()
        // It may have resumed tasks.
        return limit == 0 || state.withLock({ $0.isWaiting }) ? limit : work(&jobs)
    }

    /// Runs jobs and wakes sleepers until none is left, or until descriptors have their turn. Returns for how many
    /// milliseconds they may be waited for: none if jobs are left, -1 if nothing else has a deadline.
    ///
    /// - Parameter jobs: Room for them, which is empty before and afterwards.
    private func work(_ jobs: inout [UnownedJob]) -> Int32 {
        let executor = asUnownedTaskExecutor()
        for batch in 0..<Self.batchesPerWait {
            // Not before the first batch: where there is no vDSO, asking the clock is a system call.
            switch nextStep(&jobs, looksAtClock: batch == Self.batchesPerWait / 2) {
            case .run:
                for job in jobs { job.runSynchronously(on: executor) }
                jobs.removeAll(keepingCapacity: true)
            // Without the lock, because the resumption calls `enqueue`, which takes it.
            case .wake(let sleepers): for sleeper in sleepers { sleeper.resume(returning: true) }
            case .wait(let milliseconds): return milliseconds
            }
        }
        return 0
    }

    /// - Parameter looksAtClock: Whether sleepers whose deadline has come go before jobs, which may have no end.
    private func nextStep(_ jobs: inout [UnownedJob], looksAtClock: Bool) -> Step {
        state.withLock { state in
            var limit: Int32 = -1
            if looksAtClock || state.jobs.isEmpty, let first = state.sleepers.firstDeadline() {
                let now = clock.now
                if first <= now {
                    var due: [UnsafeContinuation<Bool, Never>] = []
                    while let first = state.sleepers.firstDeadline(), first <= now,
                        let (_, next) = state.sleepers.popFirst()
                    {
                        due.append(next)
                    }
                    return .wake(due)
                }
                // Rounded up, so that the deadline has passed then.
                limit = Int32(clamping: ((first - now).clampedNanoseconds + 999_999) / 1_000_000)
            }
            if !state.jobs.isEmpty {
                // The whole batch at once: jobs that it adds come after it, and the lock is not taken for each job.
                swap(&jobs, &state.jobs)
                return .run
            }
            // Set under the lock that has seen no job, so that a job that comes before the thread waits wakes it.
            state.isWaiting = true
            return .wait(limit)
        }
    }

    private func handler(of token: UInt64) -> (any ReadinessHandler)? {
        state.withLock { $0.entries[token]?.handler }
    }

    /// Informs every handler that is still registered, so that none waits without end for a thread that is gone.
    private func end(_ reason: IOThread.End) {
        let handlers = state.withLock { state in
            let handlers = state.entries.values.compactMap(\.handler)
            state.entries.removeAll()
            // Detached, because a thread that ended on its own is not joined, and would leak its resources.
            if case .running(let thread) = state.thread { pthread_detach(thread) }
            state.thread = .ended
            return handlers
        }
        // Without the lock, because a handler removes its registration.
        for handler in handlers { handler.ioThreadEnded(reason) }
    }
}
