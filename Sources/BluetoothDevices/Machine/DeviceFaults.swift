// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The faults of a device; by default there are none.
public struct DeviceFaults: Hashable, Sendable {
    /// A link that breaks during use.
    public struct Drop: Hashable, Sendable {
        /// The number of the PDU that breaks the link, from 1 on each connection; it is not answered.
        public var pdu: Int
        /// The reason: 0x13 if the device hangs up, 0x08 if it falls silent and the supervision timeout expires.
        public var reason: HCIStatus

        /// Creates a fault that recurs on every connection.
        public init(atPDU pdu: Int, reason: HCIStatus) {
            self.pdu = pdu
            self.reason = reason
        }
    }

    /// A link that breaks after some time, even if it is idle.
    public struct Lapse: Hashable, Sendable {
        /// The duration of each link.
        public var after: Duration
        /// The reason, as in `Drop`.
        public var reason: HCIStatus
        /// The time during which the device is out of reach afterwards; only simulated air supports it.
        public var absence: Duration

        /// Creates a fault that recurs on every connection.
        public init(after: Duration, reason: HCIStatus, absence: Duration = .zero) {
            self.after = after
            self.reason = reason
            self.absence = absence
        }
    }

    /// The number of connections that fail before one succeeds. A real adapter closes these connections at once
    /// instead.
    public var refusedConnections: Int
    /// The number of the PDU, from 1 on each connection, from which on the device sends nothing more.
    public var silentFromPDU: Int?
    /// The way in which the link breaks during use.
    public var drop: Drop?
    /// The way in which the link breaks after some time.
    public var lapse: Lapse?
    /// The additional time that the device takes for each answer.
    public var answerDelay: Duration

    /// Creates a combination of faults.
    public init(
        refusedConnections: Int = 0,
        silentFromPDU: Int? = nil,
        drop: Drop? = nil,
        lapse: Lapse? = nil,
        answerDelay: Duration = .zero
    ) {
        self.refusedConnections = refusedConnections
        self.silentFromPDU = silentFromPDU
        self.drop = drop
        self.lapse = lapse
        self.answerDelay = answerDelay
    }

    /// A device without faults.
    public static let none = DeviceFaults()
}
