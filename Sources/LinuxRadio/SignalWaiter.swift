// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc
import Synchronization

/// Signals as events of the main thread, so that the program cleans up before a signal ends it.
///
/// `main` creates the waiter before any other thread, because threads inherit the blocked signals; then it starts the
/// work and loops in `next`. Nothing runs in a signal handler, where almost no function may be called:
/// signal-safety(7).
public final class SignalWaiter: Sendable {
    /// The reasons for which `next` returns.
    public enum Event: Equatable, Sendable {
        /// SIGINT, SIGQUIT, SIGTERM or SIGHUP was received, which ends the program.
        case signal(Int32)
        /// SIGTSTP was received: the program is to stop, by `stop`.
        case suspended
        /// The program may stop now: `allowStop` was called.
        case mayStop
        /// SIGCONT was received: the program continues after it was stopped.
        case continued
        /// SIGWINCH was received: the window of the terminal has another size.
        case resized
        /// The work is done: `finish` was called.
        case finished
    }

    private struct Thread: Sendable {
        let id: pthread_t
    }

    /// The signal by which `finish` wakes the waiting thread. SIGURG, because its default action is to do nothing.
    private static let wakeUp = SIGURG

    private let signals: [Int32]
    private let waiter: Thread
    private let wishes = Mutex((isFinished: false, mayStop: false))

    /// Blocks the signals in the calling thread, and ignores SIGPIPE: a broken pipe is then an error of write(2), so
    /// that the program lives on and can stop the scan on the controller.
    ///
    /// A signal that the parent ignores stays ignored: nohup(1) does that for SIGHUP, a shell for SIGINT of background
    /// jobs, together with SIGQUIT.
    public init() {
        signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH].filter { !Self.isIgnored($0) }
        waiter = Thread(id: pthread_self())
        signal(SIGPIPE, SIG_IGN)
        var set = Self.set(of: signals + [Self.wakeUp])
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks until the next event. Must be called on the thread that created the waiter.
    public func next() -> Event {
        var set = Self.set(of: signals + [Self.wakeUp])
        while true {
            if wishes.withLock({ $0.isFinished }) { return .finished }
            if takeStop() { return .mayStop }
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0, number != Self.wakeUp else { continue }
            return Self.event(of: number)
        }
    }

    private static func event(of number: Int32) -> Event {
        switch number {
        case SIGTSTP: .suspended
        case SIGCONT: .continued
        case SIGWINCH: .resized
        default: .signal(number)
        }
    }

    private func takeStop() -> Bool {
        wishes.withLock { wishes in
            defer { wishes.mayStop = false }
            return wishes.mayStop
        }
    }

    /// Makes every call of `next` return `finished` from now on. Callable from any thread.
    public func finish() {
        wishes.withLock { $0.isFinished = true }
        // A blocked signal stays pending, so that it is not lost if the thread does not wait yet.
        pthread_kill(waiter.id, Self.wakeUp)
    }

    /// Makes `next` return `mayStop` once. Callable from any thread.
    public func allowStop() {
        wishes.withLock { $0.mayStop = true }
        pthread_kill(waiter.id, Self.wakeUp)
    }

    /// Stops the process as SIGTSTP does by default, and returns when it continues. The system does not stop a process
    /// that no shell could continue. Must be called on the thread that created the waiter.
    public func stop() {
        var set = Self.set(of: [SIGTSTP])
        kill(getpid(), SIGTSTP)
        // The signal is delivered here, because every other thread blocks it.
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // Takes the pending SIGCONT that made the process continue, because `next` would report it as a further event.
        var continued = Self.set(of: [SIGCONT])
        var none = timespec()
        sigtimedwait(&continued, nil, &none)
    }

    /// Ends the process by the signal itself, with the default disposition, because a shell tells "ended by SIGINT"
    /// apart from an exit status and stops its script only for the former.
    public func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        var set = Self.set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Reached only for a signal whose default action does not end the process: the status that a shell would
        // report.
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
