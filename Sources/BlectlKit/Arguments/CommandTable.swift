// SPDX-License-Identifier: GPL-2.0-or-later

/// The command table: the commands of blectl in the order of their documentation.
///
/// The parser, `-h` and `--help`, the manual pages and the completions are all made from it, so that they cannot
/// differ.
package enum CommandTable {
    /// All commands. A new one is a folder under `Commands/`, and its type here.
    static let types: [any Command.Type] = [
        ScanCommand.self, InspectCommand.self, ReadCommand.self, WriteCommand.self, NotifyCommand.self,
        WatchCommand.self, ProfileCommand.self, LinkCommand.self, ServeCommand.self, AdvertiseCommand.self,
        L2CAPCommand.self, BenchCommand.self, DeviceFileCommand.self, CloneCommand.self, DiffCommand.self,
        SimulateCommand.self, TraceCommand.self, RunCommand.self, SessionCommand.self, ShellCommand.self,
        PairCommand.self, UnpairCommand.self, BondsCommand.self, DevicesCommand.self, ForgetCommand.self,
        DecodeCommand.self, EncodeCommand.self, LookupCommand.self, AdaptersCommand.self, AdapterCommand.self,
        DoctorCommand.self, CompletionCommand.self, HelpCommand.self, VersionCommand.self,
    ]

    /// The type of a command.
    static func type(of name: CommandName) -> any Command.Type {
        guard let type = types.first(where: { $0.commandName == name }) else {
            preconditionFailure("'\(name.rawValue)' is not in the table of commands")
        }
        return type
    }

    /// Every command, in the order of the documentation.
    package static var commands: [CommandSpec] { types.map { $0.spec } }

    /// Every option of all commands, each once.
    ///
    /// An option has the same meaning in every command, so that it can be parsed before the command is known.
    package static let options: [OptionSpec] = {
        var options = OptionGroup.allCases.flatMap(\.options)
        for option in commands.flatMap(\.options) where !options.contains(where: { $0.long == option.long }) {
            options.append(option)
        }
        return options
    }()

    /// The option with that long name.
    ///
    /// - Parameter command: The command if it is known, which makes the search faster.
    static func option(long: String, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.long == long }
    }

    /// The option with that letter.
    static func option(short: Character, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.short == short }
    }

    /// Searches the options of all commands only if the global ones and the command's own do not match, because
    /// creating the rows of all commands takes as long as everything else before a command begins.
    private static func option(for command: CommandName?, where matches: (OptionSpec) -> Bool) -> OptionSpec? {
        OptionGroup.global.options.first(where: matches)
            ?? command?.spec.allOptions.first(where: matches)
            ?? options.first(where: matches)
    }
}
