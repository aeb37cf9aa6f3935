// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// Signals as events of the main thread, so that whatever ends the program lets it clean up first.
///
/// `main` makes one before any other thread exists (threads inherit the blocked signals), starts the work, and loops in
/// `next`. Nothing runs in a signal handler.
public final class SignalWaiter: Sendable {
    /// What `next` waited for.
    public enum Event: Equatable, Sendable {
        /// SIGINT, SIGTERM or SIGHUP was received.
        case signal(Int32)
        /// The work is done: `finish` was called.
        case finished
    }

    private struct Thread: Sendable {
        let id: pthread_t
    }

    /// Wakes the waiting thread for `finish`. Nobody else sends it, and unless blocked it does nothing.
    private static let wakeUp = SIGURG

    private let signals: [Int32]
    private let waiter: Thread
    private let isFinished = Mutex(false)

    /// Blocks the signals in the calling thread, and ignores SIGPIPE: a broken pipe is an error of write(2), after which the
    /// controller still has to be told to stop scanning.
    ///
    /// A signal that the parent wants ignored stays ignored: nohup(1) for SIGHUP, a shell's background jobs for SIGINT.
    public init() {
        signals = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
        waiter = Thread(id: pthread_self())
        signal(SIGPIPE, SIG_IGN)
        var set = Self.set(of: signals + [Self.wakeUp])
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next event. To be called on the thread that made the waiter, which it blocks.
    public func next() -> Event {
        var set = Self.set(of: signals + [Self.wakeUp])
        while true {
            if isFinished.withLock({ $0 }) { return .finished }
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0, number != Self.wakeUp else { continue }
            return .signal(number)
        }
    }

    /// Lets `next` return `finished`, now and ever after. From any thread.
    public func finish() {
        isFinished.withLock { $0 = true }
        pthread_kill(waiter.id, Self.wakeUp)
    }

    /// Ends the process by the signal itself, as its parent expects to see it: with the default disposition, unblocked.
    public func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        var set = Self.set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Not reached for a signal that ends the process; what a shell would report, for one that does not.
        _exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return withUnsafeBytes(of: action.__sigaction_handler) { handler in
            // SIG_IGN is the address 1, which Swift cannot compare as a function.
            handler.loadUnaligned(as: UInt.self) == 1
        }
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
