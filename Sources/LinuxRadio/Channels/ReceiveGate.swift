// SPDX-License-Identifier: GPL-2.0-or-later

/// Whether a channel receives, or pauses because its consumer is slow.
///
/// The I/O thread pushes a packet, is told that the queue is full, and then pauses. The consumer may make room between the
/// second and the third: its signal comes before there is a pause to end, and must not be lost, for there is no other.
struct ReceiveGate {
    private(set) var isPaused = false
    private var hasRoomSignal = false

    /// The next packet is about to be received.
    mutating func receiving() { hasRoomSignal = false }

    /// The queue took that packet, and is full. `true`: receiving pauses. `false`: there is room again by now.
    mutating func queueFilled() -> Bool {
        guard !hasRoomSignal else { return false }
        isPaused = true
        return true
    }

    /// The consumer made room. `true`: that ends a pause.
    mutating func roomMade() -> Bool {
        hasRoomSignal = true
        guard isPaused else { return false }
        isPaused = false
        return true
    }
}
