// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceAddress {
    /// The device of the scripts.
    static let scripted = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}

/// The octets of hexadecimal digits, which may be grouped by spaces.
func octets(_ hex: String) -> [UInt8] {
    guard let bytes = Hex.bytes(hex.filter { $0 != " " }) else { preconditionFailure("\(hex) is not hexadecimal") }
    return bytes
}
