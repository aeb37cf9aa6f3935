// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// The error of a system call. Not shown to users: `RadioError.init(_:in:call:during:)` translates it.
struct Errno: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The error of this thread's last failed call.
    static var last: Errno { Errno(errno) }

    /// There is nothing to receive, or no room to send, at the moment.
    static let wouldBlock = Errno(EAGAIN)
    static let interrupted = Errno(EINTR)
    static let inProgress = Errno(EINPROGRESS)
    static let notConnected = Errno(ENOTCONN)
    static let brokenPipe = Errno(EPIPE)
    static let messageTooLong = Errno(EMSGSIZE)

    /// The symbolic name: `ECONNRESET`.
    var description: String {
        guard let name = strerrorname_np(rawValue) else { return "errno \(rawValue)" }
        return String(cString: name)
    }
}

/// Makes a system call, and repeats it when a signal interrupts it; -1 becomes a thrown `Errno`.
@discardableResult
func systemCall<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        guard result == -1 else { return result }
        let error = Errno.last
        guard error == .interrupted else { throw error }
    }
}
