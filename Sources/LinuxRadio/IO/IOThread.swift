// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ

/// The sockets of a radio system on the thread that waits for them (epoll): one of their own, which starts with the first
/// registration and runs no user code, or that of an event loop.
///
/// All methods may be called from any thread, also from handlers. Handlers are held weakly, so that a channel without
/// users is released and removes its registration.
final class IOThread: Sendable {
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
    /// The number of these sockets on the thread of an event loop; `nil` if the thread is theirs alone.
    private let group: UInt64?

    /// Takes over an epoll descriptor. The thread does not run yet.
    init(epoll: consuming OwnedFileDescriptor) throws(Errno) {
        poller = try Poller(epoll: epoll)
        group = nil
    }

    /// Shares the thread of an event loop, which goes on when these sockets have ended.
    init(sharing loop: EventLoop) {
        poller = loop.poller
        group = poller.newGroup()
    }

    /// Creates the epoll descriptor. The thread does not run yet.
    convenience init() throws(Errno) {
        try self.init(epoll: Poller.makeEpoll())
    }

    deinit { stop() }

    /// Reports the descriptor's readiness to a handler. The caller keeps the descriptor open until `remove`.
    func add(
        _ descriptor: borrowing OwnedFileDescriptor,
        _ interest: Readiness,
        for handler: any ReadinessHandler
    ) throws(Errno) -> Registration {
        Registration(token: try poller.add(descriptor.rawValue, interest, for: handler, in: group))
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

    /// Ends the thread and waits for its end; one of an event loop goes on. Every handler that is still registered is
    /// informed. A second call does nothing.
    func stop() {
        if let group { poller.end(group) } else { poller.stop() }
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
