// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// When packets of one direction of a link get across: at connection events, a fixed interval apart, a few in each.
///
/// A PDU goes at the next event after it was handed over, behind those before it; where an event is full, at one of the
/// following ones. So an answer takes one interval each way, and many commands in a row come to a believable throughput.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.5.1
struct ConnectionEvents: Sendable {
    private var anchor: Instant
    private var interval: Int64
    private var packetsPerEvent: Int
    /// The largest packet in octets.
    var dataLength: Int
    private var event: Int64 = 0
    private var packets = 0

    init(anchor: Instant, link: SimulatedDevice.Link) {
        self.anchor = anchor
        interval = link.interval.clampedNanoseconds
        dataLength = link.dataLength
        packetsPerEvent = link.packetsPerEvent
    }

    /// The first event after a moment.
    private func next(after now: Instant) -> Int64 {
        let elapsed = (now - anchor).clampedNanoseconds
        return elapsed < 0 ? 0 : elapsed / interval + 1
    }

    /// From its next event on the link goes by another interval.
    mutating func change(interval new: Duration, now: Instant) {
        anchor = anchor + .nanoseconds(max(event, next(after: now)) * interval)
        interval = max(1, new.clampedNanoseconds)
        event = 0
        packets = 0
    }

    /// On LE 2M packets take half the time, the pauses between them the same.
    mutating func change(phy: LEPHY, link: SimulatedDevice.Link) {
        packetsPerEvent = phy == .le2M ? link.packetsPerEvent * 7 / 4 : link.packetsPerEvent
    }

    /// When a PDU of that length, handed over now, has arrived.
    mutating func arrival(ofPDU length: Int, now: Instant) -> Instant {
        // The L2CAP header is four octets.
        var needed = max(1, (length + 4 + dataLength - 1) / dataLength)
        let nextEvent = next(after: now)
        if nextEvent > event {
            event = nextEvent
            packets = 0
        }
        if packets > 0, packets + needed > packetsPerEvent {
            event += 1
            packets = 0
        }
        while needed > packetsPerEvent {
            needed -= packetsPerEvent
            event += 1
        }
        packets += needed
        return anchor + .nanoseconds(event * interval)
    }
}
