// SPDX-License-Identifier: MIT

package import Bluetooth

/// The way of an image to a boot loader.
///
/// Events come in as calls with the time, and what is to be done comes out as actions. Whatever the boot loader does, the
/// transfer ends: only progress allows further attempts.
package protocol DFUTransfer: Sendable {
    init(_ image: DFUImage)

    /// How many octets of the firmware the boot loader has.
    var octets: Int { get }
    /// How many octets the firmware has.
    var total: Int { get }
    /// When `timerFired` has to be called; `nil` for never.
    var deadline: Instant? { get }

    /// There is a link to the boot loader, the first one or another one.
    ///
    /// - Parameter packet: The octets of a value that is written without response.
    mutating func linkMade(packet: Int, now: Instant) -> [DFUAction]

    /// The link was lost, with whatever was on its way.
    mutating func linkLost() -> [DFUAction]

    mutating func received(_ octets: [UInt8], now: Instant) -> [DFUAction]

    /// The time of `deadline` has come.
    mutating func timerFired(now: Instant) -> [DFUAction]
}

package enum DFUAction: Hashable, Sendable {
    /// Write an order, and wait until it is confirmed.
    case order([UInt8])
    /// Write a part of the firmware.
    case packet([UInt8])
    /// The boot loader has that many octets.
    case progressed(Int)
    /// End the link, and make another one.
    case reconnect
    case ended(DFUEnding)
}

package enum DFUEnding: Hashable, Sendable {
    /// The boot loader has all, has found it whole, and starts it.
    case complete
    case refused(DFURefusal)
    /// The boot loader says nothing useful, although everything was tried several times.
    case stalled
    /// What the boot loader has is not what was sent, also when it was sent again.
    case damaged
    /// An answer makes no sense.
    case malformed(DecodeError)
}

/// What both protocols count.
enum DFULimits {
    /// How long a boot loader may take for an order, for which it may erase its flash.
    static let answer = Duration.seconds(60)
    /// How often something may go wrong without progress in between.
    static let stalls = 5
}

/// The start of an answer, which both protocols have.
struct DFUAnswer {
    let order: UInt8
    /// The refusal; `nil` for success.
    let refusal: DFURefusal?
    /// What follows.
    let rest: [UInt8]

    /// Reads an answer whose first octet is known to be that of one.
    init(_ format: DFUImage.Format, _ reader: inout ByteReader) throws(DecodeError) {
        order = try reader.uint8("order")
        let result = try reader.uint8("result")
        switch (format, result) {
        case (_, DFURefusal.success): refusal = nil
        case (.secure, DFURefusal.extendedError):
            refusal = DFURefusal(format, code: result, extended: try reader.uint8("extended error"))
        default: refusal = DFURefusal(format, code: result)
        }
        rest = reader.rest()
    }
}
