// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

/// The options that every command accepts.
package enum GlobalSpec {
    package static let adapter = Option(
        value: "adapter",
        short: "i",
        .adapters,
        environment: "BLECTL_RADIO",
        environmentYieldsTo: ["radio", "simulate"],
        summary: "use this Bluetooth adapter; hci0,hci1 or all: several",
        details: """
            Without it, the first usable one. Instead of its name, an adapter's address (`blectl adapters`), which \
            stays when the numbers change, or a controller at `unix:PATH`, `tcp:HOST:PORT`, `serial:PORT` or `usb`: see \
            SEVERAL ADAPTERS and CONTROLLERS in `blectl(1)`.
            """
    )

    package static let waitAdapter = Option(
        value: "wait-adapter",
        .duration,
        summary: "wait this long for an adapter that is missing, off or blocked",
        details: """
            Without it, the command waits only for one that is coming up: at most 10 s while the kernel sets it up, \
            then 3 s until it is powered. With no adapter, or one that is off or blocked, it ends at once.
            """
    )

    package static let timeout = Option(
        value: "timeout",
        .duration,
        default: "10",
        summary: "how long one step may take",
        details: """
            See TIME AND COUNT LIMITS in `blectl(1)`.
            """
    )

    package static let deadline = Option(
        value: "deadline",
        .duration,
        summary: "how long the whole command may take",
        details: "It then cleans up and ends with status 124."
    )

    package static let json = Option(
        flag: "json",
        summary: "print one JSON object per line",
        details: "See JSON RECORDS in `blectl(1)`. Keys do not change."
    )

    package static let format = Option(
        value: "format",
        .lineTemplate,
        excludes: ["json"],
        summary: "print a line for each record by this template",
        details: """
            Keys of the records in braces, as in `'{name}\\t{rssi}'`: see JSON RECORDS in `blectl(1)`.
            """
    )

    package static let verbose = Option(
        count: "verbose",
        short: "v",
        excludes: ["quiet"],
        summary: "show ATT packets; -vv: HCI packets, too",
        details: "One decoded line each, on standard error."
    )

    package static let redact = Option(
        flag: "redact",
        summary: "no values, names and keys in messages, traces and captures",
        details: """
            For logs that leave the lab: see CAPTURES in `blectl(1)`. Remarks are left out, and errors do not name the \
            device, not even as records; other results are unchanged.
            """
    )

    package static let quiet = Option(
        flag: "quiet",
        short: "q",
        summary: "print nothing but results and errors"
    )

    package static let color = Option(
        value: "color",
        .choice("WHEN", of: ColorChoice.self),
        default: "auto",
        summary: "when to use colour"
    )

    package static let simulate = Option(
        optionalValue: "simulate",
        .text("WORLD", completion: .servedDevice),
        environment: "BLECTL_SIMULATE",
        excludes: ["radio"],
        summary: "use simulated devices instead of a radio",
        details: """
            The same protocol code talks to devices in memory, and needs no adapter or permission. WORLD, once or \
            several times, is a device of blectl (`blectl device list`), a device file or world file \
            (`blectl-device(5)`), `security` for devices that pair in every way, or the socket of a shared world \
            (`blectl-simulate(1)`).
            """
    )

    package static let simulateTime = Option(
        value: "simulate-time",
        .choice("CLOCK", of: SimulatedClock.self),
        default: "real",
        summary: "the clock of the simulated world",
        details: "Needs `--simulate` or `blectl simulate serve`."
    )

    package static let simulateSeed = Option(
        value: "simulate-seed",
        .integer("NUMBER", in: 0...UInt64.max),
        default: "1",
        summary: "the seed of the simulated world",
        details: """
            Needs `--simulate`. In virtual time the same seed and command give the same output, byte for byte.
            """
    )

    package static let simulateAdapter = Option(
        repeated: "simulate-adapter",
        .choice("STATE", of: SimulatedAdapterChoice.self),
        summary: "the state of the simulated adapter",
        details: "Needs `--simulate`. Repeatable."
    )

    package static let fault = Option(
        repeated: "fault",
        .fault,
        summary: "a fault that simulated or served devices show",
        details: """
            Such as `'read battery-level: error 0x0e after 2s once'`: see FAULTS in `blectl(1)`. Repeatable; needs \
            `--simulate` or `serve`.
            """
    )

    package static let privacy = Option(
        flag: "privacy",
        excludes: ["radio"],
        summary: "use private addresses that change, not that of the adapter",
        details: """
            For commands that scan, connect, pair or advertise. An adapter of the kernel is switched off and on for it, \
            which needs `CAP_NET_ADMIN`: see SECURITY in `blectl(1)`.
            """
    )

    package static let radio = Option(
        value: "radio",
        .radio,
        excludes: ["adapter", "simulate"],
        summary: "use a socket instead of a Bluetooth adapter",
        details: """
            ATT over a packet socket (`SOCK_SEQPACKET`), one PDU a packet, without adapter or permission. `serve` \
            listens; other commands talk to the device at the other end, whatever device they name.
            """
    )

    package static let capture = Option(
        value: "capture",
        .captureFile,
        summary: "write every packet to this file, for Wireshark",
        details: """
            As pcapng or pcap if the name ends with `.pcapng` or `.pcap`, otherwise btsnoop; it may be a named pipe: \
            see CAPTURES in `blectl(1)`.
            """
    )

    package static let diagram = Option(
        value: "diagram",
        .diagramFile,
        summary: "draw the run as a sequence diagram",
        details: """
            `.txt` is text, `.mmd` Mermaid, `.svg` a picture. It is written at the end of the run: see CAPTURES in \
            `blectl(1)`.
            """
    )

    package static let timing = Option(
        flag: "timing",
        summary: "report how long each part took, and what the link has",
        details: """
            For commands that scan or connect: each record has the member `timing`, and standard error two lines at \
            the end; `run` reports each step, `shell` each line.
            """
    )

    package static let formats = Option(
        value: "formats",
        .text("FILE", completion: .file),
        summary: "a file with the formats of private characteristics",
        details: """
            See `blectl-formats(5)`, also for the default.
            """
    )

    /// The long names of the options that `blectl -h` leaves out: those that change how something unusual is done,
    /// and those that everybody knows.
    static let unusual: Set<String> = Set(
        [
            waitAdapter.spec, simulateTime.spec, simulateSeed.spec, simulateAdapter.spec, fault.spec, formats.spec,
            radio.spec, color.spec, deadline.spec, format.spec, capture.spec, diagram.spec, timing.spec, privacy.spec,
            HelpOptions.help.spec, HelpOptions.version.spec,
        ].map(\.long)
    )

    package static let options: [OptionSpec] = [
        json.spec, format.spec, formats.spec, verbose.spec, redact.spec, quiet.spec, color.spec, adapter.spec,
        waitAdapter.spec,
        timeout.spec,
        deadline.spec,
        timing.spec, capture.spec, diagram.spec, privacy.spec, radio.spec, simulate.spec, simulateTime.spec,
        simulateSeed.spec,
        simulateAdapter.spec, fault.spec,
        HelpOptions.help.spec, HelpOptions.version.spec,
    ]
}

package enum ColorChoice: String, OptionChoice {
    case automatic = "auto"
    case always
    case never

    package var summary: String {
        switch self {
        case .automatic: "on a terminal, unless $NO_COLOR is set"
        case .always: "even into a file or a pipe"
        case .never: "not at all"
        }
    }
}

/// The value of `--radio`: a replacement for an adapter.
package enum RadioChoice: Hashable, Sendable {
    /// A packet socket with a name in the file system.
    case unix(path: String)

    /// The longest path that fits into the address of a socket, in octets: unix(7).
    package static let maximumPathLength = 107

    /// Parses `unix:PATH`; `nil` if the text has another form or the path is too long.
    package init?(_ text: String) {
        let path = text.dropFirst("unix:".count)
        guard text.hasPrefix("unix:"), (1...Self.maximumPathLength).contains(path.utf8.count) else { return nil }
        self = .unix(path: String(path))
    }
}

/// The values of `--simulate-time`.
package enum SimulatedClock: String, OptionChoice {
    /// The system's clock.
    case real
    /// A clock that jumps to the next event.
    case virtual

    package var summary: String {
        switch self {
        case .real: "the world moves as fast as the real one"
        case .virtual: "waiting takes no time, and every run is the same"
        }
    }
}

/// The values of `--simulate-adapter`: the states that `AdapterTrait` of SimulatedRadio has, as a test compares.
///
/// They are listed again, because commands do not know the simulated world: only the program brings both together. What a
/// state means is in `summary`.
package enum SimulatedAdapterChoice: String, OptionChoice {
    case off
    case blocked
    case lowEnergyOff = "le-off"
    case gone
    case coming
    case returning
    case unauthorized
    case full
    case held
    case hardBlocked = "hard-blocked"
    case inUse = "in-use"
    case managed
    case leftoverScan = "leftover-scan"
    case legacyCommands = "legacy-commands"
    case noFirmware = "no-firmware"
    case suspended
    case noDriver = "no-driver"
    case noKernel = "no-kernel"
    case unprepared
    case second

    package var summary: String {
        switch self {
        case .off: "off"
        case .blocked: "off and blocked by software"
        case .lowEnergyOff: "with Basic Rate, and Low Energy off"
        case .gone: "there is none"
        case .coming: "being set up, and powered after a second"
        case .returning: "pulled out after 2 s, plugged in after 4 s, powered after 5 s"
        case .unauthorized: "`blectl` lacks the capabilities `CAP_NET_RAW` and `CAP_NET_ADMIN`"
        case .full: "other programs have all its links, for 3 s"
        case .held: "another program is connected to each device, for 3 s"
        case .hardBlocked: "off and blocked by a switch of the machine"
        case .inUse: "another program uses it exclusively"
        case .managed: "`bluetoothd` manages it, and serves attributes on it"
        case .leftoverScan: "a killed program has left its scan running"
        case .legacyCommands: "a program has used legacy commands, so that it refuses extended ones"
        case .noFirmware: "its Realtek controller runs without its firmware"
        case .suspended: "suspended on USB, and silent until it was off"
        case .noDriver: "plugged in, and no driver has taken it"
        case .noKernel: "the kernel has no Bluetooth"
        case .unprepared: "no program has managed it yet, so that it pairs only after it was off"
        case .second: "a second adapter, hci1, works in another place"
        }
    }
}
