// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Blocks the executor's thread while only another thread can give it work: a POSIX semaphore (sem_overview(7)).
///
/// SAFETY: The pointer is set once. Its memory has a fixed address and lives as long as this object. Only `sem_post`
/// and `sem_wait` access it, and any number of threads may call these at once.
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

    /// Blocks the thread until a call of `signal`; returns at once if there was one before.
    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }

    func signal() {
        sem_post(semaphore)
    }
}
