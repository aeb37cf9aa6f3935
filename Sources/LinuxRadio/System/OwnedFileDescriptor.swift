// SPDX-License-Identifier: GPL-2.0-or-later

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
