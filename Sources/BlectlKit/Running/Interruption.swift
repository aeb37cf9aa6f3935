// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// The first Ctrl-C: ends the command, and its waits for readers that take nothing, so that it can tidy up.
public final class Interruption: Sendable {
    /// Ends when it happens.
    let events: AsyncStream<Void>
    /// A descriptor that hangs up when it happens: one end of a pipe.
    let sign: Int32

    private let continuation: AsyncStream<Void>.Continuation
    private let otherEnd: Mutex<Int32>

    /// Nobody has interrupted yet.
    public init() {
        (events, continuation) = AsyncStream<Void>.makeStream()
        var ends: [Int32] = [-1, -1]
        // Where there is no pipe there is no sign, and writes wait for their readers.
        _ = pipe(&ends)
        sign = ends[0]
        otherEnd = Mutex(ends[1])
    }

    /// From now on nothing goes on, and nobody waits for a reader.
    public func happen() {
        continuation.finish()
        otherEnd.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
    }
}
