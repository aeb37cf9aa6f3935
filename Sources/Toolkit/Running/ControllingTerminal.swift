// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import Glibc
import Synchronization
package import Terminal

/// The terminal on standard output, and the keyboard on standard input, for live screens.
///
/// A command opens and draws the screen. The composition root passes signals on: before the program stops or dies, the
/// terminal gets its old state back, and when the program continues, it takes the terminal over again. A program in the
/// background draws nothing and reads no keys, because the terminal belongs to another program then.
package final class ControllingTerminal: Sendable {
    private struct State {
        /// Whether a command has a screen.
        var isOpen = false
        var isShown = false
        /// Whether the program is about to stop, or is stopped.
        var isSuspended = false
        var appearance = 0
        /// The settings of the terminal before the screen.
        var settings: termios?
        var events: AsyncStream<TerminalEvent>.Continuation?
    }

    /// The time for a terminal to take the pending output before the program stops.
    private static let flushTimeout = Duration.milliseconds(300)

    private let sink: any ByteSink
    private let keyboard: ByteSource?
    private let state = Mutex(State())

    /// The terminal of the process; `nil` if standard output is none.
    ///
    /// - Parameter writer: Writes to standard output, so that pictures and results keep their order.
    package init?(writer: any StandardWriter) {
        guard isatty(1) == 1 else { return nil }
        sink = writer.sink(.output)
        // On a separate thread even in virtual time, because keys come in real time.
        keyboard = isatty(0) == 1 ? try? ByteSource(path: "-") { WorkThread.start($0) } : nil
    }

    // MARK: - Signals

    /// Whether the terminal shows a screen, so that `leave` has to come before the program stops.
    package var isShown: Bool { state.withLock { $0.isShown } }

    /// Gives the terminal back before the program stops. Waits a moment for a terminal that is slow.
    package func leave(_ time: any TimeSource) async {
        let settings = state.withLock { state in
            state.isSuspended = true
            return Self.hide(&state)
        }
        await settle(time)
        try? sink.write(Array(ScreenUpdate.leave.utf8).span)
        // The sequence has to be out before the program stops, because a stopped program writes nothing.
        await settle(time)
        Self.restore(settings)
    }

    /// Takes the terminal over again after the program was stopped, if it is in the foreground.
    package func resume() {
        state.withLock { state in
            state.isSuspended = false
            guard state.isOpen else { return }
            // A program that was stopped without notice could not give the terminal back: its settings before the
            // screen are still those that were saved.
            state.isShown = false
            // After the shell's bg the program continues in the background, where the terminal is not its own.
            if isForeground { enter(&state) }
            state.events?.yield(.continued)
        }
    }

    /// Passes on that the window has another size.
    package func resized() {
        _ = state.withLock { $0.events?.yield(.resized) }
    }

    /// Gives the terminal back at once, because the process ends.
    package func restore() {
        // A blocked writer may hold the lock. The screen is unlikely to be taken down just then.
        guard
            let (wasShown, settings) = state.withLockIfAvailable({ state in
                state.isOpen = false
                return (state.isShown, Self.hide(&state))
            }), wasShown
        else { return }
        // A stopped terminal takes no output, and no task waits for it now.
        var entry = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
        if poll(&entry, 1, 100) > 0 {
            let octets = Array(ScreenUpdate.leave.utf8)
            _ = write(1, octets, octets.count)
        }
        Self.restore(settings)
    }

    /// Marks the screen as hidden, and returns the settings to restore.
    private static func hide(_ state: inout State) -> termios? {
        guard state.isShown else { return nil }
        state.isShown = false
        defer { state.settings = nil }
        return state.settings
    }

    private static func restore(_ settings: termios?) {
        guard var settings else { return }
        tcsetattr(0, TCSANOW, &settings)
    }

    /// Waits until the terminal has taken everything, but not for long.
    private func settle(_ time: any TimeSource) async {
        try? await untilDeadline(time.now + Self.flushTimeout, time) { [sink] in try await sink.flush() }
    }

    // MARK: - The screen

    /// Whether the terminal belongs to this program, or to no session's foreground at all.
    private var isForeground: Bool {
        let foreground = tcgetpgrp(1)
        return foreground < 0 || foreground == getpgrp()
    }

    /// Shows the screen, and lets keys arrive at once and without an echo. Ctrl-C, Ctrl-Z and Ctrl-\ remain signals.
    private func enter(_ state: inout State) {
        state.isShown = true
        state.appearance += 1
        // Standard input may be another terminal than standard output, so its foreground is asked for, too.
        if keyboard != nil, tcgetpgrp(0) < 0 || tcgetpgrp(0) == getpgrp() {
            var settings = termios()
            if tcgetattr(0, &settings) == 0 {
                // After a stop without notice the terminal may still have the settings of the screen. Those from before
                // it count.
                if state.settings == nil { state.settings = settings }
                settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
                // Without ICANON these two decide when a read returns: with the first octet, however long that takes.
                withUnsafeMutableBytes(of: &settings.c_cc) { characters in
                    characters[Int(VMIN)] = 1
                    characters[Int(VTIME)] = 0
                }
                tcsetattr(0, TCSANOW, &settings)
            }
        }
        // A failure shows with the next picture.
        try? sink.write(Array(ScreenUpdate.enter.utf8).span)
    }
}

extension ControllingTerminal: LiveTerminal {
    package var size: ScreenSize {
        let (columns, rows) = StandardDescriptors.terminalSize()
        return ScreenSize(columns: columns, rows: rows)
    }

    package var hasKeys: Bool { keyboard != nil }

    package var isBehind: Bool { sink.isBehind }

    package func open() -> AsyncStream<TerminalEvent> {
        // A program that comes to the background must not stop because of a key or of a picture.
        signal(SIGTTIN, SIG_IGN)
        signal(SIGTTOU, SIG_IGN)
        // One event is enough, because each only causes a new picture.
        let (events, continuation) = AsyncStream<TerminalEvent>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.isOpen = true
            state.events = continuation
            if isForeground { enter(&state) }
        }
        return events
    }

    package func appearance() -> Int? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            // The shell's fg sends no signal to a program that was running in the background.
            if !state.isShown, !state.isSuspended, isForeground { enter(&state) }
            return state.isShown ? state.appearance : nil
        }
    }

    package func show(_ picture: String) throws(OutputFailure) { try sink.write(Array(picture.utf8).span) }

    package func keys() async throws -> [UInt8] { try await keyboard?.next(after: 0) ?? [] }

    package func close() throws(OutputFailure) {
        let (wasShown, settings) = state.withLock { state in
            state.isOpen = false
            state.events?.finish()
            state.events = nil
            return (state.isShown, Self.hide(&state))
        }
        defer { Self.restore(settings) }
        if wasShown { try sink.write(Array(ScreenUpdate.leave.utf8).span) }
    }
}
