// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records

extension GlobalOptions {
    /// The name or the address of the only adapter; `nil` if any one will do, or if there are several.
    package var adapter: String? { adapters.name }

    /// Whether other processes can be in the world of the command: not in virtual time of its own.
    package var mayShareLinks: Bool { radio != .simulation(.virtual) || sharesClock }

    /// Reads the options from a command line. Throws if one for the simulated world is given without `--simulate`: the
    /// command would run on the real radio.
    package init(_ arguments: ParsedArguments, of commands: CommandSet) throws(UsageError) {
        try takeWorld(arguments)
        streams = StreamOptions(
            isJSON: arguments[GlobalSpec.json],
            format: try LineFormat(arguments, of: commands),
            isQuiet: arguments[GlobalSpec.quiet],
            verbosity: arguments[GlobalSpec.verbose],
            isRedacted: arguments[GlobalSpec.redact],
            color: arguments[GlobalSpec.color]
        )
        capture = arguments[GlobalSpec.capture]
        diagram = arguments[GlobalSpec.diagram]
        tellsTiming = arguments[GlobalSpec.timing]
        wantsPrivacy = arguments[GlobalSpec.privacy]
        formats = arguments.formats
        adapters = arguments[GlobalSpec.adapter] ?? .first
        adapterTimeout = arguments[GlobalSpec.waitAdapter]
        timeout = arguments[GlobalSpec.timeout]
        deadline = arguments[GlobalSpec.deadline]
        usesSessions = !arguments.isGiven(DeviceSpec.noSession.spec)
        try checkUse(in: arguments)
    }

    /// Reads which radio is used, and the options of the simulated world.
    private mutating func takeWorld(_ arguments: ParsedArguments) throws(UsageError) {
        let keepsWorld = arguments.command.has(.keepsWorld)
        if arguments[GlobalSpec.simulate] == nil, !keepsWorld, let option = Self.simulationOption(arguments) {
            throw arguments.impossible("'--\(option)' is for the simulated world", hint: "add --simulate")
        }
        let hasWorldFaults = arguments.isGiven(GlobalSpec.fault) && !arguments.command.has(.servesFaults)
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
        if keepsWorld, arguments.isGiven(GlobalSpec.simulateTime) {
            // The clock of the world that it keeps alive.
            radio = .simulation(arguments[GlobalSpec.simulateTime])
        }
        simulationSeed = arguments[GlobalSpec.simulateSeed]
        simulatedAdapter = arguments[GlobalSpec.simulateAdapter]
        faults = arguments[GlobalSpec.fault]
    }

    /// Throws for an option that the command has no use for.
    private func checkUse(in arguments: ParsedArguments) throws(UsageError) {
        let command = arguments.command
        if capture != nil, !command.has(.radio) {
            throw arguments.impossible("'\(command.rawValue)' sends no packets that '--capture' could write")
        }
        if diagram != nil, !command.has(.radio), !command.has(.drawsPackets) {
            throw arguments.impossible("'\(command.rawValue)' sends no packets that '--diagram' could draw")
        }
        if tellsTiming, !command.canBeTimed {
            throw arguments.impossible(
                "'\(command.rawValue)' makes no link that could be timed",
                hint: "'--timing' is for commands that scan or connect: blectl read battery-level --timing"
            )
        }
        if wantsPrivacy, !command.has(.showsAddress) {
            throw arguments.impossible(
                "'\(command.rawValue)' sends nothing that could have a private address",
                hint: "'--privacy' is for commands that scan, connect or advertise"
            )
        }
        guard adapters.isSeveral else { return }
        let hint = "name it: -i \(adapters.names.first ?? "hci0")"
        if command.has(.radio), command.has(.oneAdapter) {
            throw arguments.impossible("'\(command.rawValue)' uses one adapter", hint: hint)
        }
        if wantsPrivacy { throw arguments.impossible("'--privacy' is for one adapter", hint: hint) }
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
    fileprivate init?(_ arguments: ParsedArguments, of commands: CommandSet) throws(UsageError) {
        guard let template = arguments[GlobalSpec.format] else { return nil }
        do throws(ValueProblem) {
            let command = arguments.command
            let hasTiming = arguments[GlobalSpec.timing]
            let records = commands.records(of: command)
                .map { $0.form(hasTiming: hasTiming && commands.canBeTimed($0)) }
            try self.init(template, for: command, printing: records, hasTiming: hasTiming) {
                (try? commands.type(of: command).init(arguments))?.fields(in: arguments.formats) ?? []
            }
        } catch {
            throw arguments.invalid(GlobalSpec.format, template, error)
        }
    }
}
