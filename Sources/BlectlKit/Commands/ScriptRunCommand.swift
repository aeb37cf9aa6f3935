// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl run`: runs scripts, and writes reports.
struct ScriptRunCommand {
    let options: RunOptions
    let context: CommandContext

    init(_ options: RunOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    /// Runs the scripts in order, and writes the reports after the last one.
    func run() async throws {
        // All of them first, so that nothing runs if one cannot be read.
        var scripts: [Script] = []
        for path in options.scripts { scripts.append(try script(path)) }
        if let only = options.only { scripts = try TestChoice(only).scripts(among: scripts) }
        if options.isDryRun { return try await showPlan(scripts) }
        // Created now, because a report that cannot be written should not cost a run.
        var files: [(ReportChoice, OutputFile?)] = []
        // `nil` means standard output. The reporter prints nothing there then.
        for report in options.reports {
            files.append((report, report.isStandardOutput ? nil : try OutputFile(report.file)))
        }
        let reporter = ScriptReporter(
            output: options.reports.contains(where: \.isStandardOutput) ? nil : context.output,
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
                packets: context.packets,
                definitions: options.definitions,
                keepsGoing: options.keepsGoing,
                // TAP numbers the tests of all scripts in one sequence.
                firstTest: reports.reduce(1) { $0 + $1.tests.count },
                observer: reporter
            )
            reports.append(try await engine.run())
        }
        try await reporter.ended(reports, Timestamp(context.time))
        for (report, file) in files { try await write(report, file, reports, reporter) }
        // After the reports, so that an interrupted run has them too.
        try Task.checkCancellation()
        // Each failure was shown.
        guard reports.status == .success else { throw PartialFailure(status: reports.status) }
    }

    /// Reads a script, with everything that decides which of its names are known: devices, formats, variables.
    private func script(_ path: String) throws(BlectlError) -> Script {
        var reader = ScriptReader.files
        reader.known.definitions = options.definitions
        reader.known.environment = context.environment
        reader.known.formats = context.options.formats
        // A socket leads to one device; the script need not name it.
        if case .socket = context.options.radio { reader.known.isDeviceGiven = true }
        return try reader.read(path)
    }

    private func write(
        _ report: ReportChoice,
        _ file: OutputFile?,
        _ scripts: [ScriptReport],
        _ reporter: ScriptReporter
    ) async throws {
        let facts = RunFacts(context.options)
        let bytes =
            switch report.format {
            case .tap: Array(TAPReport(scripts: scripts, facts: facts).text.utf8)
            case .junit: Array(JUnitReport(scripts: scripts, facts: facts).text.utf8)
            case .json: reporter.records
            }
        guard let file else {
            // `write` ends the line itself.
            return try await context.output.write(String(decoding: bytes.dropLast(), as: UTF8.self))
        }
        try file.write(bytes)
    }

    private func showPlan(_ scripts: [Script]) async throws {
        for script in scripts {
            try await context.output.emit(ScriptPlanResult(script: script, timestamp: Timestamp(context.time)))
        }
    }
}
