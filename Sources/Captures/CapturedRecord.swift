// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// Where a packet was recorded, beside the index of its adapter.
package struct CapturedOrigin: Hashable, Sendable {
    /// The number of the interface, by which those without an index are distinguished.
    var interface = 0
    /// The name of the interface, if the file has one that is not the name of an adapter of Linux; not safe to print.
    package var name: String?
    /// The file; `nil` if only one is read.
    package var capture: String?

    package init() {}

    /// The file and the name in a line; `nil` for neither.
    package var text: String? {
        let parts = [capture, name].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

/// A record of a capture, whatever the format of its file is.
package struct CapturedRecord: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case packet(CapturedPacket)
        /// Octets that do not fit the kind of the record.
        case malformed(DecodeError, [UInt8])
    }

    /// When the packet passed; the nearest moment that a time of this program can have.
    package let time: WallTime
    package let content: Content
    package internal(set) var origin = CapturedOrigin()
    /// The number of octets of the packet that the file does not have.
    package let missing: Int
    /// The number of packets that were lost between the record before and this one.
    package let lost: Int
    /// The number of packets in the file from the record before on: 0 for a remark, which is no packet, and more than 1 if
    /// others before this one are left out.
    package var count = 1

    package init(_ content: Content, at time: WallTime, missing: Int = 0, lost: Int = 0) {
        self.content = content
        self.time = time
        self.missing = missing
        self.lost = lost
    }

    /// A record with a packet that is there as a whole.
    package init(_ packet: CapturedPacket, at time: WallTime) { self.init(.packet(packet), at: time) }

    static func remark(_ text: String, at time: WallTime) -> CapturedRecord {
        var record = CapturedRecord(CapturedPacket(.note(text), .received), at: time)
        record.count = 0
        return record
    }
}

extension CapturedRecord {
    /// A record of a btsnoop file with that datalink.
    ///
    /// - Parameter drops: The number of packets that had been lost before the record before.
    package init(_ record: BTSnoopRecord, of datalink: BTSnoopDatalink, drops: UInt32 = 0) {
        let content: Content
        do throws(DecodeError) {
            content = .packet(try CapturedPacket(record, of: datalink))
        } catch {
            content = .malformed(error, record.data)
        }
        self.init(
            content,
            at: WallTime(record.timestamp),
            missing: record.missingLength,
            // The number in a record counts all drops since the capture began. It may wrap.
            lost: Int(record.cumulativeDrops &- drops)
        )
    }
}

extension WallTime {
    /// The moment of a record, which may be any 64 bits.
    init(_ timestamp: BTSnoopTimestamp) {
        let (nanoseconds, overflow) = timestamp.microsecondsSince1970.multipliedReportingOverflow(by: 1_000)
        self.init(nanosecondsSince1970: overflow ? (timestamp < .unixEpoch ? .min : .max) : nanoseconds)
    }
}
