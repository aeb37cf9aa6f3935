// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// A file descriptor with one owner, which closes it at the end of its life.
struct OwnedFileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, for system calls while the owner exists.
    let rawValue: Int32

    init(_ call: () -> Int32) throws(Errno) {
        rawValue = try systemCall(call)
    }

    /// Takes over an open descriptor.
    init(owning rawValue: Int32) { self.rawValue = rawValue }

    /// Passes itself to a closure, so that a descriptor inside an optional can be borrowed by optional chaining.
    borrowing func answering<Answer: Sendable>(
        _ question: @Sendable (borrowing OwnedFileDescriptor) -> Answer
    ) -> Answer {
        question(self)
    }

    deinit {
        // Not repeated after EINTR: Linux has released the number by then, and another thread may have it already.
        _ = close(rawValue)
    }
}

extension OwnedFileDescriptor {
    /// The process at the other end of a Unix socket, the one that listens or the one that has connected: unix(7),
    /// SO_PEERCRED. `nil` if the kernel does not know it.
    borrowing func peerCredentials() -> blectl_credentials? {
        var credentials = blectl_credentials()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_PEERCRED, into: &credentials)
            return credentials
        } catch {
            return nil
        }
    }

    /// Whether the process at the other end belongs to this user.
    var isOfThisUser: Bool { peerCredentials()?.user == geteuid() }
}
