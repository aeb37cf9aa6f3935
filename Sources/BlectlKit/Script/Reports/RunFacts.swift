// SPDX-License-Identifier: GPL-2.0-or-later

/// The facts of a report about the run as a whole: names and values.
struct RunFacts: Sendable, Equatable {
    /// The version of blectl.
    var version: String
    /// The radio of the run: the name of the adapter, `simulation` or a socket.
    var radio: String
    /// The seed of the simulated world; `nil` if there is none.
    var seed: UInt64?

    init(_ options: GlobalOptions) {
        version = Program.version
        switch options.radio {
        case .adapters: radio = options.adapters.text
        case .socket(let path): radio = "unix:\(path)"
        case .simulation(let clock):
            radio = "simulation, \(clock.rawValue) time"
            seed = options.simulationSeed
        }
    }

    var properties: [(name: String, value: String)] {
        [("blectl.version", version), ("blectl.radio", radio)] + (seed.map { [("blectl.seed", "\($0)")] } ?? [])
    }
}
