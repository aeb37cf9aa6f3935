// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
import Synchronization
package import Terminal

/// Shows a run while it runs, and collects the records for a report in a file.
///
/// When standard output has failed, nothing more is printed, and the run goes on: its steps have effects, and the
/// cleanup and the reports in files follow.
package final class ScriptReporter: RunObserver {
    private let output: Output?
    private let notes: any NoteSink
    private let showsSteps: Bool
    private let severalScripts: Bool
    /// The records for a report in a file, as JSON lines; `nil` if there is no report, so that a long run needs
    /// no memory for them.
    private let collected: Mutex<[UInt8]>?
    /// The name of the script that runs, because the report of a step does not have it.
    private let script = Mutex("")
    private let failed = Mutex<OutputFailure?>(nil)
    private let progress = Mutex(RunProgress())

    /// - Parameters:
    ///   - output: Where the run is shown; `nil` if a report goes there.
    ///   - notes: Where the step that runs is shown.
    ///   - showsSteps: Whether a person sees each step (`-v`).
    ///   - severalScripts: Whether the name of each script is shown.
    ///   - collects: Whether the records are kept for a report.
    package init(output: Output?, notes: any NoteSink, showsSteps: Bool, severalScripts: Bool, collects: Bool) {
        self.output = output
        self.notes = notes
        self.showsSteps = showsSteps
        self.severalScripts = severalScripts
        collected = collects ? Mutex([]) : nil
    }

    /// The records so far, one on a line.
    package var records: [UInt8] { collected?.withLock { $0 } ?? [] }

    /// Why standard output takes nothing more; `nil` as long as it does.
    package var failure: OutputFailure? { failed.withLock { $0 } }

    package func began(_ script: Script) async {
        self.script.withLock { $0 = script.name }
        progress.withLock { $0 = RunProgress() }
        // Records name their script themselves.
        guard severalScripts, let output, !output.writesRecords else { return }
        await show { try await output.write(output.style.paint(TerminalText.escaped(script.name), .bold)) }
    }

    package func began(_ step: ScriptStep, in section: ScriptProgress.Section, of script: Script) async {
        let text = progress.withLock { $0.text(of: step, in: section, of: script) }
        if let text { notes.progress(text) }
    }

    package func ended(_ step: StepReport, of test: String?) async {
        let result = ScriptStepResult(script: script.withLock { $0 }, test: test, step: step)
        collect(result)
        guard let output, output.writesRecords || showsSteps else { return }
        await show { try await output.emit(result) }
    }

    package func ended(_ test: TestReport, number: Int, of script: Script) async {
        let result = ScriptTestResult(script: script.name, number: number, test: test)
        collect(result)
        await show { try await output?.emit(result) }
    }

    /// Reports the end of the run, after the last script.
    package func ended(_ scripts: [ScriptReport], _ timestamp: Timestamp) async {
        let result = ScriptEndResult(scripts: scripts, timestamp: timestamp)
        collect(result)
        await show { try await output?.emit(result) }
    }

    /// Shows a result in the place of the step that runs.
    private func show(_ write: () async throws -> Void) async {
        notes.clearProgress()
        await keepFailure(write)
    }

    /// Writes to standard output unless that has failed before, and keeps a failure.
    package func keepFailure(_ write: () async throws -> Void) async {
        guard failure == nil else { return }
        do {
            try await write()
        } catch OutputFailure.interrupted {
            // Only this task waits no longer, because it is cancelled; what it had to say is queued.
        } catch {
            failed.withLock { $0 = error as? OutputFailure ?? .failed("\(error)") }
        }
    }

    private func collect(_ result: some CommandResult) {
        collected?.withLock { $0 += Output.line(of: result) }
    }
}
