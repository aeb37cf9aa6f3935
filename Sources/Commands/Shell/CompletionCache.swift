// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Synchronization
import Terminal

/// The words that completion may offer at present. Behind a lock rather than in an actor, because Tab asks on the
/// thread that reads the line, which cannot wait for a task.
final class CompletionCache: Sendable {
    private let state: Mutex<ShellCompletion>

    init(_ table: CommandTable) { state = Mutex(ShellCompletion(table: table, files: FileNames.beginning)) }

    func update(_ change: (inout ShellCompletion) -> Void) { state.withLock { change(&$0) } }

    func effect(behind text: String) -> CompletionEffect { state.withLock { $0 }.effect(behind: text) }
}
