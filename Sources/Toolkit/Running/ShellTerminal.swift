// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Glibc
import Synchronization
package import Terminal

/// The terminal of an interactive shell.
///
/// The shell reads lines from it. The composition root passes signals on: Ctrl-C is for the line, not for the shell;
/// before the program stops or dies, the terminal gets its old state back.
package final class ShellTerminal: Sendable {
    private struct State {
        /// The settings of the terminal when the shell began.
        var settings: termios?
        var foreground: Interruption?
        var isInterrupted = false
        /// Whether a thread reads a line, or is about to.
        var isReading = false
        /// The tasks that wait to read a line, in the order of their arrival.
        var nextReaders: [CheckedContinuation<Void, Never>] = []
        /// What was typed before a question: the next lines of the shell, in their order.
        var typedLines: [LineOutcome] = []
    }

    /// Writes to the terminal without disturbing the line that is typed.
    package var writer: any StandardWriter { screen }

    package let screen: ShellWriter
    package let control = LineControl()
    /// The keyboard. Standard input itself is empty for commands, which would take the shell's lines.
    private let input: Int32
    private let state: Mutex<State>

    /// The terminal on standard input and standard output; `nil` if they are none.
    ///
    /// - Parameter writer: Writes to standard output and standard error.
    package init?(writer: any StandardWriter) {
        guard isatty(0) == 1, isatty(1) == 1, let input = ShellInput.takeOver() else { return nil }
        self.input = input
        screen = ShellWriter(writer, control, isOnTerminal: (output: true, messages: isatty(2) == 1))
        var settings = termios()
        state = Mutex(State(settings: tcgetattr(input, &settings) == 0 ? settings : nil))
    }

    // MARK: - Signals

    /// Ends the command in the foreground, or begins another line.
    package func interrupt() {
        guard !control.post(.interrupt), let foreground = interruptedForeground() else { return }
        // After the ^C of the terminal.
        try? screen.sink(.output).write([UInt8(ascii: "\n")].span)
        foreground.trigger()
    }

    /// Marks the command in the foreground as interrupted, and returns what ends it; `nil` if there is none.
    private func interruptedForeground() -> Interruption? {
        state.withLock { state in
            state.isInterrupted = state.foreground != nil
            // As the terminal itself forgets what was typed when Ctrl-C comes.
            state.typedLines = []
            return state.foreground
        }
    }

    /// Gives the terminal back before the program stops, and then calls `done`; `false` if nothing is to be given back.
    package func suspend(_ done: @escaping @Sendable () -> Void) -> Bool { control.post(.suspend(done)) }

    /// Goes on after the program was stopped.
    package func resume() { control.post(.resume) }

    /// Passes on that the window has another size.
    package func resized() { control.post(.resized) }

    /// Gives the terminal back at once, because the process ends.
    package func restore() {
        guard var settings = state.withLock({ $0.settings }) else { return }
        tcsetattr(input, TCSANOW, &settings)
    }

    // MARK: - Lines

    /// Reads a line on a separate thread, when earlier callers have read theirs. If the task is cancelled, there is no
    /// line.
    ///
    /// - Parameter isAnswer: Whether the line answers a question. What was typed before it is kept for later lines,
    ///   because nobody can have answered a question that was not asked yet.
    package func line(
        _ reader: any LineReader,
        prompt: String,
        isAnswer: Bool = false,
        complete: @escaping @Sendable (String) -> CompletionEffect
    ) async
        -> LineOutcome
    {
        // The thread of an abandoned question gives the keyboard back first. Otherwise the two threads would take each
        // other's orders.
        await beginReading()
        defer { endReading() }
        guard !Task.isCancelled else { return .end }
        // Before the queue is drained: output that comes from now on is for the thread, and does not mix with the
        // prompt.
        control.begin()
        await screen.drain()
        let reading = LineReading(
            prompt: prompt,
            input: input,
            output: 1,
            control: control,
            restore: { self.restore() },
            complete: complete
        )
        let source: any LineReader = isAnswer ? reader : takeTypedLine() ?? reader
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                WorkThread.start {
                    if isAnswer { self.keepTypedLines() }
                    var outcome = source.read(reading)
                    reading.restore()
                    for event in reading.control.finish() {
                        switch event {
                        case .output(let bytes): reading.write(bytes)
                        case .interrupt: outcome = .interrupted
                        case .suspend(let done): done()
                        case .end: outcome = .end
                        case .prompt, .resized, .resume: break
                        }
                    }
                    continuation.resume(returning: outcome)
                }
            }
        } onCancel: {
            // If the thread has not started yet, the event waits for it.
            control.post(.end)
        }
    }

    /// Keeps the lines that were typed before a question, behind those that are kept already.
    private func keepTypedLines() {
        let lines = TypedAhead.takeLines(from: input)
        state.withLock { $0.typedLines += lines }
    }

    /// The first of the lines that were typed before a question; `nil` if there is none.
    private func takeTypedLine() -> (any LineReader)? {
        let outcome = state.withLock { state -> LineOutcome? in
            state.typedLines.isEmpty ? nil : state.typedLines.removeFirst()
        }
        return outcome.map { TypedLine(outcome: $0) }
    }

    /// Waits until no other task reads a line.
    private func beginReading() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = state.withLock { state -> Bool in
                guard state.isReading else {
                    state.isReading = true
                    return true
                }
                state.nextReaders.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next task read a line.
    private func endReading() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.nextReaders.isEmpty else { return state.nextReaders.removeFirst() }
            state.isReading = false
            return nil
        }
        next?.resume()
    }

    /// The answer of the person to a question of the command in the foreground; `nil` if there is none. Ctrl-C ends that
    /// command. If the task is cancelled, no later line of the shell is taken for the answer.
    package func answer(to question: String) async -> String? {
        let prompt = TerminalText.escaped(question)
        let reader = PlainLines(movesCursor: false)
        switch await line(reader, prompt: prompt, isAnswer: true, complete: { _ in .nothing }) {
        case .line(let text): return text
        case .interrupted:
            // The line has ended already, so that there is none to end after the ^C.
            interruptedForeground()?.trigger()
            return nil
        case .end: return nil
        }
    }

    /// Runs a command, which Ctrl-C ends. Returns `nil` if it did.
    package func foreground(_ body: @escaping @Sendable () async -> ExitStatus) async -> ExitStatus? {
        let interruption = Interruption(LineWriter(writer: screen))
        state.withLock { ($0.foreground, $0.isInterrupted) = (interruption, false) }
        control.isForeground = true
        let status = await interruption.interrupting(body)
        control.isForeground = false
        let isInterrupted = state.withLock { state in
            state.foreground = nil
            return state.isInterrupted
        }
        return isInterrupted ? nil : status
    }
}

/// Standard input as the source of the shell's lines.
package enum ShellInput {
    /// Takes standard input over: returns another descriptor of it, and leaves an empty input for commands. `nil` if
    /// that fails.
    package static func takeOver() -> Int32? {
        // Above the numbers of the standard streams, and closed in programs that a command starts.
        let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
        guard input >= 0 else { return nil }
        let empty = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if empty >= 0 {
            dup2(empty, 0)
            close(empty)
        }
        return input
    }
}

/// What a shell gets of its process, beside what every command gets.
package struct ShellHost: Sendable {
    package let writer: any StandardWriter
    /// The terminal; `nil` if lines come from a file or a pipe.
    package let terminal: ShellTerminal?
    /// Takes the packets while a line wants to see them.
    package let packets: SwitchedTap

    package init(writer: any StandardWriter, terminal: ShellTerminal?, packets: SwitchedTap) {
        self.writer = writer
        self.terminal = terminal
        self.packets = packets
    }
}
