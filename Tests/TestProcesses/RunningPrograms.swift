// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization

/// The programs that a test has started and that have not ended yet.
package final class RunningPrograms: Sendable {
    private struct State {
        var identifiers: Set<Int32> = []
        var areKilled = false
    }

    private let state = Mutex(State())

    /// Whether `killAll` was called.
    var areKilled: Bool { state.withLock { $0.areKilled } }

    /// A program runs; it is killed at once where the others were.
    func add(_ identifier: Int32) {
        state.withLock { state in
            state.identifiers.insert(identifier)
            if state.areKilled { kill(identifier, SIGKILL) }
        }
    }

    /// A program has ended, and its number may belong to another one soon.
    func remove(_ identifier: Int32) {
        state.withLock { _ = $0.identifiers.remove(identifier) }
    }

    /// Kills the programs, and those that the test starts from now on.
    package func killAll() {
        state.withLock { state in
            state.areKilled = true
            for identifier in state.identifiers { kill(identifier, SIGKILL) }
        }
    }
}
