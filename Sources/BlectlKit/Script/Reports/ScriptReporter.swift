// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Shows a run while it runs, and collects the records for a report in a file.
final class ScriptReporter: RunObserver {
    private let output: Output?
    private let showsSteps: Bool
    private let severalScripts: Bool
    /// The records for a report in a file, as JSON lines; `nil` if there is no report, so that a long run needs
    /// no memory for them.
    private let collected: Mutex<[UInt8]>?
    /// The name of the script that runs, because the report of a step does not have it.
    private let script = Mutex("")

    /// - Parameters:
    ///   - output: Where the run is shown; `nil` if a report goes there.
    ///   - showsSteps: Whether a person sees each step (`-v`).
    ///   - severalScripts: Whether the name of each script is shown.
    ///   - collects: Whether the records are kept for a report.
    init(output: Output?, showsSteps: Bool, severalScripts: Bool, collects: Bool) {
        self.output = output
        self.showsSteps = showsSteps
        self.severalScripts = severalScripts
        collected = collects ? Mutex([]) : nil
    }

    /// The records so far, one on a line.
    var records: [UInt8] { collected?.withLock { $0 } ?? [] }

    func began(_ script: Script) async throws {
        self.script.withLock { $0 = script.name }
        // Records name their script themselves.
        guard severalScripts, let output, !output.writesRecords else { return }
        try await output.write(output.style.paint(TerminalText.escaped(script.name), .bold))
    }

    func ended(_ step: StepReport, of test: String?) async throws {
        let result = ScriptStepResult(script: script.withLock { $0 }, test: test, step: step)
        collect(result)
        guard let output, output.writesRecords || showsSteps else { return }
        try await output.emit(result)
    }

    func ended(_ test: TestReport, number: Int, of script: Script) async throws {
        let result = ScriptTestResult(script: script.name, number: number, test: test)
        collect(result)
        try await output?.emit(result)
    }

    /// Reports the end of the run, after the last script.
    func ended(_ scripts: [ScriptReport], _ timestamp: Timestamp) async throws {
        let result = ScriptEndResult(scripts: scripts, timestamp: timestamp)
        collect(result)
        try await output?.emit(result)
    }

    private func collect(_ result: some CommandResult) {
        collected?.withLock { $0 += Output.line(of: result) }
    }
}
