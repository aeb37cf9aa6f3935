// SPDX-License-Identifier: GPL-2.0-or-later

/// Writes to the terminal: directly while a command runs in the foreground, and above the prompt while a line is typed.
package final class ShellWriter: StandardWriter {
    private let writer: any StandardWriter
    private let control: LineControl
    /// Whether each stream leads to the terminal.
    private let isOnTerminal: (output: Bool, messages: Bool)

    package init(_ writer: any StandardWriter, _ control: LineControl, isOnTerminal: (output: Bool, messages: Bool)) {
        self.writer = writer
        self.control = control
        self.isOnTerminal = isOnTerminal
    }

    package func sink(_ stream: StandardStream) -> any ByteSink {
        let isOnTerminal = stream == .output ? isOnTerminal.output : isOnTerminal.messages
        return ShellSink(sink: writer.sink(stream), control: isOnTerminal ? control : nil)
    }

    package func hurry(_ policy: DrainPolicy) { writer.hurry(policy) }

    /// Returns when everything is written that does not wait for the thread that reads lines.
    package func drain() async {
        await writer.sink(.output).drain()
        await writer.sink(.messages).drain()
    }
}

/// The writer of one line of the shell: the policy of a line does not outlast it.
package struct LineWriter: StandardWriter {
    package let writer: any StandardWriter
    /// Whether the step in progress is shown: not that of a command in the background.
    package var showsProgress = true

    package init(writer: any StandardWriter, showsProgress: Bool = true) {
        self.writer = writer
        self.showsProgress = showsProgress
    }

    package func sink(_ stream: StandardStream) -> any ByteSink {
        ShellSink(sink: writer.sink(stream), control: nil, showsProgress: showsProgress)
    }
    package func hurry(_ policy: DrainPolicy) {}
}

private struct ShellSink: ByteSink {
    /// The start of a message that the next one replaces: the step in progress. Such a message is not printed above the
    /// prompt, because it would stay there.
    private static let progress = Array("\r\u{1B}[K".utf8)

    // `end` is not passed on, because the sink can wait only once for the end of its reader. A line notices that end
    // when it writes.
    let sink: any ByteSink
    /// The thread that reads lines, if the stream leads to its terminal.
    let control: LineControl?
    /// Whether the step in progress is shown while a command runs in the foreground.
    var showsProgress = true

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        let isReading = control?.isReading ?? false
        let mayShow = showsProgress && !isReading && control?.isForeground ?? true
        guard mayShow || !Self.isProgress(bytes) else { return }
        // If the line has ended meanwhile, nothing is posted, and the octets are written here.
        if let control, isReading, control.post(.output(bytes.withUnsafeBytes { Array($0) })) { return }
        try sink.write(bytes)
    }

    private static func isProgress(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBytes { $0.starts(with: progress) }
    }

    var isBehind: Bool { sink.isBehind }
    func room() async throws(OutputFailure) { try await sink.room() }
    func flush() async throws(OutputFailure) { try await sink.flush() }
    func drain() async { await sink.drain() }
    func hurry(_ policy: DrainPolicy) {}
    var unwrittenCount: Int { sink.unwrittenCount }
    var failure: OutputFailure? { sink.failure }
}
