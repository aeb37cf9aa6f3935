// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The records of Apple's PacketLogger, of which a file has nothing else.
///
/// Spec: the format that Wireshark reads (wiretap/packetlogger.c); Apple documents none.
struct PacketLoggerFormat: CaptureFormat {
    /// The length of what follows it, and the time in seconds and microseconds. The kind of the packet comes next.
    static let headerLength = 12
    /// The octets of a record that its length counts, and that are not of the packet.
    private static let countedLength: UInt32 = 9
    private static let maximumLength = countedLength + UInt32(BTSnoopRecord.maximumLength)

    /// macOS has written big-endian files, and writes little-endian ones.
    let isBigEndian: Bool

    /// Whether octets look like a record. There is nothing else to know such a file by.
    static func isRecord(_ octets: ArraySlice<UInt8>, isBigEndian: Bool) -> Bool {
        var reader = ByteReader(octets)
        guard let length = try? reader.uint32("length", isBigEndian: isBigEndian),
            (try? reader.uint32("seconds")) != nil,
            let microseconds = try? reader.uint32("microseconds", isBigEndian: isBigEndian),
            let kind = try? reader.uint8("packet type")
        else { return false }
        return (countedLength...maximumLength).contains(length) && microseconds < 1_000_000
            && (kind < 0x04 || (0x08...0x0B).contains(kind) || (0xF7...0xFE).contains(kind))
    }

    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]? {
        guard buffer.has(Self.headerLength) else { return nil }
        let isBigEndian = isBigEndian
        let length = buffer.uint32(at: 0, isBigEndian: isBigEndian) ?? 0
        // A length beyond the limit is not waited for: the header alone is decoded, and throws.
        let isTooLong = length > Self.maximumLength
        let whole = isTooLong ? Self.headerLength : 4 + Int(length)
        guard buffer.has(whole) else { return nil }
        return [
            try buffer.decode(whole) { (reader) throws(DecodeError) in
                let length = try reader.uint32("length", isBigEndian: isBigEndian)
                guard !isTooLong, length >= 8 else { throw DecodeError("length", .invalid(value: UInt64(length))) }
                var record = try reader.slice(Int(length), "record")
                let seconds = try record.uint32("seconds", isBigEndian: isBigEndian)
                let microseconds = try record.uint32("microseconds", isBigEndian: isBigEndian)
                let nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(microseconds) * 1_000
                return CapturedRecord(Self.content(&record), at: WallTime(nanosecondsSince1970: nanoseconds))
            }
        ]
    }

    private static func content(_ record: inout ByteReader) -> CapturedRecord.Content {
        do throws(DecodeError) {
            let kind = try record.uint8("packet type")
            let octets = record.rest()
            func hci(_ indicator: UInt8, _ direction: CapturedPacket.Direction) -> CapturedRecord.Content {
                .packet(CapturedPacket(.hci([indicator] + octets), direction))
            }
            switch kind {
            case 0x00: return hci(0x01, .sent)
            case 0x01: return hci(0x04, .received)
            case 0x02: return hci(0x02, .sent)
            case 0x03: return hci(0x02, .received)
            case 0x08: return hci(0x03, .sent)
            case 0x09: return hci(0x03, .received)
            // Messages of the system, of the kernel and of its driver, errors, power, notes, settings, controllers.
            case 0xF7...0xFE:
                let text = octets.prefix { $0 != 0 }
                return .packet(CapturedPacket(.note(String(decoding: text, as: UTF8.self)), .received))
            default: return .packet(CapturedPacket(.other(UInt16(kind), octets), .received))
            }
        } catch {
            return .malformed(error, [])
        }
    }
}
