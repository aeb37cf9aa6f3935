// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothDevices
package import BluetoothProfiles

/// The options of all commands.
package struct GlobalOptions: Sendable, Equatable {
    /// The connection to devices.
    package enum RadioSource: Sendable, Equatable {
        /// The adapters of the machine.
        case adapters
        /// A packet socket with one device at its other end.
        case socket(path: String)
        /// Simulated devices, with this clock.
        case simulation(SimulatedClock)
    }

    /// The form of standard output and standard error.
    package struct StreamOptions: Sendable, Equatable {
        /// Whether results are JSON objects (`--json`).
        package var isJSON = false
        /// The lines that stand for the JSON objects (`--format`); `nil` for none.
        package var format: LineFormat?
        /// Whether to print no remarks (`--quiet`).
        package var isQuiet = false
        /// The number of `-v`.
        package var verbosity = 0
        /// Whether messages are to carry no values, names and keys (`--redact`).
        package var isRedacted = false
        /// When to use colour.
        package var color = ColorChoice.automatic
    }

    /// The connection to devices.
    package var radio = RadioSource.adapters
    /// The values of `--simulate`: the socket of a world that processes share, or files; empty for the built-in devices.
    package var simulatedWorlds: [String] = []
    /// The first option, without its dashes, that only a world of this process can have; `nil` if there is none.
    package var privateWorldOption: String?
    /// The seed of the simulated world.
    package var simulationSeed: UInt64 = 1
    /// The troubles of the simulated adapter.
    package var simulatedAdapter: [SimulatedAdapterChoice] = []
    /// The faults of simulated or served devices.
    package var faults: [FaultText] = []
    /// The form of standard output and standard error.
    package var streams = StreamOptions()
    /// The file for the packets of the run; `nil` for none.
    package var capture: String?
    /// The file for a diagram of the run, or of the capture that `trace` reads; `nil` for none.
    package var diagram: DiagramFile?
    /// Whether to report the times and the negotiated properties of the link (`--timing`): of the command, of each step
    /// of a script, or of each line of a shell.
    package var tellsTiming = false
    /// The names and formats of private characteristics, beside the assigned ones.
    package var formats = FormatCatalogue.assigned
    /// Whether to use private addresses in place of the adapter's own (`--privacy`).
    package var wantsPrivacy = false
    /// The adapters.
    package var adapters = AdapterSelection.first
    /// The time to wait for an adapter that is missing, off or blocked; `nil` for none.
    package var adapterTimeout: Duration?
    /// The time limit of one search, discovery, read, write or subscription.
    package var timeout = Duration.seconds(10)
    /// The time limit of the whole command; `nil` for none.
    package var deadline: Duration?
    /// Whether links that sessions hold are used (`--no-session`). For all steps of a script and all lines of a shell.
    var usesSessions = true

    /// Whether the devices are simulated.
    var isSimulated: Bool {
        if case .simulation = radio { true } else { false }
    }

    /// Creates the defaults.
    package init() {}
}

extension GlobalOptions {
    /// The name or the address of the only adapter; `nil` if any one will do, or if there are several.
    var adapter: String? { adapters.name }

    /// Reads the options from a command line. Throws if one for the simulated world is given without `--simulate`: the
    /// command would run on the real radio.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        if arguments[GlobalSpec.simulate] == nil, let option = Self.simulationOption(arguments) {
            throw arguments.impossible("'--\(option)' is for the simulated world", hint: "add --simulate")
        }
        let hasWorldFaults = arguments.isGiven(GlobalSpec.fault) && arguments.command != .serve
        if arguments[GlobalSpec.simulate] == nil, hasWorldFaults {
            throw arguments.impossible("'--fault' is for simulated devices and for 'serve'", hint: "add --simulate")
        }
        if case .unix(let path)? = arguments[GlobalSpec.radio] {
            radio = .socket(path: path)
        } else if let worlds = arguments[GlobalSpec.simulate] {
            radio = .simulation(arguments[GlobalSpec.simulateTime])
            simulatedWorlds = worlds
            privateWorldOption = Self.simulationOption(arguments) ?? (hasWorldFaults ? GlobalSpec.fault.spec.long : nil)
        }
        simulationSeed = arguments[GlobalSpec.simulateSeed]
        simulatedAdapter = arguments[GlobalSpec.simulateAdapter]
        faults = arguments[GlobalSpec.fault]
        streams = StreamOptions(
            isJSON: arguments[GlobalSpec.json],
            format: try LineFormat(arguments),
            isQuiet: arguments[GlobalSpec.quiet],
            verbosity: arguments[GlobalSpec.verbose],
            isRedacted: arguments[GlobalSpec.redact],
            color: arguments[GlobalSpec.color]
        )
        capture = arguments[GlobalSpec.capture]
        if capture != nil, !arguments.command.has(.radio) {
            throw arguments.impossible("'\(arguments.command.rawValue)' sends no packets that '--capture' could write")
        }
        diagram = arguments[GlobalSpec.diagram]
        if diagram != nil, !arguments.command.has(.radio), !arguments.command.has(.drawsPackets) {
            throw arguments.impossible("'\(arguments.command.rawValue)' sends no packets that '--diagram' could draw")
        }
        tellsTiming = arguments[GlobalSpec.timing]
        if tellsTiming, !arguments.command.canBeTimed {
            throw arguments.impossible(
                "'\(arguments.command.rawValue)' makes no link that could be timed",
                hint: "'--timing' is for commands that scan or connect: blectl read battery-level --timing"
            )
        }
        wantsPrivacy = arguments[GlobalSpec.privacy]
        if wantsPrivacy, !arguments.command.has(.showsAddress) {
            throw arguments.impossible(
                "'\(arguments.command.rawValue)' sends nothing that could have a private address",
                hint: "'--privacy' is for commands that scan, connect or advertise"
            )
        }
        formats = arguments.formats
        adapters = arguments[GlobalSpec.adapter] ?? .first
        if adapters.isSeveral, arguments.command.has(.radio), arguments.command.has(.oneAdapter) {
            throw arguments.impossible(
                "'\(arguments.command.rawValue)' uses one adapter",
                hint: "name it: -i \(adapters.names.first ?? "hci0")"
            )
        }
        if adapters.isSeveral, wantsPrivacy {
            throw arguments.impossible(
                "'--privacy' is for one adapter",
                hint: "name it: -i \(adapters.names.first ?? "hci0")"
            )
        }
        adapterTimeout = arguments[GlobalSpec.waitAdapter]
        timeout = arguments[GlobalSpec.timeout]
        deadline = arguments[GlobalSpec.deadline]
        usesSessions = !arguments.isGiven(DeviceSpec.noSession.spec)
    }

    /// The first given option that has a meaning in the simulated world only.
    private static func simulationOption(_ arguments: ParsedArguments) -> String? {
        if arguments.isGiven(GlobalSpec.simulateTime) { return GlobalSpec.simulateTime.spec.long }
        if arguments.isGiven(GlobalSpec.simulateSeed) { return GlobalSpec.simulateSeed.spec.long }
        if arguments.isGiven(GlobalSpec.simulateAdapter) { return GlobalSpec.simulateAdapter.spec.long }
        return nil
    }
}

extension LineFormat {
    /// Reads the template from a command line; `nil` if it has none.
    fileprivate init?(_ arguments: ParsedArguments) throws(UsageError) {
        guard let template = arguments[GlobalSpec.format] else { return nil }
        do throws(ValueProblem) {
            try self.init(template, for: arguments.command, hasTiming: arguments[GlobalSpec.timing]) {
                (try? CommandTable.type(of: arguments.command).init(arguments))?.fields(in: arguments.formats) ?? []
            }
        } catch {
            throw arguments.invalid(GlobalSpec.format, template, error)
        }
    }
}
