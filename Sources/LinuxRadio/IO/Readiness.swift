// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ

/// What a descriptor is ready for, or what is to be waited for: the event bits of epoll(7).
struct Readiness: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// A packet can be received, or the end be seen.
    static let readable = Readiness(rawValue: BLECTL_EPOLLIN | BLECTL_EPOLLRDHUP)
    /// There is room to send.
    static let writable = Readiness(rawValue: BLECTL_EPOLLOUT)
    /// The other end is gone. Reported whether it was waited for or not.
    static let hungUp = Readiness(rawValue: BLECTL_EPOLLHUP)
    /// An error is pending. Reported whether it was waited for or not.
    static let failed = Readiness(rawValue: BLECTL_EPOLLERR)
}

/// Whoever waits for a descriptor. Called on the I/O thread only: it may do non-blocking system calls, push into a queue and
/// resume continuations, nothing else.
protocol ReadinessHandler: AnyObject, Sendable {
    /// The descriptor is ready for (at least one of) these.
    func ready(_ readiness: Readiness)

    /// The I/O thread has ended, and with it this registration.
    func ioThreadEnded(_ reason: IOThread.End)
}
