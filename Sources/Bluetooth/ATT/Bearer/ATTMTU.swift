// SPDX-License-Identifier: GPL-2.0-or-later

/// How long a PDU may be, in both directions.
///
/// Both devices may ask, each once, and each exchange ought to give the same size. Devices exist that name one size as
/// client and another as server, and then send by the larger one (an earbud in BlueZ's issue 2224: 679 and 103). To such a
/// device nothing longer goes than the smaller size.
///
/// Whatever was agreed, all is taken that we can receive. The size belongs to the link, and a link may be older than the
/// bearer: the kernel keeps one for two seconds after its last user, and the next one cannot know what was agreed on it.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.8 and 3.4.2
struct ATTMTU: Sendable {
    /// The size that every device can receive, and that holds before an exchange.
    static let minimum = ATTBearer.minimumMTU

    /// What we offer, and the longest PDU that we take.
    let offered: UInt16
    /// The longest PDU that we may send.
    private(set) var toSend = minimum
    /// Whether our one request was sent.
    var isRequested = false
    /// Whether a request of the peer was answered.
    var isServed = false
    private var isAgreed = false

    /// Before an exchange.
    init(offered: UInt16) { self.offered = max(offered, Self.minimum) }

    /// An exchange was completed: a response was received, or ours was sent.
    mutating func agreed(ours: UInt16, theirs: UInt16) {
        let size = max(Self.minimum, min(ours, theirs))
        toSend = isAgreed ? min(toSend, size) : size
        isAgreed = true
    }
}
