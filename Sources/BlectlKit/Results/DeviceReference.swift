// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The device that a result is about.
struct DeviceReference: Sendable, Hashable {
    let address: DeviceAddress
    let name: String?

    var json: JSONValue {
        .object([
            "address": .string(address.address.description),
            "address_type": .string(address.type.connectionType.description),
            "name": .optional(name),
        ])
    }

    /// `Pulse (F0:F1:F2:F3:F4:F5)`, safe to print.
    var text: String {
        guard let name, !name.isEmpty else { return address.address.description }
        // The device at the other end of a socket has none.
        guard address.address.rawValue != 0 else { return TerminalText.escaped(name) }
        return "\(TerminalText.escaped(name)) (\(address.address))"
    }
}

extension JSONWriter {
    /// The device of a record.
    mutating func value(_ device: DeviceReference) {
        object { json in
            json.key("address")
            json.string(device.address.address.description)
            json.key("address_type")
            json.string(device.address.type.connectionType.description)
            json.key("name")
            json.string(device.name)
        }
    }
}
