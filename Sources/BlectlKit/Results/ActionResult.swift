// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The result of a profile's action.
///
/// Its record repeats the octets in both directions, so that a script can check more than the words tell.
struct ActionResult: RecordedResult {
    let device: DeviceReference
    /// The name of the profile as the command line has it, such as `find-me`.
    let profile: String
    /// The name of the action within the profile, which is the second word of the command line.
    let action: String
    /// The service that the profile's actions belong to; the characteristic may be in another one.
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

    /// The words may contain text of the device, so they are escaped.
    func text(_ style: TextStyle) -> String? { TerminalText.escaped(words) }
}
