// SPDX-License-Identifier: GPL-2.0-or-later

/// The streams that a program writes to.
package enum StandardStream: Sendable {
    /// Standard output: results.
    case output
    /// Standard error: messages.
    case messages
}

/// Writes both of them.
package protocol StandardWriter: Sendable {
    func sink(_ stream: StandardStream) -> any ByteSink

    /// From now on readers are waited for as long as `policy` says.
    func hurry(_ policy: DrainPolicy)
}

/// How long a command that has to end waits for readers that accept nothing.
package enum DrainPolicy: Sendable {
    /// Until a second after they last accepted octets, and at least a tenth of a second. A slow reader gets everything.
    case stalled
    /// A tenth of a second in all.
    case overdue

    /// The time that each reader has.
    static let grace = Duration.milliseconds(100)
    /// A reader that has accepted nothing for this time counts as stopped.
    static let stallLimit = Duration.seconds(1)

    /// The moment at which the command no longer waits for a reader that has accepted nothing since `blocked`.
    package func end(since start: ContinuousClock.Instant, blocked: ContinuousClock.Instant) -> ContinuousClock.Instant
    {
        let end = start + Self.grace
        return self == .overdue ? end : max(end, blocked + Self.stallLimit)
    }
}

/// The destination of output: a standard stream, or a buffer in a test. Only `write` is required; a buffer never waits.
package protocol ByteSink: Sendable {
    /// Queues the octets, without waiting for the reader.
    func write(_ bytes: Span<UInt8>) throws(OutputFailure)

    /// Whether queued octets are not written yet.
    var isBehind: Bool { get }

    /// Returns when there is room for more: at once unless the reader is far behind. A cancelled task does not wait.
    func room() async throws(OutputFailure)

    /// Returns when everything in the queue is written. A cancelled task does not wait.
    func flush() async throws(OutputFailure)

    /// As `flush`, but waits in a cancelled task, too. It returns early if the reader goes away, or after `hurry`.
    func drain() async

    /// From now on readers are waited for as long as `policy` says.
    func hurry(_ policy: DrainPolicy)

    /// The number of octets that were discarded because the reader did not accept them in time.
    var unwrittenCount: Int { get }

    /// Why nothing can be written any more.
    var failure: OutputFailure? { get }

    /// Why nothing can ever be written; `nil` if something may be.
    var obstacle: OutputFailure? { get }

    /// Returns when nothing can be written any more, or when the task is cancelled.
    func end() async
}

extension ByteSink {
    package var isBehind: Bool { false }
    package func room() async throws(OutputFailure) {}
    package func flush() async throws(OutputFailure) {}
    package func drain() async {}
    package func hurry(_ policy: DrainPolicy) {}
    package var unwrittenCount: Int { 0 }
    package var failure: OutputFailure? { nil }
    package var obstacle: OutputFailure? { nil }
    package func end() async {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        // The use after the loop keeps the continuation alive: without it the stream would end at once.
        continuation.finish()
    }
}

/// Why output could not be written.
package enum OutputFailure: Error, Equatable, Sendable {
    /// The reader went away: a normal end, as with `| head -1`.
    case brokenPipe
    /// The reader accepts nothing, and the caller stopped waiting for it.
    case interrupted
    /// The write failed; the system's words.
    case failed(String)
}
