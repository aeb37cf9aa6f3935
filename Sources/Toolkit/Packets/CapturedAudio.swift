// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// A packet of synchronous data (SCO) or of isochronous data (ISO). Both carry audio, which is shown in hexadecimal.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.3 and 5.4.5
package struct CapturedAudio {
    /// The indicators of the two kinds of packet. Spec: Core 5.4, Vol 4, Part A, 2
    package static let synchronousIndicator: UInt8 = 0x03
    package static let isochronousIndicator: UInt8 = 0x05

    package let isIsochronous: Bool
    /// The connection: an audio link, or a stream of an LE link; `nil` if the packet ends before it.
    package let connection: ConnectionHandle?
    /// What is in the packet, before the octets of the audio.
    private let facts: [String]
    private let audio: [UInt8]
    /// Why the packet is not valid; `nil` if it is.
    private let error: DecodeError?

    /// Decodes the octets after the indicator; `nil` if it is another one.
    package init?(_ indicator: UInt8, _ octets: [UInt8]) {
        guard [Self.synchronousIndicator, Self.isochronousIndicator].contains(indicator) else { return nil }
        isIsochronous = indicator == Self.isochronousIndicator
        var reader = ByteReader(octets)
        var facts: [String] = []
        var connection: ConnectionHandle?
        var error: DecodeError?
        do throws(DecodeError) {
            let word = try reader.uint16("connection handle")
            connection = ConnectionHandle(rawValue: word & 0x0FFF)
            if isIsochronous {
                let length = Int(try reader.uint16("ISO data load length") & 0x3FFF)
                guard reader.remaining >= length else {
                    throw DecodeError("ISO data", .truncated(needed: length, available: reader.remaining))
                }
                try Self.readLoad(&reader, flags: word >> 12, &facts)
            } else {
                let length = Int(try reader.uint8("data total length"))
                guard reader.remaining >= length else {
                    throw DecodeError("SCO data", .truncated(needed: length, available: reader.remaining))
                }
            }
        } catch let reason { error = reason }
        self.connection = connection
        self.facts = facts
        self.error = error
        audio = reader.rest()
    }

    /// Reads the header of a load, which only the first fragment of a service data unit has.
    private static func readLoad(
        _ reader: inout ByteReader,
        flags: UInt16,
        _ facts: inout [String]
    ) throws(DecodeError) {
        // The packet boundary flag: first fragment, continuation, complete, last fragment.
        switch flags & 0b11 {
        case 0b00: facts.append("first fragment")
        case 0b01: facts.append("fragment")
        case 0b11: facts.append("last fragment")
        default: break
        }
        guard flags & 0b01 == 0 else { return }
        if flags & 0b100 != 0 { facts.append("time \(try reader.uint32("Time_Stamp")) µs") }
        facts.append("number \(try reader.uint16("Packet_Sequence_Number"))")
        let word = try reader.uint16("ISO_SDU_Length")
        facts.append("unit of \(count: Int(word & 0x0FFF), "octet")")
        switch word >> 14 {
        case 0b01: facts.append("possibly invalid")
        case 0b10: facts.append("lost in part")
        default: break
        }
    }

    package var isMalformed: Bool { error != nil }

    /// `connection 0x0101, 4 octets: 61626364`
    package var text: String { audio.isEmpty ? openText : "\(openText): \(Hex.string(audio))" }

    package var openText: String {
        let start = connection.map { ["connection \($0)"] } ?? []
        let remark = error.map { ["malformed (\($0))"] } ?? []
        return (start + facts + remark + ["\(count: audio.count, "octet")"]).joined(separator: ", ")
    }

    /// The text of a packet whose end a capture has left out.
    package func cutText(isRedacted: Bool) -> String {
        let start = connection.map { ["connection \($0)"] } ?? []
        let octets = isRedacted || audio.isEmpty ? "" : ": \(Hex.string(audio))"
        return (start + facts + ["cut"]).joined(separator: ", ") + octets
    }

    package var name: String { isIsochronous ? "ISO data" : "SCO data" }
}
