// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Synchronization

/// What has come over a link and was not read yet: the host's queue, and behind it the buffer of a kernel's socket.
///
/// A link has no flow control above the link layer: when both are full the kernel drops what comes, and counts it.
final class ReceiveBuffer: Sendable {
    private struct State {
        /// What the queue had no room for.
        var held: [[UInt8]] = []
        var isFull = false
        var dropped = 0
    }

    /// How many PDUs the kernel's socket holds: as many as come in half a second with six in each event of 15 ms.
    static let kernelLimit = 200

    private let queue = PacketQueue(limit: 64, overflow: .pauseProducer)
    private let state = Mutex(State())

    init() {
        queue.setOnSpace { [weak self] in self?.refill() }
    }

    /// How many PDUs were dropped because the host was slow.
    var droppedCount: Int { state.withLock { $0.dropped } }

    func next() async throws(RadioError) -> [UInt8] { try await queue.next() }

    func push(_ pdu: [UInt8]) {
        state.withLock { state in
            if !state.isFull {
                state.isFull = !queue.push(pdu)
            } else if state.held.count < Self.kernelLimit {
                state.held.append(pdu)
            } else {
                state.dropped += 1
            }
        }
    }

    /// Ends it: what is in the queue can still be read, and what the kernel holds.
    func finish(_ error: RadioError) {
        state.withLock { state in
            for pdu in state.held { queue.push(pdu) }
            state.held = []
            queue.finish(error)
        }
    }

    private func refill() {
        state.withLock { state in
            state.isFull = false
            var count = 0
            while count < state.held.count, !state.isFull {
                state.isFull = !queue.push(state.held[count])
                count += 1
            }
            state.held.removeFirst(count)
        }
    }
}
