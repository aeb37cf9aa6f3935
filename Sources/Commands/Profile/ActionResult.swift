// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Records
import Terminal
import Toolkit

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
    let words: String
    let timestamp: Timestamp

    static let record = RecordKind<Self>("action", "what a client has done by a profile") {
        RecordField.device { $0.device }
        RecordField("profile", .string, "profile") { $0.profile }
        RecordField("action", .string, "action") { $0.action }
        RecordField("service", .uuid, "service") { $0.service }
        RecordField("characteristic", .uuid, "characteristic that was written or read last") { $0.characteristic }
        RecordField("written", orNull: .hex, "octets that were written last; null if none were") { $0.written }
        RecordField("answer", orNull: .hex, "octets that the device has answered; null for none") { $0.answer }
        RecordField("text", .string, "what has happened, as it is printed") { $0.words }
    }

    /// The words may contain text of the device, so they are escaped.
    func text(_ style: TextStyle) -> String? { TerminalText.escaped(words) }
}
