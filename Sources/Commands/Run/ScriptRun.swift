// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Scripting
import Terminal
import Toolkit

/// `blectl run`: runs scripts, and writes reports.
struct ScriptRun {
    let options: RunOptions
    let context: CommandContext

    /// Runs the scripts in order, and writes the reports after the last one.
    ///
    /// Standard output that fails does not end the run. It counts only if the run has passed.
    func run() async throws {
        // All of them first, so that nothing runs if one cannot be read.
        var scripts: [Script] = []
        var variables: Set<String> = []
        for path in options.scripts {
            let read = try await context.reading(path) { try script(path) }
            scripts.append(read.script)
            variables.formUnion(read.variables)
        }
        noteUnused(among: variables)
        if let only = options.only { scripts = try TestChoice(only).scripts(among: scripts) }
        if options.isDryRun { return try await showPlan(scripts) }
        // Created now, because a report that cannot be written should not cost a run.
        var files: [(ReportChoice, OutputFile?)] = []
        // `nil` means standard output, on which the reporter prints nothing then, or standard error.
        for report in options.reports {
            files.append((report, try await context.creating(report.isStandardOutput ? nil : report.file)))
        }
        let reporter = ScriptReporter(
            output: options.reports.contains(where: \.isStandardOutput) ? nil : context.output,
            notes: context.diagnostics,
            // The times are those of the steps.
            showsSteps: context.options.streams.verbosity > 0 || context.options.tellsTiming,
            severalScripts: scripts.count > 1,
            collects: options.reports.contains { $0.format == .json }
        )
        var reports: [ScriptReport] = []
        for script in scripts {
            let engine = ScriptEngine(
                script,
                in: context,
                packets: context.runState.packets,
                definitions: options.definitions,
                keepsGoing: options.keepsGoing,
                // TAP numbers the tests of all scripts in one sequence.
                firstTest: reports.reduce(1) { $0 + $1.tests.count },
                observer: reporter
            )
            reports.append(await engine.run())
        }
        await reporter.ended(reports, Timestamp(context.time))
        let problem = await write(files, reports, reporter)
        // Now, because a test that has failed must not look like a reader that went away.
        await reporter.keepFailure { try await context.output.flush() }
        // The end of a run that was cut off is told by others, and that a report is missing only here.
        if Task.isCancelled, let problem { context.diagnostics.error(problem) }
        // After the reports, so that an interrupted run has them too.
        try Task.checkCancellation()
        if let problem { throw problem }
        // Each failure was shown.
        guard reports.status == .success else { throw PartialFailure(status: reports.status) }
        if let failure = reporter.failure { throw failure }
    }

    /// Tells which definitions no script knows: with a mistyped name, the scripts would run with their own values.
    private func noteUnused(among variables: Set<String>) {
        // A name of one letter is similar to every other one, and one with a definition needs no other.
        let candidates = variables.filter { $0.count > 1 && options.definitions[$0] == nil }.sorted()
        for name in options.definitions.keys.sorted() where !variables.contains(name) {
            let similar = Suggestion.closest(to: name, among: candidates)
            context.diagnostics.note(
                "no script uses the variable \(Prose.quoted(name))" + (similar.map { "; did you mean '\($0)'?" } ?? "")
            )
        }
    }

    /// Reads a script, and the names of its variables, with everything that decides which of its names are known:
    /// devices, formats, variables.
    private func script(_ path: String) throws(BlectlError) -> (script: Script, variables: Set<String>) {
        var reader = ScriptReader.files(context.commands)
        reader.known.checksFields = options.isDryRun
        reader.known.isStandardInput = options.scripts.contains("-")
        reader.known.definitions = options.definitions
        reader.known.environment = context.environment
        reader.known.formats = context.options.formats
        reader.known.isOnAir = !context.options.isSimulated
        // A socket leads to one device; the script need not name it.
        if case .socket = context.options.radio { reader.known.isDeviceGiven = true }
        return try reader.readWithVariables(path)
    }

    /// Writes all reports, and returns why the first one could not be written into its file: one that cannot be
    /// written costs no other.
    private func write(
        _ files: [(ReportChoice, OutputFile?)],
        _ scripts: [ScriptReport],
        _ reporter: ScriptReporter
    ) async -> BlectlError? {
        let facts = RunFacts(context.options)
        var problem: BlectlError?
        for (report, file) in files {
            let bytes =
                switch report.format {
                case .tap: Array(TAPReport(scripts: scripts, facts: facts).text.utf8)
                case .junit: Array(JUnitReport(scripts: scripts, facts: facts).text.utf8)
                case .json: reporter.records
                case .github: Array(GitHubReport(scripts: scripts).text.utf8)
                }
            if report.file == nil {
                // An empty text would be an empty line.
                if !bytes.isEmpty { context.diagnostics.lines(String(decoding: bytes.dropLast(), as: UTF8.self)) }
                continue
            }
            guard let file else {
                // `write` ends the line itself.
                let text = String(decoding: bytes.dropLast(), as: UTF8.self)
                await reporter.keepFailure { try await context.output.write(text) }
                continue
            }
            do throws(BlectlError) { try file.write(bytes) } catch { problem = problem ?? error }
        }
        return problem
    }

    private func showPlan(_ scripts: [Script]) async throws {
        for script in scripts {
            try await context.output.emit(ScriptPlanResult(script: script, timestamp: Timestamp(context.time)))
        }
    }
}
