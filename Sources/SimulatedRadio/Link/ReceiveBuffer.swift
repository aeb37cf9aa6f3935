// SPDX-License-Identifier: MIT

import BluetoothHost
import Synchronization

/// The PDUs that have arrived over a link and were not read yet: the host's queue, and after it a kernel's socket
/// buffer.
///
/// A link has no flow control above the link layer, so the kernel drops and counts PDUs when both are full.
final class ReceiveBuffer: Sendable {
    /// The PDUs that did not fit into the queue.
    private struct State {
        /// PDUs for which the queue had no room.
        var held: [[UInt8]] = []
        /// Whether the queue is full, so that PDUs are held to keep their order.
        var isFull = false
        var dropped = 0
    }

    /// The number of PDUs in the kernel's socket buffer: half a second at six PDUs in each event of 15 ms.
    static let kernelLimit = 200

    /// The queue that the host reads. When it is full, further PDUs wait in `State.held`.
    private let queue = PacketQueue(limit: 64, overflow: .pauseProducer)
    /// The PDUs after those of the queue.
    private let state = Mutex(State())

    /// An empty buffer. The queue calls back when the host has made room.
    init() {
        queue.setOnSpace { [weak self] in self?.refill() }
    }

    /// The number of PDUs that were dropped because the host was slow.
    var droppedCount: Int { state.withLock { $0.dropped } }

    /// The next PDU; suspends until there is one.
    func next() async throws(RadioError) -> [UInt8] { try await queue.next() }

    /// Takes a PDU from the link. It goes after those that are held, so that the order is kept.
    func push(_ pdu: [UInt8]) {
        state.withLock { state in
            if !state.isFull {
                // The queue keeps the PDU that fills it, and asks for more when there is room.
                state.isFull = !queue.push(pdu)
            } else if state.held.count < Self.kernelLimit {
                state.held.append(pdu)
            } else {
                state.dropped += 1
            }
        }
    }

    /// Ends the buffer. The PDUs in the queue and in the kernel's buffer can still be read.
    func finish(_ error: RadioError) {
        state.withLock { state in
            // A full queue keeps what is pushed nevertheless, so that the end of the link loses nothing.
            for pdu in state.held { queue.push(pdu) }
            state.held = []
            queue.finish(error)
        }
    }

    /// Moves held PDUs into the queue as far as there is room.
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
