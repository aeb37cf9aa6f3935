// SPDX-License-Identifier: MIT

/// A queue of any element type that a producer may have to wait for.
package protocol BackpressureSource: AnyObject, Sendable {
    /// Whether the producer has to pause.
    var isFull: Bool { get }

    /// Calls the action once, without locks, as soon as there is room.
    func whenRoom(_ action: @escaping @Sendable () -> Void)
}
