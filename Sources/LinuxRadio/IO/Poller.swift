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
        var lastToken: UInt64 = timerToken
        var thread = Thread.notStarted
        var lastGroup: UInt64 = 0
        /// Systems whose sockets have ended for good.
        var endedGroups: Set<UInt64> = []
        /// The jobs that are ready, in the order of arrival.
        var jobs: [UnownedJob] = []
        var sleepers = SleeperQueue<UnsafeContinuation<Bool, Never>>()
        /// The moment for which the timer is set; `nil` if it is not.
        var alarm: Instant?
        /// Whether the thread waits, or is about to, so that a new job has to wake it.
        var isWaiting = false
        /// Called on the thread of an event loop before it waits; `nil` for a thread that runs no jobs.
        var beforeWait: (@Sendable () -> Void)?

        /// Returns whether the thread has to be woken, once.
        mutating func endsWait() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    /// The token of `wakeUp`. Registrations count from 2.
    private static let wakeToken: UInt64 = 0
    /// The token of `timer`.
    private static let timerToken: UInt64 = 1
    /// The number of events that one epoll_wait(2) returns at most. Further events stay ready for the next one.
    private static let eventsPerWait = 64
    /// The batches of jobs that run before descriptors have their turn, if the jobs do not end.
    private static let batchesPerWait = 16

    private let epoll: OwnedFileDescriptor
    private let wakeUp: OwnedFileDescriptor
    /// Ends the wait at the first deadline: a limit of each wait would need a look at the clock before each, which is a
    /// system call where there is no vDSO.
    private let timer: OwnedFileDescriptor
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
        timer = try OwnedFileDescriptor { blectl_timerfd() }
        let poller = self.epoll.rawValue
        for (descriptor, token) in [(wakeUp.rawValue, Self.wakeToken), (timer.rawValue, Self.timerToken)] {
            // Reported once for each write or expiry, so that nobody has to read it.
            let interest = Readiness.readable.rawValue | BLECTL_EPOLLET
            try systemCall { blectl_epoll_add(poller, descriptor, interest, token) }
        }
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
                let isCancelled = state.withLock { state in
                    // The handler below may have run already. Then the flag is set, and nothing else would wake this
                    // task.
                    if Task.isCancelled { return true }
                    state.sleepers.insert(continuation, ticket: ticket, deadline: deadline)
                    if state.isWaiting { setAlarm(&state) }
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.remove(ticket) }?.resume(returning: false)
        }
    }

    private func wake() { eventfd_write(wakeUp.rawValue, 1) }

    /// Sets the timer for the first deadline, unless it is set for an earlier moment: most deadlines are never reached.
    private func setAlarm(_ state: inout State) {
        guard let first = state.sleepers.firstDeadline() else { return }
        // The next whole millisecond, so that deadlines close to each other are one wake-up. 0 would turn the timer off.
        let alarm = max(first, Instant(nanoseconds: 1)).roundedUpToMilliseconds
        guard state.alarm.map({ alarm < $0 }) ?? true else { return }
        state.alarm = alarm
        _ = blectl_timerfd_set(timer.rawValue, alarm.nanoseconds)
    }

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
            let hasJobs = turn(&jobs, beforeWait)
            var entries = [wakeUp.rawValue, timer.rawValue].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&entries, 2, hasJobs ? 0 : -1)
            state.withLock { $0.isWaiting = false }
            var count: eventfd_t = 0
            // Both are counters of the same form.
            for entry in entries where entry.revents != 0 { eventfd_read(entry.fd, &count) }
            if entries[1].revents != 0 { wakeSleepers() }
        }
    }

    /// Runs jobs and calls the handlers of ready descriptors, until `stop` is called or epoll fails.
    private func wait(
        _ events: UnsafeMutableBufferPointer<epoll_event>,
        _ beforeWait: () -> Void
    ) -> IOThread.End {
        var jobs: [UnownedJob] = []
        while true {
            let limit: Int32 = turn(&jobs, beforeWait) ? 0 : -1
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
                if event.data.u64 == Self.timerToken { wakeSleepers() }
                handler(of: event.data.u64)?.ready(Readiness(rawValue: event.events))
            }
        }
    }

    /// The timer has expired.
    private func wakeSleepers() {
        let due = state.withLock { state in
            state.alarm = nil
            let now = clock.now
            var due: [UnsafeContinuation<Bool, Never>] = []
            while let first = state.sleepers.firstDeadline(), first <= now, let (_, next) = state.sleepers.popFirst() {
                due.append(next)
            }
            return due
        }
        // Without the lock, because the resumption calls `enqueue`, which takes it.
        for sleeper in due { sleeper.resume(returning: true) }
    }

    /// The turn of the jobs between two waits. Returns whether some are left.
    private func turn(_ jobs: inout [UnownedJob], _ beforeWait: () -> Void) -> Bool {
        let hasJobs = work(&jobs)
        beforeWait()
        // It may have resumed tasks.
        return hasJobs || state.withLock({ $0.isWaiting }) ? hasJobs : work(&jobs)
    }

    /// Runs jobs until none is left, or until descriptors have their turn. Returns whether some are left.
    ///
    /// - Parameter jobs: Room for them, which is empty before and afterwards.
    private func work(_ jobs: inout [UnownedJob]) -> Bool {
        let executor = asUnownedTaskExecutor()
        for _ in 0..<Self.batchesPerWait {
            guard take(&jobs) else { return false }
            for job in jobs { job.runSynchronously(on: executor) }
            jobs.removeAll(keepingCapacity: true)
        }
        state.withLock { setAlarm(&$0) }
        return true
    }

    /// Takes the jobs that are ready. Returns whether there are any; without, the thread is about to wait.
    private func take(_ jobs: inout [UnownedJob]) -> Bool {
        state.withLock { state in
            guard state.jobs.isEmpty else {
                // The whole batch at once: jobs that it adds come after it, and the lock is not taken for each job.
                swap(&jobs, &state.jobs)
                return true
            }
            setAlarm(&state)
            // Set under the lock that has seen no job, so that a job that comes before the thread waits wakes it.
            state.isWaiting = true
            return false
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

extension Instant {
    fileprivate var roundedUpToMilliseconds: Self {
        let rest = nanoseconds % 1_000_000
        return rest > 0 ? self + .nanoseconds(1_000_000 - rest) : self
    }
}
