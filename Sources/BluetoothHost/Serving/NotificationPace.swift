// SPDX-License-Identifier: MIT

import Bluetooth

/// The pace of the notifications of one bearer, whose device may have them faster than the link carries them.
///
/// A link takes a few of them ahead. The others wait here until it has sent those, so that answers and indications, which
/// go at once, are not behind all of them; what finds no room here either is dropped, and counted.
struct NotificationPace: Sendable {
    /// The number of notifications that a link takes ahead.
    static let window = 64
    /// The number of notifications that wait. Each has 517 octets at most.
    static let limit = 1_024

    /// Whether a PDU is a notification, of one or of several values.
    static func concerns(_ pdu: [UInt8]) -> Bool {
        let opcode = pdu.first.map(ATTOpcode.init(rawValue:))
        return opcode == .handleValueNotification || opcode == .multipleHandleValueNotification
    }

    /// The attribute of a notification; the first one of several.
    static func handle(of notification: [UInt8]) -> Handle? {
        notification.count > 2 ? Handle(UInt16(notification[1]) | UInt16(notification[2]) << 8) : nil
    }

    private var waiting: [[UInt8]] = []
    /// The number of notifications that the link was given since it was known to have sent all.
    private var given = 0
    private var isAsked = false

    /// Whether the link has to be asked to report when it has sent everything. It is asked before it takes no more, so
    /// that one that keeps pace is never waited for.
    var wantsReport: Bool { !isAsked && given >= Self.window / 2 }

    /// Whether another notification would be dropped.
    var isFull: Bool { waiting.count >= Self.limit }

    /// The owner waits for the report.
    mutating func asked() { isAsked = true }

    enum Verdict: Hashable {
        case send, wait, drop
    }

    /// Takes a notification. One that waits is returned by `reported`.
    mutating func take(_ pdu: [UInt8]) -> Verdict {
        if waiting.isEmpty, given < Self.window {
            given += 1
            return .send
        }
        guard waiting.count < Self.limit else { return .drop }
        waiting.append(pdu)
        return .wait
    }

    /// The link has sent everything. Returns what it is to be given now, in the order of arrival.
    ///
    /// - Parameter isWanted: Whether the client still wants a notification.
    mutating func reported(where isWanted: ([UInt8]) -> Bool) -> [[UInt8]] {
        isAsked = false
        var next: [[UInt8]] = []
        let taken = waiting.prefix { pdu in
            guard next.count < Self.window else { return false }
            if isWanted(pdu) { next.append(pdu) }
            return true
        }
        waiting.removeFirst(taken.count)
        given = next.count
        return next
    }
}

/// The values that one client did not get, told ever more rarely: after 1, 10, 100 and so on, and at the end.
struct DroppedValues: Sendable {
    private var total = 0
    private var untold = 0
    private var next = 1

    /// Counts values. Returns how many are to be told now; `nil` for none.
    mutating func add(_ count: Int) -> Int? {
        total += count
        untold += count
        guard total >= next else { return nil }
        while total >= next { next *= 10 }
        return rest()
    }

    /// Those that were not told; `nil` for none.
    mutating func rest() -> Int? {
        defer { untold = 0 }
        return untold > 0 ? untold : nil
    }
}
