// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A device with stored data, as `devices` lists it.
struct KnownDeviceResult: TabledResult {
    static let headings = ["DEVICE", "KEPT", "LAST CONNECTED", "LAST HEARD"]

    /// The stored data of the device, merged from all stores.
    let device: KeptDevice
    /// When the list was made.
    let timestamp: Timestamp

    /// `seen` and `last_connected` are wall times in UTC; `null` if that has never happened.
    var record: Record {
        Record(
            "known-device",
            at: timestamp,
            [
                "device": device.reference.json,
                "seen": .optional(device.seen),
                "last_connected": .optional(device.connected),
                "cached": .bool(device.hasAttributes),
                "bonded": .bool(device.isBonded),
                "session": .optional(device.session),
                "adapter": .optional(device.adapter),
            ]
        )
    }

    /// The stored data other than the address. Sessions and links come first, because they exist now.
    private var kept: String {
        var kept: [String] = []
        if let session = device.session { kept.append("session '\(TerminalText.escaped(session))'") }
        if let adapter = device.adapter { kept.append("link on \(TerminalText.escaped(adapter))") }
        if device.hasAttributes { kept.append("attributes") }
        if device.isBonded { kept.append("keys") }
        return kept.isEmpty ? "address" : kept.joined(separator: ", ")
    }

    var columns: [String] {
        [
            device.reference.text, kept, TerminalText.escaped(device.connected ?? "-"),
            TerminalText.escaped(device.seen ?? "-"),
        ]
    }

    func text(_ style: TextStyle) -> String? { columns.joined(separator: "  ") }
}

/// A device whose stored findings were removed.
struct ForgottenResult: RecordedResult {
    /// The former data of the device. Its keys stay.
    let device: KeptDevice
    /// When it was removed.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "forgotten",
            at: timestamp,
            [
                "device": device.reference.json,
                "cached": .bool(device.hasAttributes),
                "bonded": .bool(device.isBonded),
            ]
        )
    }

    /// Says that the keys of a bonded device are still there, with the command that removes them.
    func text(_ style: TextStyle) -> String? {
        let text = "forgot \(style.paint(device.reference.text, .bold))"
        guard device.isBonded else { return text }
        return "\(text); its keys are kept: blectl unpair \(device.address.address)"
    }
}
