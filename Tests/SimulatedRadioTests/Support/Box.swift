// SPDX-License-Identifier: MIT

import Synchronization

/// A mutable value that tasks of a simulation share.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func set(_ value: Value) { content.withLock { $0 = value } }
}
