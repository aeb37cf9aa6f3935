// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// What the lines of packets have in common.
package enum PacketText {
    package static func malformed(_ error: DecodeError, _ bytes: [UInt8]) -> String {
        "malformed (\(error)): \(Hex.string(bytes))"
    }

    /// Seconds with microseconds; a whole part of fewer than three digits is padded.
    package static func seconds(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        // The sign stands once: quotient and remainder of a negative number are both negative.
        let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(whole)
        let sign = microseconds < 0 ? "-" : ""
        var text = String(repeating: " ", count: max(0, 3 - digits.utf8.count - sign.utf8.count))
        text += sign
        text += digits
        text += "."
        // A million more gives the fraction its leading zeros.
        text += String(fraction + 1_000_000).dropFirst()
        return text
    }
}

extension ATTPDU {
    /// The attributes that the PDU is about. A request for a range of handles is about none of them.
    package var handles: [Handle] {
        switch self {
        case .client(.request(.readMultiple(let pdu))): pdu.handles
        case .client(.request(.readMultipleVariable(let pdu))): pdu.handles
        case .client(.request(.read(let pdu))): [pdu.handle]
        case .client(.request(.readBlob(let pdu))): [pdu.handle]
        case .client(.request(.write(let pdu))): [pdu.handle]
        case .client(.request(.prepareWrite(let pdu))): [pdu.handle]
        case .client(.command(.write(let pdu))): [pdu.handle]
        case .client(.command(.signedWrite(let pdu))): [pdu.handle]
        case .server(.error(let pdu)): [pdu.handle]
        case .server(.notification(let pdu)): [pdu.handle]
        case .server(.indication(let pdu)): [pdu.handle]
        case .server(.multipleNotification(let pdu)): pdu.values.map(\.handle)
        case .server(.response(.readByType(let pdu))): pdu.entries.map(\.handle)
        case .client, .server: []
        }
    }
}
