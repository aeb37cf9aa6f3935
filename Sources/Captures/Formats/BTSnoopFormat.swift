// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The records of a btsnoop file, behind its header.
struct BTSnoopFormat: CaptureFormat {
    let datalink: BTSnoopDatalink
    /// The number of packets that were lost so far.
    private var drops: UInt32 = 0

    init(datalink: BTSnoopDatalink) { self.datalink = datalink }

    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]? {
        guard buffer.has(BTSnoopRecord.headerLength) else { return nil }
        let length = buffer.uint32(at: 4, isBigEndian: true) ?? 0
        // A length beyond the limit is not waited for: the header alone is decoded, and throws.
        let whole = BTSnoopRecord.headerLength + (length > BTSnoopRecord.maximumLength ? 0 : Int(length))
        guard buffer.has(whole) else { return nil }
        let record = try buffer.decode(whole, BTSnoopRecord.init(from:))
        defer { drops = record.cumulativeDrops }
        return [CapturedRecord(record, of: datalink, drops: drops)]
    }
}
