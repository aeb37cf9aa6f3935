// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// The first Ctrl-C. It cancels the command, and shortens the waits for a reader that has stopped reading.
package final class Interruption: Sendable {
    /// A stream without elements that ends with the interruption.
    package let events: AsyncStream<Void>

    private let continuation: AsyncStream<Void>.Continuation
    private let writer: any StandardWriter

    package init(_ writer: any StandardWriter) {
        (events, continuation) = AsyncStream<Void>.makeStream()
        self.writer = writer
    }

    package func trigger() {
        continuation.finish()
        writer.hurry(.stalled)
    }

    /// Runs `body`. The interruption cancels it; it then has time to clean up.
    package func interrupting<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in self.events { break }
                return nil
            }
            // `nil` means the interruption. The body is then cancelled, and its result is awaited, because it cleans
            // up.
            var result = await group.next() ?? nil
            group.cancelAll()
            if result == nil { result = await group.next() ?? nil }
            return result
        }
    }
}
