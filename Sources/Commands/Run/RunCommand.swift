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
