// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// The finding of a check of `doctor`.
struct FindingResult: RecordedResult {
    /// The finding of the check, with its remedy.
    let finding: Finding
    /// The adapter that it is about; `nil` for one about the machine.
    let adapter: String?
    /// When the machine was examined.
    let timestamp: Timestamp

    /// The columns of the names of checks.
    private static let columns = DoctorCheck.allCases.map(\.rawValue.utf8.count).max() ?? 0

    /// Has the remedy twice: as a sentence, and as a command to run if there is one.
    var record: Record {
        Record(
            "doctor-check",
            at: timestamp,
            [
                "adapter": .optional(adapter),
                "check": .string(finding.check.rawValue),
                "state": .string(finding.state.rawValue),
                "text": .string(finding.text),
                "hint": .optional(finding.remedy?.text),
                "command": .optional(finding.remedy?.command),
                "status": .optional(finding.status?.rawValue),
            ]
        )
    }

    /// The line of the check: a mark, its name, the finding and the remedy.
    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.padded(finding.check.rawValue, columns: Self.columns)
        let hint = finding.remedy.map { "; hint: \($0.text)" } ?? ""
        return "\(mark(style)) \(name)  \(TerminalText.escaped(finding.text + hint))"
    }

    /// The mark of the state. Without Unicode it is an ASCII character, and colour only repeats it.
    private func mark(_ style: TextStyle) -> String {
        switch finding.state {
        case .ok: style.paint(style.usesUnicode ? "✓" : "+", .green)
        case .warning: style.paint("!", .yellow)
        case .failure: style.paint(style.usesUnicode ? "✗" : "x", .red)
        case .unchecked: style.paint("-", .faint)
        }
    }
}

/// Whether a scan and a connection would work.
struct VerdictResult: RecordedResult {
    /// All findings. The verdict is their conclusion.
    let diagnosis: Diagnosis
    /// When the machine was examined.
    let timestamp: Timestamp

    /// Whether the findings permit a scan and a connection.
    private var works: (scan: Bool, connection: Bool) {
        (diagnosis.obstacle(to: .scan) == nil, diagnosis.obstacle(to: .connection) == nil)
    }

    var record: Record {
        Record(
            "doctor-verdict",
            at: timestamp,
            [
                "adapter": .optional(diagnosis.snapshot.adapter?.name),
                "scan": .bool(works.scan),
                "connection": .bool(works.connection),
                "warnings": .integer(Int64(diagnosis.findings.count { $0.state == .warning })),
                "failures": .integer(Int64(diagnosis.findings.count { $0.state == .failure })),
            ]
        )
    }

    /// A failure is reported by the error that ends the command.
    func text(_ style: TextStyle) -> String? {
        works.scan && works.connection ? "a scan and a connection would work" : nil
    }
}
