// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization

/// The running programs of a test.
package final class RunningPrograms: Sendable {
    private struct State {
        var identifiers: Set<Int32> = []
        var areKilled = false
    }

    private let state = Mutex(State())

    /// Whether `killAll` was called.
    var areKilled: Bool { state.withLock { $0.areKilled } }

    /// Adds a running program. Kills it at once if the others were killed.
    func add(_ identifier: Int32) {
        state.withLock { state in
            state.identifiers.insert(identifier)
            if state.areKilled { kill(-identifier, SIGKILL) }
        }
    }

    /// Removes a program that has ended, because its process number may soon belong to another one.
    func remove(_ identifier: Int32) {
        state.withLock { _ = $0.identifiers.remove(identifier) }
    }

    /// Kills the programs with those that they have started (each is the leader of a process group), and those that the test
    /// starts later.
    package func killAll() {
        state.withLock { state in
            state.areKilled = true
            for identifier in state.identifiers { kill(-identifier, SIGKILL) }
        }
    }
}
