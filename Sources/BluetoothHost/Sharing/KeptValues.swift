// SPDX-License-Identifier: MIT

import Bluetooth

/// Values that came while no client listened, in the order of their arrival. The oldest make room for new ones.
struct KeptValues: Sendable {
    /// What was kept for the next listener.
    struct Taken: Equatable, Sendable {
        var pdus: [[UInt8]] = []
        /// The number of values for which there was no room.
        var dropped = 0
    }

    /// The most values of a characteristic; 0 to keep none.
    let limit: Int
    private var kept: [Handle: Taken] = [:]

    /// Nothing is kept yet.
    init(limit: Int) { self.limit = limit }

    /// The number of all values that are kept.
    var count: Int { kept.values.reduce(0) { $0 + $1.pdus.count } }
    /// The number of values for which there was no room, and of which no listener was told.
    var droppedCount: Int { kept.values.reduce(0) { $0 + $1.dropped } }

    /// Keeps a value, as a PDU.
    mutating func keep(_ pdu: [UInt8], at descriptor: Handle) {
        guard limit > 0 else { return }
        kept[descriptor, default: Taken()].pdus.append(pdu)
        guard let count = kept[descriptor]?.pdus.count, count > limit else { return }
        kept[descriptor]?.pdus.removeFirst(count - limit)
        kept[descriptor]?.dropped += count - limit
    }

    /// Removes what was kept of a characteristic.
    mutating func take(_ descriptor: Handle) -> Taken { kept.removeValue(forKey: descriptor) ?? Taken() }
}
