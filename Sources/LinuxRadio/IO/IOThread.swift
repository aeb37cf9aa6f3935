// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc
import Synchronization

/// The only thread that waits for sockets (epoll). It starts with the first registration and runs no user code.
///
/// All methods may be called from any thread, also from handlers. Handlers are held weakly, so that a channel without
/// users is released and removes its registration.
final class IOThread: Sendable {
    /// The reason of the thread's end.
    enum End: Sendable {
        /// `stop` was called.
        case stopped
        /// epoll_wait(2) failed.
        case failed(Errno)
    }

    /// Identifies a registration. Values are never reused: an event of a closed descriptor may have been fetched
    /// already, and must not reach the next owner of the same descriptor number.
    struct Registration: Hashable, Sendable {
        fileprivate let token: UInt64
    }

    private let poller: Poller

    /// Takes over an epoll descriptor. The thread does not run yet.
    init(epoll: consuming OwnedFileDescriptor) throws(Errno) {
        poller = try Poller(epoll: epoll)
    }

    /// Creates the epoll descriptor. The thread does not run yet.
    convenience init() throws(Errno) {
        try self.init(epoll: try OwnedFileDescriptor { blectl_epoll_create() })
    }

    deinit { stop() }

    /// Reports the descriptor's readiness to a handler. The caller keeps the descriptor open until `remove`.
    func add(
        _ descriptor: borrowing OwnedFileDescriptor,
        _ interest: Readiness,
        for handler: any ReadinessHandler
    ) throws(Errno) -> Registration {
        Registration(token: try poller.add(descriptor.rawValue, interest, for: handler))
    }

    /// Changes the awaited events. Unknown registrations are ignored.
    func change(_ registration: Registration, to interest: Readiness) {
        poller.change(registration.token, to: interest)
    }

    /// Stops all reports until the next `change`, also those of the end, which epoll sends without interest.
    func mute(_ registration: Registration) {
        poller.mute(registration.token)
    }

    /// Ends a registration. Must be called before the descriptor is closed.
    func remove(_ registration: Registration) {
        poller.remove(registration.token)
    }

    /// Ends the thread and waits for its end. Every handler that is still registered is informed. A second call does
    /// nothing.
    func stop() {
        poller.stop()
    }
}

extension OwnedFileDescriptor {
    /// Registers an optional descriptor: `descriptor?.register(…)`.
    borrowing func register(
        on ioThread: IOThread,
        _ interest: Readiness,
        for handler: any ReadinessHandler
    ) throws(Errno) -> IOThread.Registration {
        try ioThread.add(self, interest, for: handler)
    }
}

/// The state that the thread and its handle share. The thread does not hold the handle, because the handle's `deinit`
/// ends the thread.
private final class Poller: Sendable {
    private struct Entry {
        let descriptor: Int32
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
    }

    /// The token of `wakeUp`. Registrations count from 1, so that none of them has it.
    private static let wakeToken: UInt64 = 0
    /// The number of events that one epoll_wait(2) returns at most. Further events stay ready for the next one.
    private static let eventsPerWait = 64

    private let epoll: OwnedFileDescriptor
    private let wakeUp: OwnedFileDescriptor
    private let state = Mutex(State())

    init(epoll: consuming OwnedFileDescriptor) throws(Errno) {
        self.epoll = epoll
        wakeUp = try OwnedFileDescriptor { blectl_eventfd() }
        let (poller, wakeUp) = (self.epoll.rawValue, wakeUp.rawValue)
        try systemCall { blectl_epoll_add(poller, wakeUp, Readiness.readable.rawValue, Self.wakeToken) }
    }

    // MARK: - From any thread

    // The epoll set changes only under the lock that guards the table of handlers. So an event that arrives while `add`
    // runs finds its handler, since the thread takes the lock to look it up, and no event finds a handler after
    // `remove` has returned. A handler that was looked up just before may still be called just after: it has to check
    // that it is not closed.

    func add(_ descriptor: Int32, _ interest: Readiness, for handler: any ReadinessHandler) throws(Errno) -> UInt64 {
        try state.withLock { state throws(Errno) in
            switch state.thread {
            case .notStarted: state.thread = .running(try start())
            case .running: break
            case .stopping, .ended: throw Errno(ESHUTDOWN)
            }
            state.lastToken += 1
            let (epoll, token) = (epoll.rawValue, state.lastToken)
            try systemCall { blectl_epoll_add(epoll, descriptor, interest.rawValue, token) }
            state.entries[token] = Entry(descriptor: descriptor, interest: interest, handler: handler)
            return token
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
        eventfd_write(wakeUp.rawValue, 1)
        // A handler may be the last user of the handle. Then this is the I/O thread, which cannot join itself.
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    // MARK: - The thread

    /// Starts the thread. It retains the poller until its end, so that the poller cannot vanish under it.
    private func start() throws(Errno) -> pthread_t {
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
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: Self.eventsPerWait)
        defer { events.deallocate() }
        end(wait(events))
    }

    /// Calls the handlers of ready descriptors until the wake-up descriptor says stop, or epoll fails.
    private func wait(_ events: UnsafeMutableBufferPointer<epoll_event>) -> IOThread.End {
        while true {
            let count: Int32
            do throws(Errno) {
                count = try systemCall {
                    epoll_wait(epoll.rawValue, events.baseAddress, Int32(Self.eventsPerWait), -1)
                }
            } catch {
                return .failed(error)
            }
            for event in events.prefix(Int(count)) {
                let token = event.data.u64
                if token == Self.wakeToken { return .stopped }
                handler(of: token)?.ready(Readiness(rawValue: event.events))
            }
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
