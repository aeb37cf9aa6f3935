// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// Orders to the thread that reads a line: any task, and the main thread, posts them, and that thread carries them out,
/// because only one thread may change the terminal while a line is typed.
package final class LineControl: Sendable {
    package enum Event: Sendable {
        /// Octets to print above the prompt.
        case output([UInt8])
        case prompt(String)
        /// Ctrl-C.
        case interrupt
        case resized
        /// The program is about to stop; to be called when the terminal is as it was.
        case suspend(@Sendable () -> Void)
        /// The program goes on after it was stopped.
        case resume
        /// No more lines are read.
        case end
    }

    /// The reason for the return of `wait`.
    package enum Wake {
        /// The input has something, or has ended.
        case input
        case events([Event])
    }

    private struct State {
        var isReading = false
        /// Whether a command runs in the foreground.
        var isForeground = false
        var events: [Event] = []
        /// The octets among them.
        var size = 0
        /// The writes for which there was no room.
        var dropped = 0
    }

    /// The maximum number of octets that wait for the terminal.
    private static let sizeLimit = 1 << 18

    private let state = Mutex(State())
    /// A pipe: an octet in it wakes the thread.
    private let ends: (reading: Int32, writing: Int32)

    package init() {
        var pair: [Int32] = [-1, -1]
        // Without a pipe the thread is woken by the next key.
        if pipe(&pair) == 0 {
            for end in pair {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                // Neither a poster nor the reading thread may wait in the pipe.
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        ends = (pair[0], pair[1])
    }

    deinit { for end in [ends.reading, ends.writing] where end >= 0 { close(end) } }

    package var isReading: Bool { state.withLock { $0.isReading } }

    /// Whether a command runs in the foreground, whose step in progress may be shown.
    package var isForeground: Bool {
        get { state.withLock { $0.isForeground } }
        set { state.withLock { $0.isForeground = newValue } }
    }

    /// From now on output and events are for the thread that reads a line.
    package func begin() { state.withLock { $0.isReading = true } }

    /// The line is complete. Returns the events that came too late for the thread.
    package func finish() -> [Event] {
        state.withLock { state in
            state.isReading = false
            return Self.take(&state)
        }
    }

    /// Posts an order. Returns `false` if no line is being read, so that the caller does it itself. Output above the
    /// limit is dropped and counted, because the poster cannot wait for the terminal.
    @discardableResult
    package func post(_ event: Event) -> Bool {
        let isReading = state.withLock { state in
            guard state.isReading else { return false }
            if case .output(let bytes) = event {
                guard state.size + bytes.count <= Self.sizeLimit else {
                    state.dropped += 1
                    return true
                }
                state.size += bytes.count
            }
            state.events.append(event)
            return true
        }
        var octet: UInt8 = 0
        // If the pipe is full, the thread is about to wake anyway.
        if isReading { _ = write(ends.writing, &octet, 1) }
        return isReading
    }

    /// Blocks until there is input or an event.
    package func wait(for input: Int32) -> Wake {
        while true {
            let events = take()
            if !events.isEmpty { return .events(events) }
            var entries = [
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
                pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0),
            ]
            // A signal interrupts poll(2).
            guard poll(&entries, 2, -1) > 0 else { continue }
            var octets = [UInt8](repeating: 0, count: 64)
            if entries[1].revents != 0 { while read(ends.reading, &octets, octets.count) == octets.count {} }
            if entries[1].revents == 0, entries[0].revents != 0 { return .input }
        }
    }

    package func take() -> [Event] { state.withLock { Self.take(&$0) } }

    private static func take(_ state: inout State) -> [Event] {
        var events = state.events
        if state.dropped > 0 {
            events.append(.output(Array("blectl: \(state.dropped) messages dropped\n".utf8)))
        }
        (state.events, state.size, state.dropped) = ([], 0, 0)
        return events
    }
}
