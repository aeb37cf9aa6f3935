// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothDevices
package import BluetoothProfiles
package import Records

package struct GlobalOptions: Sendable, Equatable {
    /// The connection to devices.
    package enum RadioSource: Sendable, Equatable {
        case adapters
        /// A packet socket with one device at its other end.
        case socket(path: String)
        case simulation(SimulatedClock)
    }

    /// The form of standard output and standard error.
    package struct StreamOptions: Sendable, Equatable {
        package var isJSON = false
        /// The lines that stand for the JSON objects (`--format`); `nil` for none.
        package var format: LineFormat?
        /// Whether to print no remarks (`--quiet`).
        package var isQuiet = false
        /// The number of `-v`.
        package var verbosity = 0
        /// Whether messages are to carry no values, names and keys (`--redact`).
        package var isRedacted = false
        package var color = ColorChoice.automatic
    }

    package var radio = RadioSource.adapters
    /// The values of `--simulate`: the socket of a world that processes share, or files; empty for the built-in devices.
    package var simulatedWorlds: [String] = []
    /// The first option, without its dashes, that only a world of this process can have; `nil` if there is none.
    package var privateWorldOption: String?
    /// Whether the virtual time of the command is that of a world which others share.
    package var sharesClock = false
    package var simulationSeed: UInt64 = 1
    package var simulatedAdapter: [SimulatedAdapterChoice] = []
    /// The faults of simulated or served devices.
    package var faults: [FaultText] = []
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
    package var adapters = AdapterSelection.first
    /// The time to wait for an adapter that is missing, off or blocked; `nil` for none.
    package var adapterTimeout: Duration?
    /// The time limit of one search, discovery, read, write or subscription.
    package var timeout = Duration.seconds(10)
    /// The time limit of the whole command; `nil` for none.
    package var deadline: Duration?
    /// Whether links that sessions hold are used (`--no-session`). For all steps of a script and all lines of a shell.
    package var usesSessions = true

    package var isSimulated: Bool {
        if case .simulation = radio { true } else { false }
    }

    package init() {}
}
