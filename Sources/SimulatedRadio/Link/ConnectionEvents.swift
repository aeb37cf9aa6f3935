// SPDX-License-Identifier: MIT

import Bluetooth

/// The times at which the packets of one direction of a link arrive: at connection events with a fixed interval, a few
/// packets in each.
///
/// A PDU is sent at the first event after it was handed over, after earlier PDUs; if an event is full, at a later one.
/// So a response takes one interval in each direction, and a series of commands reaches a realistic throughput.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.5.1
struct ConnectionEvents: Sendable {
    /// The time of event 0. A change of the interval moves it.
    private var anchor: Instant
    /// The connection interval in nanoseconds.
    private var interval: Int64
    /// The number of packets that fit into an event, on the present PHY.
    private var packetsPerEvent: Int
    /// The largest packet in octets.
    var dataLength: Int
    /// The event that the last PDU was put into, counted from the anchor.
    private var event: Int64 = 0
    /// The number of packets that this event has so far.
    private var packets = 0

    /// Begins at a moment, with the parameters that a device asks for.
    init(anchor: Instant, link: SimulatedDevice.Link) {
        self.anchor = anchor
        interval = link.interval.clampedNanoseconds
        dataLength = link.dataLength
        packetsPerEvent = link.packetsPerEvent
    }

    /// The number of the first event after an instant.
    private func next(after now: Instant) -> Int64 {
        let elapsed = (now - anchor).clampedNanoseconds
        // The anchor lies ahead after a change of the interval.
        return elapsed < 0 ? 0 : elapsed / interval + 1
    }

    /// Changes the interval from the next event on.
    mutating func change(interval new: Duration, now: Instant) {
        // PDUs that are on their way keep their times: the new interval begins after the last of their events.
        anchor = anchor + .nanoseconds(max(event, next(after: now)) * interval)
        // Not 0, because `next` divides by it.
        interval = max(1, new.clampedNanoseconds)
        event = 0
        packets = 0
    }

    /// Changes the PHY. On LE 2M packets take half the time, but the pauses between them stay the same, so that not
    /// quite twice as many fit into an event.
    mutating func change(phy: LEPHY, link: SimulatedDevice.Link) {
        packetsPerEvent = phy == .le2M ? link.packetsPerEvent * 7 / 4 : link.packetsPerEvent
    }

    /// The time at which a PDU of that length arrives if it is handed over now.
    mutating func arrival(ofPDU length: Int, now: Instant) -> Instant {
        // The first packet also holds the L2CAP header of 4 octets.
        var needed = max(1, (length + 4 + dataLength - 1) / dataLength)
        let nextEvent = next(after: now)
        if nextEvent > event {
            event = nextEvent
            packets = 0
        }
        // A PDU that fits into one event is not divided between two.
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
