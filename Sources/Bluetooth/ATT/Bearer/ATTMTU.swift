// SPDX-License-Identifier: MIT

/// The maximum lengths of PDUs in both directions.
///
/// Each device may request an exchange once, and both exchanges should give the same size. Some devices name one size
/// as client and another as server, and then send with the larger one (an earbud in BlueZ's issue 2224: 679 and 103).
/// This side sends with the smaller one to such a device.
///
/// PDUs are accepted up to the offered size, even if the agreed MTU is smaller. The MTU belongs to the link, and the
/// link may be older than the bearer: the kernel keeps it for two seconds after its last user, and the next user
/// cannot know the size that was agreed.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.8 and 3.4.2
struct ATTMTU: Sendable {
    /// The size that every device can receive, and that applies before an exchange.
    static let minimum = ATTBearer.minimumMTU

    /// The size that this side offers, and the longest PDU that it accepts.
    let offered: UInt16
    /// The longest PDU that this side may send.
    private(set) var toSend = minimum
    /// Whether this side has sent its one request.
    var isRequested = false
    /// Whether a request of the peer was answered.
    var isServed = false
    private var isAgreed = false
    /// Whether the channel has its size from its opening, so that there is no exchange.
    var isFixed = false

    /// The sizes before an exchange.
    init(offered: UInt16) { self.offered = max(offered, Self.minimum) }

    /// The sizes of an enhanced bearer.
    init(fixed: UInt16) {
        self.init(offered: fixed)
        toSend = offered
        isRequested = true
        isFixed = true
    }

    /// Records a completed exchange: a response was received, or this side has sent one.
    mutating func agreed(ours: UInt16, theirs: UInt16) {
        // Both sides support at least 23 octets, even if the peer names a smaller size.
        let size = max(Self.minimum, min(ours, theirs))
        // Both sides may exchange. The smaller result is safe for both.
        toSend = isAgreed ? min(toSend, size) : size
        isAgreed = true
    }
}
