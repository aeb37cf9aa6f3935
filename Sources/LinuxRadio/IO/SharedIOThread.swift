// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Synchronization

/// The I/O thread of a radio system: that of the event loop that is its clock, or one of its own, which starts with the first
/// channel and ends with `shutDown`.
final class SharedIOThread: Sendable {
    private enum State {
        case idle
        case running(IOThread)
        case shutDown
    }

    private let state = Mutex(State.idle)
    private let loop: EventLoop?

    /// - Parameter time: The clock of the system, which may be an event loop.
    init(_ time: (any TimeSource)? = nil) { loop = time as? EventLoop }

    /// The thread; starts it if it does not run yet.
    func get() throws(RadioError) -> IOThread {
        try state.withLock { state throws(RadioError) in
            switch state {
            case .running(let thread): return thread
            case .shutDown: throw RadioError(.closedLocally, during: "Bluetooth")
            case .idle:
                let call = "epoll_create1"
                let thread = try RadioError.translating(.hci, call, during: "Bluetooth") { [loop] () throws(Errno) in
                    if let loop { IOThread(sharing: loop) } else { try IOThread() }
                }
                state = .running(thread)
                return thread
            }
        }
    }

    /// Closes every channel and waits for the end of the thread. Nothing can be opened afterwards.
    func shutDown() {
        let previous = state.withLock { state in
            defer { state = .shutDown }
            return state
        }
        // Without the lock, because `get` must not wait for the end of the thread.
        if case .running(let thread) = previous { thread.stop() }
    }
}
