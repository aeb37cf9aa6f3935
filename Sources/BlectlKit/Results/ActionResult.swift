// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The result of a profile's action.
struct ActionResult: RecordedResult {
    let device: DeviceReference
    let profile: String
    let action: String
    let service: BluetoothUUID
    /// The characteristic that was written or read last.
    let characteristic: BluetoothUUID
    /// The octets that were written last; `nil` if none were.
    let written: [UInt8]?
    /// The octets that the device has answered; `nil` if it has not.
    let answer: [UInt8]?
    /// The effect, in words.
    let words: String
    let timestamp: Timestamp

    var record: Record {
        Record(
            "action",
            at: timestamp,
            [
                "device": device.json,
                "profile": .string(profile),
                "action": .string(action),
                "service": .string(service.description),
                "characteristic": .string(characteristic.description),
                "written": .optional(written.map { Hex.string($0) }),
                "answer": .optional(answer.map { Hex.string($0) }),
                "text": .string(words),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { TerminalText.escaped(words) }
}
