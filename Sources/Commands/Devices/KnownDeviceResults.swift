// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Records
import Terminal
import Toolkit

/// A device with stored data, as `devices` lists it.
struct KnownDeviceResult: TabledResult {
    static let headings = ["DEVICE", "KEPT", "LAST CONNECTED", "LAST HEARD"]

    /// The stored data of the device, merged from all stores.
    let device: KeptDevice
    let timestamp: Timestamp

    /// `seen` and `last_connected` are wall times in UTC; `null` if that has never happened.
    static let record = RecordKind<Self>("known-device", "a device of which something is kept on this machine") {
        RecordField.device { $0.device.reference }
        RecordField("seen", orNull: .string, "when it was heard last, RFC 3339 in UTC") { $0.device.seen }
        RecordField("last_connected", orNull: .string, "when it was connected to last, RFC 3339 in UTC") {
            $0.device.connected
        }
        RecordField("cached", .boolean, "whether its attributes are in the cache") { $0.device.hasAttributes }
        RecordField("bonded", .boolean, "whether blectl has keys of it") { $0.device.isBonded }
        RecordField("session", orNull: .string, "name of the session that has a link to it") { $0.device.session }
        RecordField(
            "adapter",
            orNull: .string,
            "adapter that has a link of any program to it; null if the kernel reports none"
        ) { $0.device.adapter }
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
    let timestamp: Timestamp

    static let record = RecordKind<Self>("forgotten", "a device that was forgotten") {
        RecordField.device { $0.device.reference }
        RecordField("cached", .boolean, "whether its attributes were in the cache") { $0.device.hasAttributes }
        RecordField("bonded", .boolean, "whether blectl still has keys of it") { $0.device.isBonded }
    }

    /// Says that the keys of a bonded device are still there, with the command that removes them.
    func text(_ style: TextStyle) -> String? {
        let text = "forgot \(style.paint(device.reference.text, .bold))"
        guard device.isBonded else { return text }
        return "\(text); its keys are kept: blectl unpair \(device.address.address)"
    }
}
