// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A file descriptor that one place owns, and that is closed when that place is done with it.
struct OwnedFileDescriptor: ~Copyable, Sendable {
    /// The number, for system calls made while the owner is alive.
    let rawValue: Int32

    /// Takes over the descriptor that a call returned.
    init(_ call: () -> Int32) throws(Errno) {
        rawValue = try systemCall(call)
    }

    /// Takes over an open descriptor.
    init(owning rawValue: Int32) { self.rawValue = rawValue }

    /// Lends itself: for a descriptor that is behind an optional.
    borrowing func answering<Answer: Sendable>(
        _ question: @Sendable (borrowing OwnedFileDescriptor) -> Answer
    ) -> Answer {
        question(self)
    }

    deinit {
        // Never again after EINTR: Linux has released the number by then, and it may be someone else's already.
        _ = close(rawValue)
    }
}
