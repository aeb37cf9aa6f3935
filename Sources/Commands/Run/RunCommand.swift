// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Scripting
import Toolkit

/// `blectl run`: runs scripts.
struct RunCommand: Command {
    static var commandName: CommandName { .run }
    static let recordSchemas: [RecordSchema] = [
        ScriptStepResult.record.schema,
        ScriptTestResult.record.schema,
        ScriptEndResult.record.schema,
        ScriptPlanResult.record.schema,
    ]
    static let timedRecords = [ScriptStepResult.record.schema]
    static let foreignNames = ["exec", "script", "batch", "test", "expect"]

    static let scripts = Argument(
        oneOrMore: .text("SCRIPT", completion: .fileEnding(in: ".blectl")),
        summary: "the scripts, which run one after the other",
        details: "`-` is standard input. Each has its own devices, variables and links."
    )

    static let keepGoing = Option(
        flag: "keep-going",
        summary: "run the tests after one that fails",
        details: "Otherwise they are skipped. A failed setup skips all tests of its script in any case."
    )

    static let dryRun = Option(
        flag: "dry-run",
        summary: "check the scripts, and print what would run",
        details: "A condition is checked if the formats of the values tell the fields of its step."
    )

    static let only = Option(
        value: "only",
        .text("GLOB"),
        summary: "run the tests with such a name",
        details: """
            A pattern with `*`, `?` and `[a-f]`. Setup and cleanup of the script still run; a script without such a \
            test is left out, and if none has one, the status is 68.
            """
    )

    static let define = Option(
        repeated: "define",
        short: "D",
        .definition,
        summary: "set a variable of the scripts",
        details: "Repeatable. Wins over `set` in the scripts."
    )

    static let report = Option(
        repeated: "report",
        .report,
        summary: "write a report: tap, junit, json or github",
        details: """
            Repeatable; the file `-` is standard output, which then has nothing else. `github` without \
            a file writes annotations for GitHub Actions to standard error.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .showsAddress, .hasParts],
        summary: "run a script of steps with expectations",
        discussion: [
            """
            Runs the tests of a script in the language of `blectl-script(5)`. A step is a line: a command of blectl, \
            and what is expected of it.
            """,
            """
            A step that fails ends its test; the steps under `cleanup` still run, also after Ctrl-C. A test has failed \
            if an expectation was not met, and is in error if a step could not be carried out. The report has the \
            place of the step, what was expected, what came, as octets and decoded, and the last packets to and from \
            the device.
            """,
            """
            Every wait has a time limit. With `--simulate --simulate-time virtual` a script takes no time, and its \
            report is the same in every run. `blectl-script(5)` also has the exit status.
            """,
        ],
        arguments: [scripts.spec],
        options: [keepGoing.spec, dryRun.spec, only.spec, define.spec, report.spec, DeviceSpec.noSession.spec],
        groups: [.global],
        examples: [
            "blectl run rig.blectl": "run the tests of a rig",
            "blectl run rig.blectl --keep-going --report junit=rig.xml": "all tests, and a report for a CI server",
            "blectl --simulate --simulate-time virtual run rig.blectl": "the same script on simulated devices, at once",
        ],
        seeAlso: ["read", "notify", "simulate"]
    )

    let options: RunOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try RunOptions(arguments)
    }

    func action(on found: String?) -> String { "run \(DeviceFiles.list(options.scripts))" }

    var writtenFiles: [(option: String, path: String)] {
        options.reports.filter { !$0.isStandardOutput }.compactMap(\.file).map { ("--report", $0) }
    }

    static let stepRefusal: String? = forCommandLine

    /// A script may have any path, but not the ending of a device file.
    static func takesOperand(likeWorld word: String) -> Bool { !word.hasSuffix(".json") }

    func run(in context: CommandContext) async throws {
        try await ScriptRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var run: CommandName { CommandName("run", RunCommand.self) }
}
