// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Records
import Terminal
import Toolkit

/// A device of a shell, as `links` lists it.
struct ShellDeviceResult: RecordedResult {
    /// Its name, or the user's name for it.
    let name: String
    /// Its address; `nil` if it is not found yet.
    let address: String?
    /// The security of its link; `nil` without one.
    let security: LinkSecurity?
    /// Whether a line without a device means it.
    let isCurrent: Bool
    let timestamp: Timestamp

    static let record = RecordKind<Self>("shell-device", "a device of a shell") {
        RecordField("name", .string, "its name, or what it is looked for by") { $0.name }
        RecordField("address", orNull: .string, "its address, if found") { $0.address }
        RecordField("connected", .boolean, "whether there is a link") { $0.security != nil }
        RecordField("security", orNull: .security, "security of the link; null without one") { $0.security }
        RecordField("current", .boolean, "whether a line without a device means it") { $0.isCurrent }
    }

    /// The device with a star in front if lines without a device mean it.
    func text(_ style: TextStyle) -> String? {
        let label = TerminalText.escaped(name)
        let whole = address.map { $0 == name ? label : "\(label) (\($0))" } ?? label
        let state = security == nil ? "not connected" : "connected"
        return "\(isCurrent ? "*" : " ") \(style.paint(whole, .bold))  \(state)"
    }
}

struct ShellJob: Equatable {
    /// From 1. A number is used again when no job has it or a higher one.
    let number: Int
    /// The line as it was typed, without `&`.
    let line: String

    /// Its line in a list or a message: `[1] runs  notify battery-level`.
    func text(_ state: String) -> String { "[\(number)] \(state)  \(TerminalText.escaped(line))" }
}

/// A command that runs in the background of a shell, as `jobs` lists it.
struct ShellJobResult: RecordedResult {
    let job: ShellJob
    let timestamp: Timestamp

    static let record = RecordKind<Self>("shell-job", "a command that runs in the background of a shell") {
        RecordField("number", .integer, "its number, for `stop` and `wait`") { $0.job.number }
        RecordField("line", .string, "line as it was typed") { $0.job.line }
    }

    /// The number of the job and its line, in the words of the shell.
    func text(_ style: TextStyle) -> String? { job.text("runs") }
}
