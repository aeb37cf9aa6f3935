// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
import Synchronization
package import Terminal

/// Standard output: only results. Every result is written as a whole, and at once if the reader keeps up.
package struct Output: Sendable {
    /// Buffers that are reused for every result.
    private struct Buffers {
        var json = JSONWriter()
        var text: [UInt8] = []
        /// Whether a record has had a line by the template.
        var hasLines = false
        /// The first key that a record would have needed for a line.
        var lackedKey: String?
    }

    private final class SharedBuffers: Sendable {
        let state = Mutex(Buffers())
    }

    private enum Form: Sendable {
        case text
        /// A line of JSON for each.
        case json
        /// A line by the template of `--format`.
        case lines(LineFormat)
        /// Not written: given to a function, as a script's step needs them.
        case trees(@Sendable (JSONValue) -> Void)
    }

    private let sink: any ByteSink
    private let buffers = SharedBuffers()
    private let form: Form
    /// Whether results are records, for programs: JSON, lines of a template, or trees.
    package var writesRecords: Bool {
        if case .text = form { false } else { true }
    }
    package var style: TextStyle
    /// The times that are added to each record (`--timing`); `nil` for none.
    package var timing: (@Sendable () -> JSONValue)?

    /// Makes an output.
    ///
    /// - Parameters:
    ///   - isJSON: Whether results are written as JSON.
    ///   - format: The lines that results are written as instead.
    package init(_ sink: any ByteSink, isJSON: Bool, format: LineFormat? = nil, style: TextStyle) {
        self.sink = sink
        form = format.map { .lines($0) } ?? (isJSON ? .json : .text)
        self.style = style
    }

    /// Makes an output that gives each record to a function.
    package init(_ take: @escaping @Sendable (JSONValue) -> Void) {
        sink = NoSink()
        form = .trees(take)
        style = .plain
    }

    /// Writes a result in the requested form; waits if the reader is far behind.
    package func emit(_ result: some CommandResult) async throws {
        try put(result)
        try await room()
    }

    /// Writes a result of a command that does its work whether somebody reads or not. After the end of the reader it
    /// does nothing.
    package func report(_ result: some CommandResult) async throws {
        do { try await emit(result) } catch OutputFailure.brokenPipe {}
    }

    /// As `report`, for the first result of a command that goes on: returns when it is written, because a script may
    /// wait for it. Without that, a full disk would be noticed only by the next result, which may never come.
    package func announce(_ result: some CommandResult) async throws {
        do {
            try await emit(result)
            try await flush()
        } catch OutputFailure.brokenPipe {}
    }

    /// Writes one or more lines of text; waits if the reader is far behind.
    package func write(_ text: String) async throws(OutputFailure) {
        try put(text)
        try await room()
    }

    /// Queues a result for writing. A caller with many results waits for `room` in between.
    package func put(_ result: some CommandResult) throws {
        switch form {
        case .text:
            if let bytes = result.rawBytes { return try sink.write(bytes.span) }
            if let text = result.text(style) { try put(text) }
        case .json:
            let timing = result.timing ?? self.timing?()
            try buffers.state.withLock { buffers throws(OutputFailure) in
                buffers.json.clear()
                result.recordKind.write(result, timing: timing, to: &buffers.json)
                buffers.json.lineFeed()
                // Written under the lock, because the span refers to the shared buffer.
                try sink.write(buffers.json.bytes.span)
            }
        case .lines(let format):
            let outcome = format.line(result.recordKind.tree(of: result, timing: result.timing ?? timing?()))
            try buffers.state.withLock { buffers throws(OutputFailure) in
                switch outcome {
                case .line(let line):
                    buffers.hasLines = true
                    try sink.write(Array("\(line)\n".utf8).span)
                case .none: break
                case .lacking(let key): buffers.lackedKey = buffers.lackedKey ?? key
                }
            }
        case .trees(let take): take(result.recordKind.tree(of: result, timing: result.timing ?? timing?()))
        }
    }

    /// The key below `decoded` that all records lacked, so that the template printed no line; `nil` if there were
    /// lines.
    package var lackedKey: String? { buffers.state.withLock { $0.hasLines ? nil : $0.lackedKey } }

    /// Queues one or more lines of text.
    package func put(_ text: String) throws(OutputFailure) {
        let text = style.shown(text)
        try buffers.state.withLock { buffers throws(OutputFailure) in
            buffers.text.removeAll(keepingCapacity: true)
            buffers.text.append(contentsOf: text.utf8)
            buffers.text.append(UInt8(ascii: "\n"))
            try sink.write(buffers.text.span)
        }
    }

    /// Returns when there is room for more in the queue.
    package func room() async throws(OutputFailure) { try await sink.room() }

    /// Returns when everything is written. A cancelled task does not wait.
    package func flush() async throws(OutputFailure) { try await sink.flush() }

    /// Returns when everything is written, or when no more can be written.
    package func drain() async { await sink.drain() }

    /// From now on the reader is waited for as long as `policy` says.
    package func hurry(_ policy: DrainPolicy) { sink.hurry(policy) }

    /// The number of octets that were dropped because the reader did not take them in time.
    package var unwrittenCount: Int { sink.unwrittenCount }

    /// Why nothing can be written any more.
    package var failure: OutputFailure? { sink.failure }

    /// Why nothing can ever be written.
    package var obstacle: OutputFailure? { sink.obstacle }

    /// Returns when nothing can be written any more, or when the task is cancelled.
    package func end() async { await sink.end() }

    /// A result as one line of JSON: keys in order, UTF-8, line feed at the end.
    package static func line(of result: some CommandResult) -> [UInt8] {
        var json = JSONWriter()
        result.recordKind.write(result, timing: result.timing, to: &json)
        json.lineFeed()
        return json.bytes
    }
}

/// Drops octets: of an output that gives its records to a function.
private struct NoSink: ByteSink {
    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {}
}
