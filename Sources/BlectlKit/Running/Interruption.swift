// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// The first Ctrl-C: ends the command, and its waits for readers that take nothing, so that it can tidy up.
public final class Interruption: Sendable {
    /// Ends when it happens.
    let events: AsyncStream<Void>

    private let continuation: AsyncStream<Void>.Continuation
    private let writer: any StandardWriter

    /// Nobody has interrupted yet.
    public init(_ writer: any StandardWriter) {
        (events, continuation) = AsyncStream<Void>.makeStream()
        self.writer = writer
    }

    /// From now on nothing goes on, and a reader that takes nothing is waited for a moment only.
    public func happen() {
        continuation.finish()
        writer.hurry()
    }
}
