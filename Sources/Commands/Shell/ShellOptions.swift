// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

struct ShellOptions: Sendable {
    /// The device to begin with; `nil` if a line is to name it.
    var device: DeviceOptions?
    var connection: ConnectionOptions
    /// The lines of the command line; empty to read them.
    var lines: [String]
    /// Whether lines are read as the terminal itself edits them.
    var isPlain: Bool
    /// Whether the first line that fails is the last one.
    var exitsOnError: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let reconnects = arguments[DeviceSpec.reconnect]
        connection = try ConnectionOptions(arguments, reconnects: reconnects)
        connection.observesLink = true
        lines = arguments[ShellCommand.line]
        isPlain = arguments[ShellCommand.plain]
        exitsOnError = arguments[ShellCommand.exitOnError]
        let isNamed =
            arguments[DeviceSpec.operand] != nil || arguments.isGiven(DeviceSpec.device)
            || arguments.isGiven(DeviceSpec.name)
            || arguments.isGiven(DeviceSpec.service)
        guard isNamed || arguments[GlobalSpec.radio] != nil else { return }
        device = try DeviceOptions(arguments, operand: arguments[DeviceSpec.operand], reconnects: reconnects)
        device?.connection.observesLink = true
    }
}

extension GlobalOptions {
    /// The options that are for a shell as a whole, and not for one of its lines.
    static var shellOptions: [OptionSpec] {
        [
            GlobalSpec.radio.spec, GlobalSpec.simulate.spec, GlobalSpec.simulateTime.spec, GlobalSpec.simulateSeed.spec,
            GlobalSpec.simulateAdapter.spec, GlobalSpec.formats.spec, GlobalSpec.capture.spec, GlobalSpec.diagram.spec,
            GlobalSpec.privacy.spec,
        ]
    }

    /// The options for a line of a shell that has these: options missing from the line are those of the shell.
    func forLine(_ line: ParsedArguments, of commands: CommandSet, isReconnecting: Bool) throws(UsageError)
        -> GlobalOptions
    {
        for option in Self.shellOptions where line.isGiven(option) {
            throw line.impossible(
                "'--\(option.long)' is for the shell as a whole",
                hint: "leave the shell, and give it after 'blectl shell'"
            )
        }
        if line.isGiven(DeviceSpec.reconnect.spec), !isReconnecting {
            throw line.impossible(
                "'--reconnect' is for the shell as a whole",
                hint: "the next line connects again in any case; for lines that wait: blectl shell --reconnect"
            )
        }
        // The simulated devices exist already.
        if line.isGiven(GlobalSpec.fault), !line.command.has(.servesFaults) {
            throw line.impossible(
                "'--fault' is for the shell as a whole",
                hint: "blectl --simulate shell --fault FAULT"
            )
        }
        let own = try GlobalOptions(line, of: commands)
        var options = self
        options.faults = own.faults
        options.deadline = own.deadline
        options.tellsTiming = own.tellsTiming || tellsTiming && line.command.canBeTimed
        if line.isGiven(GlobalSpec.json) || line.isGiven(GlobalSpec.format) {
            (options.streams.isJSON, options.streams.format) = (own.streams.isJSON, own.streams.format)
        }
        // `-q` and `-v` exclude each other, so that one of the line takes the place of the other of the shell.
        if line[GlobalSpec.quiet] { (options.streams.isQuiet, options.streams.verbosity) = (true, 0) }
        if own.streams.verbosity > 0 {
            (options.streams.isQuiet, options.streams.verbosity) = (false, own.streams.verbosity)
        }
        // A line can begin the redaction, but not end that of the shell.
        if own.streams.isRedacted { options.streams.isRedacted = true }
        if line.isGiven(GlobalSpec.color) { options.streams.color = own.streams.color }
        options.adapters = line.isGiven(GlobalSpec.adapter) ? own.adapters : adapters
        options.adapterTimeout = own.adapterTimeout ?? adapterTimeout
        if line.isGiven(GlobalSpec.timeout) { options.timeout = own.timeout }
        return options
    }
}
