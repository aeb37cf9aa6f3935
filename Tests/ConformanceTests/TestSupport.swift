// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

/// The octets of a text such as `01 0b20 07`: hexadecimal digits; spaces are ignored.
func octets(_ hex: String, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8] {
    let bytes = Hex.bytes(hex.filter { $0 != " " })
    if bytes == nil { Issue.record("not hexadecimal: \(hex)", sourceLocation: sourceLocation) }
    return bytes ?? []
}
