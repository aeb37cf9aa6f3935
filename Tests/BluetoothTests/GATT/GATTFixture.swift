// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Bluetooth

/// What the GATT tests share.
enum GATTFixture {
    /// The octets of hex text; spaces may stand between them.
    static func octets(_ hex: String) throws -> [UInt8] {
        try #require(Hex.bytes(hex.filter { $0 != " " }))
    }
}
