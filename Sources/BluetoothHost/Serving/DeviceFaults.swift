// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What a device does wrong. Nothing, unless told.
public struct DeviceFaults: Hashable, Sendable {
    /// A link that breaks in mid-use.
    public struct Drop: Hashable, Sendable {
        /// The number of the PDU, from 1 on each connection, upon which the link breaks; it is not answered.
        public var pdu: Int
        /// Why: 0x13 where the device hangs up, 0x08 where it falls silent and the supervision timeout notices.
        public var reason: HCIStatus

        /// Says when and why.
        public init(atPDU pdu: Int, reason: HCIStatus) {
            self.pdu = pdu
            self.reason = reason
        }
    }

    /// A link that does not last, whatever is done on it.
    public struct Lapse: Hashable, Sendable {
        /// How long each link lasts.
        public var after: Duration
        /// Why it breaks, see `Drop`.
        public var reason: HCIStatus
        /// How long the device is out of reach then; only on simulated air.
        public var absence: Duration

        /// Says when and why.
        public init(after: Duration, reason: HCIStatus, absence: Duration = .zero) {
            self.after = after
            self.reason = reason
            self.absence = absence
        }
    }

    /// How many connections fail to be established before one succeeds; on a real adapter, are closed at once.
    public var refusedConnections: Int
    /// The number of the PDU, from 1 on each connection, from which on the device neither answers nor sends anything.
    public var silentFromPDU: Int?
    /// How the link breaks in mid-use.
    public var drop: Drop?
    /// How links break by themselves.
    public var lapse: Lapse?
    /// How much longer than usual the device takes for each answer.
    public var answerDelay: Duration

    /// Says what goes wrong.
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
