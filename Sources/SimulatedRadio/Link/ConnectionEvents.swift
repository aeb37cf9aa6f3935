// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// When packets of one direction of a link get across: at connection events, a fixed interval apart, a few in each.
///
/// A PDU goes at the next event after it was handed over, behind those before it; where an event is full, at one of the
/// following ones. So an answer takes one interval each way, and many commands in a row come to a believable throughput.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.5.1
struct ConnectionEvents: Sendable {
    private let anchor: Instant
    private let interval: Int64
    private let dataLength: Int
    private let packetsPerEvent: Int
    private var event: Int64 = 0
    private var packets = 0

    init(anchor: Instant, link: SimulatedDevice.Link) {
        self.anchor = anchor
        interval = link.interval.clampedNanoseconds
        dataLength = link.dataLength
        packetsPerEvent = link.packetsPerEvent
    }

    /// When a PDU of that length, handed over now, has arrived.
    mutating func arrival(ofPDU length: Int, now: Instant) -> Instant {
        // The L2CAP header is four octets.
        var needed = max(1, (length + 4 + dataLength - 1) / dataLength)
        let elapsed = (now - anchor).clampedNanoseconds
        let nextEvent = elapsed < 0 ? 0 : elapsed / interval + 1
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
