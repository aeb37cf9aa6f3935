// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Captures as other programs write them.
enum CaptureSample {
    private static let moment: Int64 = 1_795_156_931_883_291

    /// A capture with a record for each packet, a millisecond apart.
    static func file(_ datalink: UInt32, _ packets: [(flags: UInt32, hex: String)]) -> [UInt8] {
        var octets = BTSnoopHeader(BTSnoopDatalink(rawValue: datalink)).encoded()
        for (index, packet) in packets.enumerated() {
            let data = Hex.bytes(packet.hex.filter { $0 != " " }) ?? []
            let timestamp = BTSnoopTimestamp(microsecondsSince1970: moment + Int64(index) * 1_000)
            octets += BTSnoopRecord(data, flags: packet.flags, at: timestamp).encoded()
        }
        return octets
    }

    /// A phone's log after Android's own: H4, with a read that takes two fragments to answer, and a second connection.
    private static let phonePackets: [(flags: UInt32, hex: String)] = [
        (2, "01 03 0c 00"),
        (3, "04 0e 04 01 03 0c 00"),
        (3, "04 3e 13 01 00 4000 00 01 f5f4f3f2f1f0 1800 0000 2a00 00"),
        (3, "04 3e 13 01 00 4100 00 00 010203040506 1800 0000 2a00 00"),
        (0, "02 4000 0700 0300 0400 0a 1200"),
        (0, "02 4100 0700 0300 0400 0a 1200"),
        (1, "02 4020 0700 0500 0400 0b 5701"),
        (1, "02 4120 0900 0500 0400 01 0a 1200 05"),
        (1, "02 4010 0200 0203"),
        (1, "02 4020 0900 0500 0400 1b 2000 aabb"),
        (3, "04 05 04 00 4000 13"),
    ]

    /// The phone's log as a file.
    static let phone = file(1_002, phonePackets)
}
