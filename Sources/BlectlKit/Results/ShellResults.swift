// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

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
    /// When the list was made.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "shell-device",
            at: timestamp,
            [
                "name": .string(name),
                "address": .optional(address),
                "connected": .bool(security != nil),
                "security": security?.json ?? .null,
                "current": .bool(isCurrent),
            ]
        )
    }

    /// The device with a star in front if lines without a device mean it.
    func text(_ style: TextStyle) -> String? {
        let label = TerminalText.escaped(name)
        let whole = address.map { $0 == name ? label : "\(label) (\($0))" } ?? label
        let state = security == nil ? "not connected" : "connected"
        return "\(isCurrent ? "*" : " ") \(style.paint(whole, .bold))  \(state)"
    }
}

/// A command in the background of a shell.
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
    /// When the list was made.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "shell-job",
            at: timestamp,
            ["number": .integer(Int64(job.number)), "line": .string(job.line)]
        )
    }

    /// The number of the job and its line, in the words of the shell.
    func text(_ style: TextStyle) -> String? { job.text("runs") }
}
