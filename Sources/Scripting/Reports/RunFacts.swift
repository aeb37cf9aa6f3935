// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
package import Toolkit

/// The facts of a report about the run as a whole: names and values.
package struct RunFacts: Sendable, Equatable {
    package var version: String
    /// The radio of the run: the name of the adapter, `simulation` or a socket.
    package var radio: String
    /// The seed of the simulated world; `nil` if there is none.
    package var seed: UInt64?

    package init(_ options: GlobalOptions) {
        version = Program.version
        switch options.radio {
        case .adapters: radio = options.adapters.text
        case .socket(let path): radio = "unix:\(path)"
        case .simulation(let clock):
            radio = "simulation, \(clock.rawValue) time"
            seed = options.simulationSeed
        }
    }

    package var properties: [(name: String, value: String)] {
        [("blectl.version", version), ("blectl.radio", radio)] + (seed.map { [("blectl.seed", "\($0)")] } ?? [])
    }
}
