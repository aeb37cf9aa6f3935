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

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .forItsOutput],
        summary: "find out why Bluetooth does not work, and what to type",
        discussion: [
            """
            Prints a line for each check: a mark, the check, what was found and what it means, and what mends it. A \
            check mark (`+` without Unicode) is well; a cross (`x`) keeps a scan or connection from working; `!` \
            works, but may get in the way; `-` could not be checked.
            """,
            "The checks, in their order: " + checks + ".",
            """
            With several adapters (`-i all`), checks of the machine are reported once, and those of each adapter after \
            them. The status is 0 if a scan and a connection would work with each; otherwise that of the scan, or else \
            the connection, and the last lines name the first obstacle.
            """,
            """
            It changes nothing: it asks the controller for its version and commands, starts a passive scan that it \
            ends at once, tries whether its folders have room, and reads `/sys`, `/proc` and, for packages of \
            firmware, `/etc`.
            """,
        ],
        groups: [.global],
        examples: [
            "blectl doctor": "what is wrong, if anything",
            "blectl doctor --adapter hci0": "the same for one adapter",
            "blectl doctor --json": "the findings for a program",
            "blectl --simulate --simulate-adapter le-off doctor": "for an adapter without Low Energy on",
        ],
        seeAlso: ["adapters", "adapter", "scan"]
    )

    private static var checks: String {
        DoctorCheck.allCases.map { "`\($0.rawValue)` (\($0.summary))" }.joined(separator: ", ")
    }

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
