// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import Synchronization

/// The content of a live screen, as a value: it draws itself and obeys keys, without a clock and without a terminal.
package protocol LiveView: Sendable {
    /// The lines of the picture, at most one for each row.
    ///
    /// - Parameter message: The last remark for the user; safe to print.
    mutating func lines(_ size: ScreenSize, _ style: TextStyle, message: String?) -> [StyledLine]

    mutating func pressed(_ key: TerminalKey) -> KeyEffect
}

/// The order of a view to its screen after a key.
package enum KeyEffect: Sendable, Equatable {
    case nothing
    /// The view has changed, and has to be drawn.
    case redraw
    case quit
}

/// A view on a terminal: draws it when something has changed, and passes the user's keys on.
package final class LiveScreen<View: LiveView>: Sendable {
    /// The state of the screen, which the observation and the screen's own task share.
    private struct State {
        var view: View
        /// The contents of the terminal at present.
        var update = ScreenUpdate()
        /// The appearance of the terminal that the last picture was drawn for.
        var appearance: Int?
        /// Whether the terminal is taken over.
        var isOpen = false
        var lastDrawn: Instant?
    }

    /// An event for the task of the screen. One stream unites all sources, so that they are handled in order.
    private enum Input: Sendable {
        /// An interval has passed.
        case tick
        /// The window was resized, or the program continues.
        case terminal(TerminalEvent)
        /// The user has pressed keys.
        case octets([UInt8])
        /// No more keys can be read while this appearance of the screen lasts.
        case keysEnded(appearance: Int?)
        /// Nothing has followed an escape octet.
        case pause(after: Int)
    }

    /// The time after which an escape octet was the key. Terminals send the octets of a sequence at once; a network may
    /// part them.
    private static var escapeTime: Duration { .milliseconds(50) }

    /// The least time between pictures that no user has asked for: more cannot be seen.
    private static var pictureTime: Duration { .milliseconds(40) }

    private let terminal: any LiveTerminal
    /// Keeps messages while the screen is open; the last one is part of the picture.
    private let diagnostics: Diagnostics
    private let style: TextStyle
    private let time: any TimeSource
    /// The state, behind a lock that is never held while anything is awaited.
    private let state: Mutex<State>

    /// Prepares a screen. `run` opens it.
    package init(
        _ view: View,
        on terminal: any LiveTerminal,
        style: TextStyle,
        notes: Diagnostics,
        time: any TimeSource
    ) {
        self.terminal = terminal
        self.style = style
        diagnostics = notes
        self.time = time
        state = Mutex(State(view: view))
    }

    /// Changes the view, or asks it. It is drawn with the next tick.
    package func with<Value>(_ body: (inout View) throws -> Value) rethrows -> Value {
        try state.withLock { try body(&$0.view) }
    }

    /// Draws the changes, unless the last picture was drawn just now: the next tick then draws them.
    package func drawSometimes() throws {
        let now = time.now
        let isDue = state.withLock { state in state.lastDrawn.map { now - $0 >= Self.pictureTime } ?? true }
        if isDue { try draw() }
    }

    /// Draws the changes. A picture is left out while the terminal has not shown the last one.
    package func draw() throws {
        let picture = state.withLock { state -> String? in
            guard state.isOpen, let appearance = terminal.appearance(), !terminal.isBehind else { return nil }
            if appearance != state.appearance { state.update.forget() }
            state.appearance = appearance
            state.lastDrawn = time.now
            let size = terminal.size
            let lines = state.view.lines(size, style, message: diagnostics.heldMessage)
            return state.update.text(for: lines.map { $0.rendered(style, columns: size.lineColumns) }, size)
        }
        if let picture { try terminal.show(picture) }
    }

    /// Shows the view until the user quits. Throws if the task is cancelled.
    ///
    /// - Parameter refresh: Brings the view up to date before it is drawn, once in each interval.
    package func run(every interval: Duration, refresh: @Sendable () async throws -> Void) async throws {
        let events = open()
        // Bounded: a paste may be faster than the screen, and then the oldest input is dropped.
        let (inputs, feed) = AsyncStream<Input>.makeStream(bufferingPolicy: .bufferingNewest(256))
        try await withThrowingTaskGroup(of: Void.self) { [time] group in
            defer { group.cancelAll() }
            group.addTask {
                // A tick, not a wait for an event: a view shows ages and rates.
                while true {
                    try await time.sleep(for: interval)
                    feed.yield(.tick)
                }
            }
            group.addTask { for await event in events { feed.yield(.terminal(event)) } }
            var keys = KeyReading()
            try await refresh()
            try draw()
            keys.begin(terminal) { reader in group.addTask { await reader(feed) } }
            for await input in inputs {
                switch input {
                case .tick: try await refresh()
                case .terminal: break
                case .octets(let octets):
                    if pressed(keys.decoder.received(octets)) { return }
                    keys.count += 1
                    if keys.decoder.isPending {
                        group.addTask { [count = keys.count] in
                            try await time.sleep(for: Self.escapeTime)
                            feed.yield(.pause(after: count))
                        }
                    }
                case .pause(let count):
                    // Octets that came after the pause had begun either continued the sequence or began another pause.
                    if count == keys.count, pressed(keys.decoder.paused()) { return }
                case .keysEnded(let appearance): keys.end(appearance)
                }
                try draw()
                keys.begin(terminal) { reader in group.addTask { await reader(feed) } }
            }
        }
        // In a cancelled task the stream ends without an error, and so does the loop.
        try Task.checkCancellation()
    }

    /// The state of reading keys. In the background reading fails; it begins again with the next appearance.
    private struct KeyReading {
        var decoder = KeyDecoder()
        /// How often octets came.
        var count = 0
        private var isReading = false
        /// The appearance in which reading has failed; it is not tried again before the next one.
        private var failed: Int?

        /// Begins to read keys, unless that is done already or has failed in this appearance.
        mutating func begin(
            _ terminal: any LiveTerminal,
            start: (@escaping @Sendable (AsyncStream<Input>.Continuation) async -> Void) -> Void
        ) {
            guard !isReading, terminal.hasKeys, let appearance = terminal.appearance(), appearance != failed else {
                return
            }
            isReading = true
            start { feed in
                while let octets = try? await terminal.keys(), !octets.isEmpty { feed.yield(.octets(octets)) }
                feed.yield(.keysEnded(appearance: appearance))
            }
        }

        mutating func end(_ appearance: Int?) {
            isReading = false
            failed = appearance
        }
    }

    /// Takes the terminal over. Messages are held back first, so that none damages the picture.
    private func open() -> AsyncStream<TerminalEvent> {
        diagnostics.hold()
        let events = terminal.open()
        state.withLock { $0.isOpen = true }
        return events
    }

    private func pressed(_ keys: [TerminalKey]) -> Bool {
        with { view in keys.contains { view.pressed($0) == .quit } }
    }

    /// Gives the terminal back, and prints the remarks that came meanwhile. Another call has no effect.
    package func close() throws {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        guard wasOpen else { return }
        // Also if the terminal cannot be given back, so that no message is lost.
        defer { diagnostics.release() }
        try terminal.close()
    }
}
