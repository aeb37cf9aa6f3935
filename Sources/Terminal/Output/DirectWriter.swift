// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// Writes standard output and standard error at once, and blocks the calling thread while the reader accepts nothing.
///
/// For virtual time: if a task were suspended, the clock would advance, and the events meanwhile would depend on the
/// reader. Blocking also makes failures occur at the same moment of every run. Only the end of the reader is detected
/// by a thread, which watches standard output.
package final class DirectWriter: StandardWriter {
    private struct State {
        var output: OutputFailure?
        var messages: OutputFailure?
        var hurry: (start: ContinuousClock.Instant, policy: DrainPolicy)?
        /// Called when the first octets of results are written, and never after the end of standard output.
        var onFirstResult: (@Sendable () -> Void)?
        /// The number of octets of results that were dropped because the reader did not take them in time.
        var unwritten = 0
    }

    private let output: WritableDescriptor
    private let messages: WritableDescriptor
    private let state: Mutex<State>
    /// Called when standard output accepts nothing any more.
    private let onEnd: @Sendable () -> Void
    /// Finishes when standard output accepts nothing any more.
    private let ended: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation
    /// The reading end of a pipe. `hurry` closes the other end, which ends every poll(2).
    private let sign: Int32
    private let otherEnd: Mutex<Int32>

    /// Starts to watch standard output. The caller keeps the descriptors open.
    ///
    /// - Parameters:
    ///   - output: The descriptor of results.
    ///   - messages: The descriptor of messages.
    ///   - watchesReader: Whether the end of the reader is noticed before a write. A process that outlives the reader on
    ///     purpose does not watch it: that would keep its pipe open.
    ///   - onFirstResult: Called when the first octets of results are written.
    ///   - onEnd: Called when standard output accepts nothing any more, from any thread.
    package init(
        output: Int32 = 1,
        messages: Int32 = 2,
        watchesReader: Bool = true,
        onFirstResult: (@Sendable () -> Void)? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex(State(onFirstResult: onFirstResult))
        self.onEnd = onEnd
        self.output = WritableDescriptor(output)
        self.messages = WritableDescriptor(messages)
        (ended, ending) = AsyncStream<Void>.makeStream()
        var ends: [Int32] = [-1, -1]
        // Without a pipe, output cannot be hurried. A program that this one starts must not keep it open.
        if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        sign = ends[0]
        otherEnd = Mutex(ends[1])
        // Without a thread, the end of the reader is noticed by the next write.
        if watchesReader { _ = WorkThread.tryStart { [self] in watch() } }
    }

    deinit {
        // The thread retains the writer, so it has ended.
        for descriptor in [output, messages] { descriptor.close() }
        // Closes the other end of the pipe.
        hurry(.stalled)
        if sign >= 0 { close(sign) }
        ending.finish()
    }

    package func sink(_ stream: StandardStream) -> any ByteSink { DirectSink(writer: self, stream: stream) }

    package func hurry(_ policy: DrainPolicy) {
        state.withLock { $0.hurry = $0.hurry ?? (.now, policy) }
        otherEnd.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
    }

    /// Waits for the end of standard output's reader, or for `hurry`.
    private func watch() {
        while true {
            // Without events, poll(2) reports only errors and the hang-up that the end of the reader causes.
            var entries = [pollfd(fd: output.number, events: 0, revents: 0), pollfd(fd: sign, events: 0, revents: 0)]
            if poll(&entries, 2, -1) < 0 { continue }
            if entries[0].revents != 0 { fail(.output, .brokenPipe) }
            return
        }
    }

    fileprivate func failure(of stream: StandardStream) -> OutputFailure? {
        state.withLock { stream == .output ? $0.output : $0.messages }
    }

    fileprivate func obstacle(of stream: StandardStream) -> OutputFailure? {
        (stream == .output ? output : messages).obstacle
    }

    private func fail(_ stream: StandardStream, _ failure: OutputFailure) {
        state.withLock { state in
            if stream == .output { state.output = state.output ?? failure } else { state.messages = failure }
        }
        guard stream == .output else { return }
        onEnd()
        ending.finish()
    }

    fileprivate func unwrittenCount(of stream: StandardStream) -> Int {
        stream == .output ? state.withLock { $0.unwritten } : 0
    }

    fileprivate func outputEnded() async {
        for await _ in ended {}
    }

    /// Writes everything on the calling thread. The time limit restarts with each octet that was taken, so that a slow
    /// reader is not mistaken for one that has stopped.
    fileprivate func write(_ bytes: Span<UInt8>, to stream: StandardStream) throws(OutputFailure) {
        let descriptor = stream == .output ? output : messages
        var start = 0
        var blocked: ContinuousClock.Instant?
        while start < bytes.count {
            if let failure = failure(of: stream) { throw failure }
            let outcome = bytes.extracting(droppingFirst: start).withUnsafeBytes { descriptor.write($0) }
            switch outcome {
            case .written(let count):
                start += count
                blocked = nil
                if stream == .output { wroteResult() }
            case .failed(let failure): fail(stream, failure)
            case .full:
                let since = blocked ?? .now
                blocked = since
                guard !waitForRoom(descriptor, since: since) else { continue }
                if stream == .output { state.withLock { $0.unwritten += bytes.count - start } }
                fail(stream, .interrupted)
            }
        }
    }

    private func wroteResult() {
        // Under the lock, so that the reader's end, which the other thread sees at the same time, has the last word.
        state.withLock { state in
            if state.output == nil { state.onFirstResult?() }
            state.onFirstResult = nil
        }
    }

    /// Waits until the descriptor takes something or has something to say; `false` when it is not to be waited for any
    /// longer.
    private func waitForRoom(_ descriptor: WritableDescriptor, since blocked: ContinuousClock.Instant) -> Bool {
        let hurry = state.withLock { $0.hurry }
        let end = hurry.map { $0.policy.end(since: $0.start, blocked: blocked) }
        // Rounded up, so that the moment has passed when poll(2) returns.
        let limit = end.map { Int32(max(0, ($0 - .now) / .milliseconds(1)) + 1) } ?? -1
        var entries = [
            pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0),
            // The signal to hurry ends the unlimited wait, and begins a limited one.
            pollfd(fd: hurry == nil ? sign : -1, events: 0, revents: 0),
        ]
        var count: Int32
        repeat { count = poll(&entries, 2, limit) } while count < 0 && errno == EINTR
        return count != 0
    }
}

private struct DirectSink: ByteSink {
    let writer: DirectWriter
    let stream: StandardStream

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) { try writer.write(bytes, to: stream) }
    func hurry(_ policy: DrainPolicy) { writer.hurry(policy) }
    var unwrittenCount: Int { writer.unwrittenCount(of: stream) }
    var failure: OutputFailure? { writer.failure(of: stream) }
    var obstacle: OutputFailure? { writer.obstacle(of: stream) }
    func end() async { await writer.outputEnded() }
}
