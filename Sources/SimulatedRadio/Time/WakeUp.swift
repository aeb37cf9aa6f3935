// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// What the executor's thread waits on while only another thread can give it work: a POSIX semaphore (sem_overview(7)).
///
/// SAFETY: the pointer is set once, the memory behind it lives as long as this object and has a fixed address, and it is
/// touched by `sem_post` and `sem_wait` only, which any number of threads may call at once.
final class WakeUp: Sendable {
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Blocks the thread until `signal` was called, or at once if it was called before.
    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }

    func signal() {
        sem_post(semaphore)
    }
}
