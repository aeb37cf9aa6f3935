// SPDX-License-Identifier: GPL-2.0-or-later

/// The command table: the commands of blectl in the order of their documentation.
///
/// It is the one source of the parser, of `-h` and `--help`, of the manual pages and of the completions.
///
/// To add an **option**, declare it as a static member in its command's file under `Commands/` and put its `spec` in
/// that file's `command`; the command reads it with `parsed[ScanSpec.duration]`. To add a **command**, add a case
/// here, a file under `Commands/`, and follow the compiler. Then `make man completions`.
public enum CommandName: String, CaseIterable, Sendable {
    /// `blectl scan`
    case scan
    /// `blectl inspect`
    case inspect
    /// `blectl read`
    case read
    /// `blectl write`
    case write
    /// `blectl notify`
    case notify
    /// `blectl watch`
    case watch
    /// `blectl serve`
    case serve
    /// `blectl adapters`
    case adapters
    /// `blectl adapter`
    case adapter
    /// `blectl completion`
    case completion
    /// `blectl help`
    case help
    /// `blectl version`
    case version

    /// The row of the table.
    public var spec: CommandSpec {
        switch self {
        case .scan: ScanSpec.command
        case .inspect: InspectSpec.command
        case .read: ReadSpec.command
        case .write: WriteSpec.command
        case .notify: NotifySpec.command
        case .watch: WatchSpec.command
        case .serve: ServeSpec.command
        case .adapters: AdaptersSpec.command
        case .adapter: AdapterSpec.command
        case .completion: CompletionSpec.command
        case .help: HelpSpec.command
        case .version: VersionSpec.command
        }
    }
}

extension CommandName {
    /// Whether the command is there for what it prints, and has nothing left to do when nobody reads that.
    var isForItsOutput: Bool {
        switch self {
        case .scan, .inspect, .read, .notify, .watch, .serve, .adapters, .completion, .help, .version: true
        case .write, .adapter: false
        }
    }
}

/// Questions about the table as a whole.
public enum CommandTable {
    /// Every command, in the order of the documentation.
    public static var commands: [CommandSpec] { CommandName.allCases.map(\.spec) }

    /// Every option that any command accepts, each once.
    ///
    /// An option means the same in every command that has it. That is what lets it stand before the command, too.
    public static let options: [OptionSpec] = {
        var options = OptionGroup.allCases.flatMap(\.options)
        for option in commands.flatMap(\.options) where !options.contains(where: { $0.long == option.long }) {
            options.append(option)
        }
        return options
    }()

    /// An option by its long name.
    ///
    /// - Parameter command: The command that it is probably for; whatever it is for, an option means the same.
    static func option(long: String, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.long == long }
    }

    /// An option by its letter.
    static func option(short: Character, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.short == short }
    }

    /// The rows of all commands are made only for an option that is neither everybody's nor the command's: to make them takes
    /// as long as all else that happens before a command begins.
    private static func option(for command: CommandName?, where matches: (OptionSpec) -> Bool) -> OptionSpec? {
        OptionGroup.global.options.first(where: matches)
            ?? command?.spec.allOptions.first(where: matches)
            ?? options.first(where: matches)
    }
}
