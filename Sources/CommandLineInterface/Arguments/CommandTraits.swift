// SPDX-License-Identifier: GPL-2.0-or-later

/// What kind of command it is: what the program, scripts, sessions, the shell and the documentation ask of it before it
/// is parsed.
package struct CommandTraits: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `blectl -h` describes the command in a line, because a new user looks for it. The others are named there, so
    /// that the help fits one screen.
    package static let common = CommandTraits(rawValue: 1 << 0)
    /// It uses an adapter, a real or a simulated one.
    package static let radio = CommandTraits(rawValue: 1 << 1)
    /// It uses one adapter only, which may be named, and not several or one of several.
    package static let oneAdapter = CommandTraits(rawValue: 1 << 2)
    /// Packets of the command reveal the address of this machine: it scans, connects or advertises.
    package static let showsAddress = CommandTraits(rawValue: 1 << 3)
    /// It connects to one device, and ends with that link.
    package static let oneDevice = CommandTraits(rawValue: 1 << 4)
    /// It pairs with a device that demands it although pairing is not its purpose, and has a record of that. The steps
    /// of a script and sessions have no such record.
    package static let pairsOnDemand = CommandTraits(rawValue: 1 << 5)
    /// Its records can have the times of the run (`--timing`).
    package static let timesRecords = CommandTraits(rawValue: 1 << 6)
    /// It consists of commands: steps of a script, or lines of a shell. They have times, and may ask, of their own.
    package static let hasParts = CommandTraits(rawValue: 1 << 7)
    /// Its only purpose is its output, so that it ends when the reader of the output is gone. Others have an effect
    /// besides: on a device, on an adapter, or in a file.
    package static let forItsOutput = CommandTraits(rawValue: 1 << 8)
    /// It needs no adapter, but names the devices of which something is kept.
    package static let keptDevices = CommandTraits(rawValue: 1 << 9)
    /// It names services or attributes, or shows values, so that it reads the user's formats.
    package static let formats = CommandTraits(rawValue: 1 << 10)
    /// In the background of a script it is a stream of records.
    package static let stream = CommandTraits(rawValue: 1 << 11)
    /// Its arguments name devices, so that it has no device option.
    package static let namesDevices = CommandTraits(rawValue: 1 << 12)
    /// A line of the shell cannot be the command.
    package static let notForShells = CommandTraits(rawValue: 1 << 13)
    /// It draws a diagram although it uses no radio.
    package static let drawsPackets = CommandTraits(rawValue: 1 << 14)
    /// `--fault` is for the device that it serves, and not for a simulated world.
    package static let servesFaults = CommandTraits(rawValue: 1 << 15)
    package static let changesLink = CommandTraits(rawValue: 1 << 16)
    /// It compares devices or files, and finds the devices itself.
    package static let comparesDevices = CommandTraits(rawValue: 1 << 17)

    package static let holdsLink = CommandTraits(rawValue: 1 << 18)
    /// Each of its lines is a command of its own, with its own end and its own session.
    package static let isShell = CommandTraits(rawValue: 1 << 19)

    /// It changes values of its device, so that no other one may be taken for it.
    package static let changesDevice = CommandTraits(rawValue: 1 << 20)
    package static let endsLinks = CommandTraits(rawValue: 1 << 21)

    /// It keeps a simulated world alive, whose clock it may choose.
    package static let keepsWorld = CommandTraits(rawValue: 1 << 22)

    /// Connects to one device, and does what it is asked for there.
    package static let deviceCommand: CommandTraits = [
        .radio, .showsAddress, .oneDevice, .pairsOnDemand, .timesRecords,
    ]
}

extension CommandName {
    package func has(_ trait: CommandTraits) -> Bool { spec.traits.contains(trait) }

    /// Whether `--timing` has an effect: the command scans or connects, or its steps do.
    package var canBeTimed: Bool { has(.timesRecords) || has(.hasParts) }
}
