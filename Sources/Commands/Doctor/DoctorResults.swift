// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Terminal

/// The finding of a check of `doctor`.
struct FindingResult: RecordedResult {
    let finding: Finding
    /// The adapter that it is about; `nil` for one about the machine.
    let adapter: String?
    let timestamp: Timestamp

    private static let columns = DoctorCheck.allCases.map(\.rawValue.utf8.count).max() ?? 0

    /// Has the remedy twice: as a sentence, and as a command to run if there is one.
    static let record = RecordKind<Self>("doctor-check", "what a check has found") {
        RecordField("adapter", orNull: .string, "adapter; null for the machine") {
            $0.adapter
        }
        RecordField("check", .string, "check: `kernel`, `rfkill` and so on, always in the same order") {
            $0.finding.check.rawValue
        }
        RecordField(
            "state",
            .string,
            "`ok`; `failure`, which keeps a scan or a connection from working; `warning`, which does not; `unchecked`"
        ) { $0.finding.state.rawValue }
        RecordField("text", .string, "what was found, and what it means") { $0.finding.text }
        RecordField("hint", orNull: .string, "what mends it") { $0.finding.remedy?.text }
        RecordField("command", orNull: .string, "hint, if a line to type") {
            $0.finding.remedy?.command
        }
        RecordField(
            "status",
            orNull: .integer,
            "exit status of a command that fails because of it"
        ) { $0.finding.status?.rawValue }
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
    let diagnosis: Diagnosis
    let timestamp: Timestamp

    /// Whether the findings permit a scan and a connection.
    private var works: (scan: Bool, connection: Bool) {
        (diagnosis.obstacle(to: .scan) == nil, diagnosis.obstacle(to: .connection) == nil)
    }

    static let record = RecordKind<Self>("doctor-verdict", "what follows from the checks") {
        RecordField("adapter", orNull: .string, "adapter; null if there is none") {
            $0.diagnosis.snapshot.adapter?.name
        }
        RecordField("scan", .boolean, "whether a scan would work") { $0.works.scan }
        RecordField("connection", .boolean, "whether a connection would work") { $0.works.connection }
        RecordField("warnings", .integer, "number of warnings") { result in
            result.diagnosis.findings.count { $0.state == .warning }
        }
        RecordField("failures", .integer, "number of failures") { result in
            result.diagnosis.findings.count { $0.state == .failure }
        }
    }

    /// A failure is reported by the error that ends the command.
    func text(_ style: TextStyle) -> String? {
        works.scan && works.connection ? "a scan and a connection would work" : nil
    }
}
