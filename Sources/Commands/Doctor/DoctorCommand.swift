// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// `blectl doctor`: finds out why Bluetooth does not work, and suggests commands.
struct DoctorCommand: Command {
    static var commandName: CommandName { .doctor }
    static let recordSchemas: [RecordSchema] = [FindingResult.record.schema, VerdictResult.record.schema]
    static let foreignNames = ["diagnose", "troubleshoot", "status", "why"]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "examine this machine" }

    static let stepRefusal: String? = forCommandLine

    /// Collects facts, and prints findings first and the verdict last. The exit status is that of the first problem
    /// that keeps Bluetooth from working.
    func run(in context: CommandContext) async throws {
        var failure: BlectlError?
        for (number, adapters) in await examined(in: context).enumerated() {
            let diagnosis = Diagnosis(try await Examination(context: context.on(adapters)).snapshot())
            let timestamp = Timestamp(context.time)
            // Findings about the machine are printed once.
            for finding in diagnosis.findings where number == 0 || finding.check.isOfAdapter {
                let adapter = finding.check.isOfAdapter ? diagnosis.snapshot.adapter?.name : nil
                try await context.output.emit(FindingResult(finding: finding, adapter: adapter, timestamp: timestamp))
            }
            try await context.output.emit(VerdictResult(diagnosis: diagnosis, timestamp: timestamp))
            failure = failure ?? diagnosis.error
        }
        if let failure { throw failure }
    }

    /// The adapters that are examined, one after the other.
    private func examined(in context: CommandContext) async -> [AdapterSelection] {
        switch context.options.adapters {
        case .first, .one: return [context.options.adapters]
        case .several(let names): return names.map { .one($0) }
        case .all:
            // Without a list, or without any adapter, the examination itself finds the reason.
            let present = (try? await context.system.adapters()) ?? []
            return present.isEmpty ? [.first] : present.map { .one($0.name) }
        }
    }
}

extension CommandName {
    static var doctor: CommandName { CommandName("doctor", DoctorCommand.self) }
}
