// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

@testable import LinuxRadio

/// Each test runs in a process of its own. Signals are sent to the thread, because other threads of the process do not
/// block them.
@Suite("Signals as events")
struct SignalWaiterTests {
    @Test("A signal is an event, and can then end the process")
    func dies() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let waiter = SignalWaiter()
            pthread_kill(pthread_self(), SIGTERM)
            guard waiter.next() == .signal(SIGTERM) else { exit(1) }
            waiter.die(of: SIGTERM)
        }
        await #expect(processExitsWith: .signal(SIGINT)) {
            let waiter = SignalWaiter()
            pthread_kill(pthread_self(), SIGINT)
            guard waiter.next() == .signal(SIGINT) else { exit(1) }
            waiter.die(of: SIGINT)
        }
    }

    @Test("The end of the work is an event, and stays pending")
    func finishes() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let waiter = SignalWaiter()
            waiter.finish()
            guard waiter.next() == .finished, waiter.next() == .finished else { exit(1) }
            exit(7)
        }
    }

    @Test("Signals of the terminal are events, and end nothing")
    func terminal() async {
        await #expect(processExitsWith: .signal(SIGQUIT)) {
            let waiter = SignalWaiter()
            for (number, event) in [
                (SIGTSTP, SignalWaiter.Event.suspended), (SIGCONT, .continued), (SIGWINCH, .resized),
            ] {
                pthread_kill(pthread_self(), number)
                guard waiter.next() == event else { exit(1) }
            }
            waiter.allowStop()
            guard waiter.next() == .mayStop else { exit(2) }
            pthread_kill(pthread_self(), SIGQUIT)
            guard waiter.next() == .signal(SIGQUIT) else { exit(3) }
            waiter.die(of: SIGQUIT)
        }
    }

    @Test("A stray wake-up is not an event")
    func strayWakeUp() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let waiter = SignalWaiter()
            pthread_kill(pthread_self(), SIGURG)
            pthread_kill(pthread_self(), SIGHUP)
            exit(waiter.next() == .signal(SIGHUP) ? 7 : 1)
        }
    }

    @Test("Signals that the parent ignores stay ignored, as nohup(1) needs it")
    func ignored() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            let waiter = SignalWaiter()
            pthread_kill(pthread_self(), SIGHUP)
            pthread_kill(pthread_self(), SIGTERM)
            exit(waiter.next() == .signal(SIGTERM) ? 7 : 1)
        }
    }

    @Test("A broken pipe is an error, not the end")
    func brokenPipe() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = SignalWaiter()
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            close(ends[0])
            exit(write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 1)
        }
    }
}
