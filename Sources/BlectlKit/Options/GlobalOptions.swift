// SPDX-License-Identifier: GPL-2.0-or-later

/// The options that every command accepts, as one value.
public struct GlobalOptions: Sendable, Equatable {
    /// What devices are reached through.
    public enum RadioSource: Sendable, Equatable {
        /// The adapters of the machine.
        case adapters
        /// A packet socket with one device at its other end, instead of an adapter.
        case socket(path: String)
        /// Devices in memory, on that clock.
        case simulation(SimulatedClock)
    }

    /// How standard output and standard error are written.
    public struct StreamOptions: Sendable, Equatable {
        /// Whether results are JSON objects (`--json`).
        public var isJSON = false
        /// Whether remarks are left out (`--quiet`).
        public var isQuiet = false
        /// How often `-v` was given.
        public var verbosity = 0
        /// When colour is used.
        public var color = ColorChoice.automatic
    }

    /// What devices are reached through.
    public var radio = RadioSource.adapters
    /// The seed of the simulated world.
    public var simulationSeed: UInt64 = 1
    /// What is the matter with the simulated adapter.
    public var simulatedAdapter: [SimulatedAdapterChoice] = []
    /// How standard output and standard error are written.
    public var streams = StreamOptions()
    /// The name of the adapter to use; `nil`: the first one that can be used.
    public var adapter: String?
    /// How long an adapter that is missing, off or blocked is waited for; `nil`: not at all.
    public var adapterPatience: Duration?
    /// How long one operation may take: a search, a discovery, a read, a write or a subscription.
    public var timeout = Duration.seconds(10)
    /// How long the whole command may take; `nil`: as long as it takes.
    public var deadline: Duration?

    /// The defaults.
    public init() {}
}

extension GlobalOptions {
    /// Reads them from a command line, which the parser has checked.
    init(_ arguments: ParsedArguments) {
        if case .unix(let path)? = arguments[GlobalSpec.radio] {
            radio = .socket(path: path)
        } else if arguments[GlobalSpec.simulate] {
            radio = .simulation(arguments[GlobalSpec.simulateTime])
        }
        simulationSeed = arguments[GlobalSpec.simulateSeed]
        simulatedAdapter = arguments[GlobalSpec.simulateAdapter]
        streams = StreamOptions(
            isJSON: arguments[GlobalSpec.json],
            isQuiet: arguments[GlobalSpec.quiet],
            verbosity: arguments[GlobalSpec.verbose],
            color: arguments[GlobalSpec.color]
        )
        adapter = arguments[GlobalSpec.adapter]
        adapterPatience = arguments[GlobalSpec.waitAdapter]
        timeout = arguments[GlobalSpec.timeout]
        deadline = arguments[GlobalSpec.deadline]
    }
}
