// SPDX-License-Identifier: MIT

import Bluetooth

/// Values that came while no client listened, in the order of their arrival. The oldest make room for new ones.
struct KeptValues: Sendable {
    /// A value as a PDU.
    struct Value: Equatable, Sendable {
        /// The notification or indication as the device has sent it.
        let pdu: [UInt8]
        /// When it arrived, from which its age is computed.
        let arrival: Instant
    }

    /// The values that were kept for the next listener.
    struct Taken: Equatable, Sendable {
        /// The values, oldest first.
        var values: [Value] = []
        /// The number of values that were dropped for lack of room.
        var dropped = 0
    }

    /// The maximum number of values of a characteristic; 0 to keep none.
    let limit: Int
    /// The kept values, by the descriptor that has switched them on.
    private var kept: [Handle: Taken] = [:]

    init(limit: Int) { self.limit = limit }

    var count: Int { kept.values.reduce(0) { $0 + $1.values.count } }
    /// The number of values that were dropped for lack of room, and not yet reported to a listener.
    var droppedCount: Int { kept.values.reduce(0) { $0 + $1.dropped } }

    mutating func keep(_ pdu: [UInt8], at descriptor: Handle, now: Instant) {
        guard limit > 0 else { return }
        kept[descriptor, default: Taken()].values.append(Value(pdu: pdu, arrival: now))
        guard let count = kept[descriptor]?.values.count, count > limit else { return }
        kept[descriptor]?.values.removeFirst(count - limit)
        kept[descriptor]?.dropped += count - limit
    }

    mutating func take(_ descriptor: Handle) -> Taken { kept.removeValue(forKey: descriptor) ?? Taken() }
}
