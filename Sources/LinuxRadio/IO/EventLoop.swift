// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CBlueZ
import Synchronization

/// One thread for everything of a program: it waits for the sockets of its radio systems, runs its tasks, and wakes those
/// that sleep. A value that a socket brings is decoded and printed without waking another thread.
///
/// The thread goes on until the process ends. Work that blocks belongs on a thread of its own.
package final class EventLoop: TimeSource {
    /// Waits for the end of a descriptor's other end.
    private final class EndWatch: ReadinessHandler {
        private let onEnd: @Sendable () -> Void
        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        func ready(_ readiness: Readiness) { if !readiness.isDisjoint(with: [.hungUp, .failed]) { onEnd() } }
        func ioThreadEnded(_ reason: IOThread.End) {}
    }

    private let clock: SystemTimeSource
    /// The loop keeps them, because the thread does not.
    private let watches = Mutex<[EndWatch]>([])
    let poller: Poller

    /// Throws if the system has no descriptors left. The thread does not run yet.
    package init(_ clock: SystemTimeSource = .linux) throws(RadioError) {
        self.clock = clock
        poller = try RadioError.translating(.hci, "epoll_create1", during: "Bluetooth") { () throws(Errno) in
            try Poller()
        }
    }

    /// Takes over the descriptor of an epoll instance, for tests.
    init(epoll: consuming OwnedFileDescriptor) throws(Errno) {
        clock = .linux
        poller = try Poller(epoll: epoll)
    }

    /// Starts the thread. Throws if the system has none left.
    ///
    /// - Parameter beforeWait: Called on the thread whenever it is about to wait.
    package func start(beforeWait: @escaping @Sendable () -> Void = {}) throws(RadioError) {
        try RadioError.translating(.hci, "pthread_create", during: "Bluetooth") { [poller] () throws(Errno) in
            try poller.start(beforeWait: beforeWait)
        }
    }

    /// Calls a function on the thread when the other end of a descriptor is gone: the reader of a pipe, or a terminal. The
    /// caller keeps the descriptor open. Of a file nothing is reported, which has no other end.
    package func watchEnd(of descriptor: Int32, onEnd: @escaping @Sendable () -> Void) {
        let watch = EndWatch(onEnd)
        watches.withLock { $0.append(watch) }
        // Both are reported without interest, and once.
        _ = try? poller.add(descriptor, Readiness(rawValue: BLECTL_EPOLLET), for: watch, in: nil)
    }

    package var isCurrent: Bool { poller.isCurrent }

    package var now: Instant { clock.now }
    package var start: Instant { clock.start }
    package var wallClock: WallTime { clock.wallClock }
    package var executor: (any TaskExecutor)? { poller }

    package func sleep(until deadline: Instant) async throws(CancellationError) {
        guard await poller.sleep(until: deadline) else { throw CancellationError() }
    }
}
