// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ

/// The events of a descriptor: the bits of epoll(7).
struct Readiness: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// A packet or the end can be received.
    static let readable = Readiness(rawValue: BLECTL_EPOLLIN | BLECTL_EPOLLRDHUP)
    /// There is room to send.
    static let writable = Readiness(rawValue: BLECTL_EPOLLOUT)
    /// The other end is gone. Reported without interest, too.
    static let hungUp = Readiness(rawValue: BLECTL_EPOLLHUP)
    /// An error is pending. Reported without interest, too.
    static let failed = Readiness(rawValue: BLECTL_EPOLLERR)
}

/// The owner of a descriptor. Called on the I/O thread only, where it may make non-blocking system calls, push into a
/// queue and resume continuations. Anything slower would delay every other channel.
protocol ReadinessHandler: AnyObject, Sendable {
    /// The descriptor is ready for at least one of these.
    func ready(_ readiness: Readiness)

    /// The I/O thread has ended, and with it the registration.
    func ioThreadEnded(_ reason: IOThread.End)
}
