// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

/// Standard output: results, and nothing else. Every result goes out as a whole, and at once when the reader keeps up.
public struct Output: Sendable {
    private final class Buffer: Sendable {
        private let json = Mutex(JSONWriter())

        func withLock(_ body: (inout JSONWriter) throws(OutputFailure) -> Void) throws(OutputFailure) {
            try json.withLock { json throws(OutputFailure) in try body(&json) }
        }
    }

    private let sink: any ByteSink
    /// Records are written into one buffer, one after the other.
    private let buffer = Buffer()
    /// Whether results are written as JSON.
    public let isJSON: Bool
    /// How text is dressed.
    public let style: TextStyle

    /// Makes an output.
    public init(_ sink: any ByteSink, isJSON: Bool, style: TextStyle) {
        self.sink = sink
        self.isJSON = isJSON
        self.style = style
    }

    /// Writes a result in the form that was asked for; waits where the reader is far behind.
    public func emit(_ result: some CommandResult) async throws {
        try put(result)
        try await room()
    }

    /// Writes a line, or several, of text; waits where the reader is far behind.
    public func write(_ text: String) async throws(OutputFailure) {
        try put(text)
        try await room()
    }

    /// Puts a result into the queue of what is written. Whoever does so again and again waits for `room` in between.
    func put(_ result: some CommandResult) throws {
        if isJSON {
            try buffer.withLock { json throws(OutputFailure) in
                json.clear()
                result.write(to: &json)
                json.lineFeed()
                try sink.write(json.bytes)
            }
        } else if let bytes = result.rawBytes {
            try sink.write(bytes)
        } else if let text = result.text(style) {
            try put(text)
        }
    }

    /// Puts a line, or several, of text into the queue.
    func put(_ text: String) throws(OutputFailure) {
        try sink.write(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    /// Puts text into the queue as it is: control sequences of a live table.
    func putRaw(_ text: String) throws(OutputFailure) {
        try sink.write(Array(text.utf8))
    }

    /// Returns when there is room for more in the queue.
    func room() async throws(OutputFailure) { try await sink.room() }

    /// Whether what was put into the queue is not all written yet.
    var isBehind: Bool { sink.isBehind }

    /// Returns when all is written; not in a task that is cancelled.
    func flush() async throws(OutputFailure) { try await sink.flush() }

    /// Returns when all is written that ever will be.
    func drain() async { await sink.drain() }

    /// From now on a reader that takes nothing is not waited for any longer than a moment.
    func hurry() { sink.hurry() }

    /// Why nothing can be written any more.
    var failure: OutputFailure? { sink.failure }

    /// Returns when nothing can be written any more, or when the task is cancelled.
    func end() async { await sink.end() }

    /// A result as one line of JSON: keys in order, UTF-8, line feed at the end.
    static func line(of result: some CommandResult) -> [UInt8] {
        var json = JSONWriter()
        result.write(to: &json)
        json.lineFeed()
        return json.bytes
    }
}
