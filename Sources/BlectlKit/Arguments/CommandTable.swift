// SPDX-License-Identifier: GPL-2.0-or-later

/// The command table: the commands of blectl in the order of their documentation.
///
/// The parser, `-h` and `--help`, the manual pages and the completions are all made from it, so that they cannot
/// differ.
///
/// To add an **option**, declare it as a static member in its command's file under `Commands/` and put its `spec` in
/// that file's `command`; a member of the command's type under `Options/` takes `parsed[ScanSpec.duration]`. To add a
/// **command**, add a case here, a file under `Commands/`, and follow the compiler. Then `make man`.
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
    /// `blectl profile`
    case profile
    /// `blectl link`
    case link
    /// `blectl serve`
    case serve
    /// `blectl advertise`
    case advertise
    /// `blectl l2cap`
    case l2cap
    /// `blectl bench`
    case bench
    /// `blectl device`
    case device
    /// `blectl clone`
    case clone
    /// `blectl diff`
    case diff
    /// `blectl simulate`
    case simulate
    /// `blectl trace`
    case trace
    /// `blectl run`
    case run
    /// `blectl session`
    case session
    /// `blectl shell`
    case shell
    /// `blectl pair`
    case pair
    /// `blectl unpair`
    case unpair
    /// `blectl bonds`
    case bonds
    /// `blectl devices`
    case devices
    /// `blectl forget`
    case forget
    /// `blectl decode`
    case decode
    /// `blectl encode`
    case encode
    /// `blectl lookup`
    case lookup
    /// `blectl adapters`
    case adapters
    /// `blectl adapter`
    case adapter
    /// `blectl doctor`
    case doctor
    /// `blectl completion`
    case completion
    /// `blectl help`
    case help
    /// `blectl version`
    case version

    /// The command's row in the table.
    public var spec: CommandSpec {
        switch self {
        case .scan: ScanSpec.command
        case .inspect: InspectSpec.command
        case .read: ReadSpec.command
        case .write: WriteSpec.command
        case .notify: NotifySpec.command
        case .watch: WatchSpec.command
        case .profile: ProfileSpec.command
        case .link: LinkSpec.command
        case .serve: ServeSpec.command
        case .advertise: AdvertiseSpec.command
        case .l2cap: L2CAPSpec.command
        case .bench: BenchSpec.command
        case .device: DeviceFileSpec.command
        case .clone: CloneSpec.command
        case .diff: DiffSpec.command
        case .simulate: SimulateSpec.command
        case .trace: TraceSpec.command
        case .run: RunSpec.command
        case .session: SessionSpec.command
        case .shell: ShellSpec.command
        case .pair: PairSpec.command
        case .unpair: UnpairSpec.command
        case .bonds: BondsSpec.command
        case .devices: DevicesSpec.command
        case .forget: ForgetSpec.command
        case .decode: DecodeSpec.command
        case .encode: EncodeSpec.command
        case .lookup: LookupSpec.command
        case .adapters: AdaptersSpec.command
        case .adapter: AdapterSpec.command
        case .doctor: DoctorSpec.command
        case .completion: CompletionSpec.command
        case .help: HelpSpec.command
        case .version: VersionSpec.command
        }
    }

    /// The command with that name; `nil` if there is none. `init(rawValue:)` would make a table of all names first,
    /// which takes longer than to look at each once.
    static func named(_ word: String) -> CommandName? { allCases.first { $0.rawValue == word } }
}

extension CommandName {
    /// Whether `blectl -h` describes the command in a line, because a new user looks for it. The others are named
    /// there, so that the help fits one screen.
    var isCommon: Bool {
        switch self {
        case .scan, .inspect, .read, .write, .notify, .watch, .profile, .link, .serve, .run, .session, .shell, .pair,
            .adapters, .doctor, .help:
            true
        case .advertise, .l2cap, .bench, .device, .clone, .diff, .simulate, .trace, .unpair, .bonds, .devices, .forget,
            .decode, .encode, .lookup, .adapter,
            .completion, .version:
            false
        }
    }

    /// Whether the command uses an adapter, a real or a simulated one.
    public var usesRadio: Bool {
        switch self {
        case .scan, .inspect, .read, .write, .notify, .watch, .profile, .link, .serve, .advertise, .l2cap, .bench,
            .clone, .diff, .run,
            .session, .shell, .pair, .unpair, .adapters, .adapter, .doctor:
            true
        case .simulate, .device, .trace, .bonds, .devices, .forget, .decode, .encode, .lookup, .completion, .help,
            .version:
            false
        }
    }

    /// Whether the command needs no adapter, but names the devices of which something is kept.
    public var showsKeptDevices: Bool { [.bonds, .devices, .forget].contains(self) }

    /// Whether packets of the command reveal the address of this machine: it scans, connects or advertises.
    var showsAddress: Bool {
        switch self {
        case .scan, .serve, .advertise, .diff, .run, .session, .shell: true
        default: connectsToOneDevice
        }
    }

    /// Whether the command connects to one device, and ends with that link.
    var connectsToOneDevice: Bool {
        switch self {
        case .inspect, .read, .write, .notify, .watch, .profile, .link, .l2cap, .bench, .clone, .pair: true
        case .scan, .serve, .advertise, .diff, .run, .session, .shell, .unpair, .adapters, .adapter, .doctor, .simulate,
            .device, .trace, .bonds, .devices, .forget, .decode, .encode, .lookup, .completion, .help, .version:
            false
        }
    }

    /// Whether the command pairs with a device that demands it although pairing is not its purpose, and has a record of
    /// that. The steps of a script and sessions have no such record.
    var pairsOnDemand: Bool {
        switch self {
        case .pair: false
        case .diff, .shell: true
        default: connectsToOneDevice
        }
    }

    /// Whether `--timing` has an effect: the command scans or connects, or its steps do.
    var canBeTimed: Bool {
        switch self {
        case .run, .shell: true
        default: timesItsRecords
        }
    }

    /// Whether the records of the command itself can have the times.
    var timesItsRecords: Bool {
        switch self {
        case .scan, .diff, .session: true
        default: connectsToOneDevice
        }
    }

    /// Whether the command can use several adapters at once, or choose one of several.
    var usesSeveralAdapters: Bool {
        switch self {
        case .serve, .advertise, .unpair, .adapter: false
        default: usesRadio
        }
    }

    /// Whether the command's only purpose is its output, so that it ends when the reader of the output is gone.
    var isForItsOutput: Bool {
        switch self {
        case .scan, .inspect, .read, .notify, .watch, .link, .serve, .device, .diff, .trace, .decode, .encode, .lookup,
            .adapters, .doctor, .bonds, .devices,
            .completion, .help, .version:
            true
        // These have an effect besides their output: on a device, on an adapter, or in a file, as `clone --output` has.
        case .write, .profile, .advertise, .l2cap, .bench, .clone, .simulate, .run, .session, .shell, .pair, .unpair,
            .forget, .adapter:
            false
        }
    }
}

/// Queries of the whole table.
public enum CommandTable {
    /// Every command, in the order of the documentation.
    public static var commands: [CommandSpec] { CommandName.allCases.map(\.spec) }

    /// Every option of all commands, each once.
    ///
    /// An option has the same meaning in every command, so that it can be parsed before the command is known.
    public static let options: [OptionSpec] = {
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
