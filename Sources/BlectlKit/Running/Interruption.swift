// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// The first Ctrl-C. It cancels the command, and shortens the waits for a reader that has stopped reading.
package final class Interruption: Sendable {
    /// A stream without elements that ends with the interruption.
    let events: AsyncStream<Void>

    private let continuation: AsyncStream<Void>.Continuation
    private let writer: any StandardWriter

    /// Creates an interruption that has not happened yet.
    package init(_ writer: any StandardWriter) {
        (events, continuation) = AsyncStream<Void>.makeStream()
        self.writer = writer
    }

    /// Interrupts the command.
    package func trigger() {
        continuation.finish()
        writer.hurry(.stalled)
    }
}
