// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The octets of a capture that have arrived and are not read yet: no more than one record, and what was appended last.
struct CaptureBuffer: Sendable {
    private var octets: [UInt8] = []
    private var start = 0
    /// The number of octets before the next one.
    private(set) var offset: UInt64 = 0
    /// The number of octets to skip when they arrive.
    private var skipped: UInt64 = 0
    /// Whether no more octets arrive.
    var isEnded = false

    var count: Int { octets.count - start }

    mutating func append(_ new: some Collection<UInt8>) {
        // Read octets are removed here and not with each record, which would move all that follow it.
        if start > 0 {
            octets.removeFirst(start)
            start = 0
        }
        octets.append(contentsOf: new)
        skip(0)
    }

    /// Whether a decoder can go on: so many octets have arrived, or no more do, which is then the decoder's error.
    func has(_ count: Int) -> Bool { self.count >= count || isEnded }

    /// The next octets, which stay; fewer if no more have arrived.
    func prefix(_ count: Int) -> ArraySlice<UInt8> { octets[start...].prefix(count) }

    /// A number of four octets that far behind the next one; `nil` if it has not arrived.
    func uint32(at index: Int, isBigEndian: Bool) -> UInt32? {
        var reader = ByteReader(prefix(index + 4).dropFirst(index))
        return try? reader.uint32("number", isBigEndian: isBigEndian)
    }

    /// Leaves out so many octets, also those that have not arrived.
    mutating func skip(_ count: UInt64) {
        skipped += count
        let here = Int(min(skipped, UInt64(self.count)))
        skipped -= UInt64(here)
        start += here
        offset += UInt64(here)
    }

    /// Throws if octets to skip never arrive.
    func expectSkipped() throws(DecodeError) {
        guard isEnded, skipped > 0 else { return }
        throw DecodeError("block", .truncated(needed: Int(clamping: skipped), available: 0))
    }

    /// Decodes the next octets, so many at most, and removes them. After an error they stay.
    mutating func decode<Value>(
        _ count: Int,
        _ body: (inout ByteReader) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value {
        let taken = prefix(count)
        var reader = ByteReader(taken)
        let value = try body(&reader)
        start += taken.count
        offset += UInt64(taken.count)
        return value
    }
}
