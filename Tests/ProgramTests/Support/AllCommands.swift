// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Scripting
@testable import Toolkit

// What takes the commands of the program, with those of blectl.

extension Invocation {
    init(_ arguments: [String], environment: (String) -> String? = { _ in nil }) throws(UsageError) {
        try self.init(arguments, of: .all, environment: environment)
    }
}

extension CommandRequest {
    init(
        _ arguments: ParsedArguments,
        formats: FormatCatalogue = .assigned,
        hasSessions: () -> Bool = { false }
    ) throws(UsageError) {
        try self.init(arguments, of: .all, formats: formats, hasSessions: hasSessions)
    }
}

extension ArgumentScanner {
    init(_ arguments: [String]) { self.init(arguments, CommandSet.all.table) }
}

extension HelpText {
    init(_ command: CommandName?) { self.init(command, in: CommandSet.all.table) }
}

extension CompletionRequest {
    init(line: String, environment: (String) -> String? = { _ in nil }) {
        self.init(line: line, of: CommandSet.all.table, environment: environment)
    }

    init(after words: [String], _ last: String, environment: (String) -> String? = { _ in nil }) {
        self.init(after: words, last, of: CommandSet.all.table, environment: environment)
    }
}

extension ScriptVariables {
    init(_ texts: [String: String] = [:], environment: [String: String] = [:]) {
        self.init(texts, environment: environment, keys: CommandSet.all.records.flatMap(\.allKeys))
    }
}

extension KnownFields {
    init(formats: FormatCatalogue) {
        self.init(formats: formats, keys: CommandSet.all.records.flatMap(\.allKeys))
    }
}

extension ResultScope {
    init(_ request: CommandRequest) { self.init(request, of: .all) }
}

extension LineFormat {
    init(_ template: String, for command: CommandName) throws(ValueProblem) {
        try self.init(template, for: command, printing: CommandSet.all.records(of: command))
    }
}
