// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

/// Standard output: only results. Every result is written as a whole, and at once if the reader keeps up.
public struct Output: Sendable {
    /// State that is reused for every result.
    private struct Rendering {
        var json = JSONWriter()
        var templates = RecordTemplates()
        var text: [UInt8] = []
        /// Whether a record has had a line by the template.
        var hasLines = false
        /// The first key that a record would have needed for a line.
        var lackedKey: String?

        /// Writes the record into the emptied buffer.
        mutating func render(_ result: some CommandResult) {
            json.clear()
            if let key = result.templateKey {
                if let template = templates.template(for: key) {
                    template.write(result, to: &json)
                } else {
                    result.write(to: &json)
                    templates.insert(RecordTemplate(json), for: key)
                }
            } else {
                result.write(to: &json)
            }
            json.lineFeed()
        }
    }

    private final class SharedRendering: Sendable {
        let state = Mutex(Rendering())
    }

    private let sink: any ByteSink
    private let rendering = SharedRendering()
    /// Whether results are written as records, for programs: as JSON, or as the lines of `format`.
    public let writesRecords: Bool
    /// The lines that stand for JSON; `nil` for none.
    private let format: LineFormat?
    /// The style of text for people.
    public let style: TextStyle
    /// The times that are added to each record (`--timing`); `nil` for none.
    public var timing: RunTiming?

    /// Makes an output.
    ///
    /// - Parameters:
    ///   - isJSON: Whether results are written as JSON.
    ///   - format: The lines that results are written as instead.
    public init(_ sink: any ByteSink, isJSON: Bool, format: LineFormat? = nil, style: TextStyle) {
        self.sink = sink
        writesRecords = isJSON || format != nil
        self.format = format
        self.style = style
    }

    /// Writes a result in the requested form; waits if the reader is far behind.
    func emit(_ result: some CommandResult) async throws {
        try put(result)
        try await room()
    }

    /// Writes a result of a command that does its work whether somebody reads or not. After the end of the reader it
    /// does nothing.
    func report(_ result: some CommandResult) async throws {
        do { try await emit(result) } catch OutputFailure.brokenPipe {}
    }

    /// As `report`, for the first result of a command that goes on: returns when it is written, because a script may
    /// wait for it. Without that, a full disk would be noticed only by the next result, which may never come.
    func announce(_ result: some CommandResult) async throws {
        do {
            try await emit(result)
            try await flush()
        } catch OutputFailure.brokenPipe {}
    }

    /// Writes one or more lines of text; waits if the reader is far behind.
    public func write(_ text: String) async throws(OutputFailure) {
        try put(text)
        try await room()
    }

    /// Queues a result for writing. A caller with many results waits for `room` in between.
    func put(_ result: some CommandResult) throws {
        if writesRecords {
            try rendering.state.withLock { rendering throws(OutputFailure) in
                rendering.render(result)
                let record = timing?.added(to: rendering.json.bytes) ?? rendering.json.bytes
                // Written under the lock, because the span refers to the shared buffer.
                guard let format else { return try sink.write(record.span) }
                switch format.line(record) {
                case .line(let line):
                    rendering.hasLines = true
                    try sink.write(Array("\(line)\n".utf8).span)
                case .none: break
                case .lacking(let key): rendering.lackedKey = rendering.lackedKey ?? key
                }
            }
        } else if let bytes = result.rawBytes {
            try sink.write(bytes.span)
        } else if let text = result.text(style) {
            try put(text)
        }
    }

    /// The key below `decoded` that all records lacked, so that the template printed no line; `nil` if there were
    /// lines.
    var lackedKey: String? { rendering.state.withLock { $0.hasLines ? nil : $0.lackedKey } }

    /// Queues one or more lines of text.
    func put(_ text: String) throws(OutputFailure) {
        try rendering.state.withLock { rendering throws(OutputFailure) in
            rendering.text.removeAll(keepingCapacity: true)
            rendering.text.append(contentsOf: text.utf8)
            rendering.text.append(UInt8(ascii: "\n"))
            try sink.write(rendering.text.span)
        }
    }

    /// Returns when there is room for more in the queue.
    func room() async throws(OutputFailure) { try await sink.room() }

    /// Returns when everything is written. A cancelled task does not wait.
    func flush() async throws(OutputFailure) { try await sink.flush() }

    /// Returns when everything is written, or when no more can be written.
    func drain() async { await sink.drain() }

    /// From now on the reader is waited for as long as `haste` says.
    func hurry(_ haste: Haste) { sink.hurry(haste) }

    /// The number of octets that were dropped because the reader did not take them in time.
    var unwrittenCount: Int { sink.unwrittenCount }

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
