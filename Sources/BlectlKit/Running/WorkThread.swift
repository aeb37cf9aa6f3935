// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A thread of its own for what may block: the executor of virtual time, the watch over a tidy end, and writing.
public enum WorkThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; on this one where the system has no thread left.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        if !tryStart(body) { body() }
    }

    /// Runs `body` on a new thread; `false` where the system has no thread left, and then `body` does not run.
    static func tryStart(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            work.toOpaque()
        )
        guard result == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
