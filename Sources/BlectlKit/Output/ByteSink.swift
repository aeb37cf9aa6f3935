// SPDX-License-Identifier: GPL-2.0-or-later

/// The streams that a program writes to.
public enum StandardStream: Sendable {
    /// Standard output: results.
    case output
    /// Standard error: messages.
    case messages
}

/// Writes both of them.
public protocol StandardWriter: Sendable {
    /// A stream as a sink.
    func sink(_ stream: StandardStream) -> any ByteSink

    /// From now on a reader that takes nothing is not waited for any longer than a moment.
    func hurry()
}

/// Where output goes: a standard stream, or a buffer in a test. Only `write` has to be there; a buffer never waits.
public protocol ByteSink: Sendable {
    /// Takes the octets, to be written as soon as the reader takes them. Does not wait for that.
    func write(_ bytes: Span<UInt8>) throws(OutputFailure)

    /// Whether octets that were taken are not written yet.
    var isBehind: Bool { get }

    /// Returns when there is room for more: at once unless the reader is far behind. A task that is cancelled does not wait.
    func room() async throws(OutputFailure)

    /// Returns when all that was taken is written. A task that is cancelled does not wait.
    func flush() async throws(OutputFailure)

    /// As `flush`, but waits in a cancelled task, too: to the end of a reader that has gone or that `hurry` does not wait for.
    func drain() async

    /// From now on a reader that takes nothing is not waited for any longer than a moment.
    func hurry()

    /// Why nothing can be written any more.
    var failure: OutputFailure? { get }

    /// Returns when nothing can be written any more, or when the task is cancelled.
    func end() async
}

extension ByteSink {
    public var isBehind: Bool { false }
    public func room() async throws(OutputFailure) {}
    public func flush() async throws(OutputFailure) {}
    public func drain() async {}
    public func hurry() {}
    public var failure: OutputFailure? { nil }
    public func end() async {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
    }
}

/// Why output could not be written.
public enum OutputFailure: Error, Equatable, Sendable {
    /// The reader went away: a normal end, as with `| head -1`.
    case brokenPipe
    /// The reader takes nothing, and somebody does not want to wait for it.
    case interrupted
    /// The write failed; the system's words.
    case failed(String)
}
