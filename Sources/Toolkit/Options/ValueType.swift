// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothProfiles
package import CommandLineInterface

/// The type of a value without a device: a characteristic or a descriptor.
package struct ValueType: Sendable, Equatable {
    package let text: String
    /// The characteristic; `nil` for a descriptor of any.
    package let characteristic: BluetoothUUID?
    package let descriptor: BluetoothUUID?
}

extension ParsedArguments {
    /// The type that a text names: a target without a device, or a descriptor without its characteristic.
    package func valueType(_ text: String, of argument: Argument<String>) throws(UsageError) -> ValueType {
        if let descriptor = Self.descriptor(text) {
            return ValueType(text: text, characteristic: nil, descriptor: descriptor)
        }
        let target = try target(text, of: argument)
        guard target.handle == nil else {
            throw invalid(
                argument,
                text,
                "a handle means something only on a device; expected a UUID or an assigned name"
            )
        }
        return ValueType(text: text, characteristic: target.characteristic, descriptor: target.descriptor)
    }

    private static func descriptor(_ text: String) -> BluetoothUUID? {
        // Names first: the short name `cccd` also consists of hexadecimal digits.
        if let named = AssignedNumbers.uuids(named: text, among: [.descriptor]).first { return named.uuid }
        guard let short = BluetoothUUID(text)?.short16, (0x2900...0x29FF).contains(short) else { return nil }
        return BluetoothUUID(short)
    }
}
