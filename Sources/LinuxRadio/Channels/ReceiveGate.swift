// SPDX-License-Identifier: GPL-2.0-or-later

/// Whether a channel receives, or pauses because its consumer is slow.
///
/// The I/O thread pushes a packet, learns that the queue is full, and pauses. If the consumer makes room between the
/// last two steps, its signal arrives before the pause. The gate keeps that signal, because no second one would end the
/// pause.
struct ReceiveGate {
    private(set) var isPaused = false
    private var hasRoomSignal = false

    /// Records that the next packet is about to be received. A signal before it says nothing about the room after it.
    mutating func receiving() { hasRoomSignal = false }

    /// Records that the queue is full after that packet. Returns `true` if receiving pauses, `false` if there is room
    /// again.
    mutating func queueFilled() -> Bool {
        guard !hasRoomSignal else { return false }
        isPaused = true
        return true
    }

    /// Records that the consumer made room. Returns `true` if that ends a pause.
    mutating func roomMade() -> Bool {
        hasRoomSignal = true
        guard isPaused else { return false }
        isPaused = false
        return true
    }
}
