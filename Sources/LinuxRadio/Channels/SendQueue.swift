// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// Those who wait until all packets of a channel are sent.
typealias DrainWaiters = Waiters<Result<Void, RadioError>>

/// Packets that the kernel had no room for, in the order of sending.
struct SendQueue {
    private var packets: [[UInt8]] = []
    private var head = 0

    var isEmpty: Bool { head == packets.count }
    var count: Int { packets.count - head }
    var first: [UInt8]? { isEmpty ? nil : packets[head] }

    mutating func append(_ packet: [UInt8]) { packets.append(packet) }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
        // Packets are moved only when they are the smaller part, so that each packet moves once on average.
        if head >= 64, head * 2 >= packets.count {
            packets.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        packets = []
        head = 0
    }
}
