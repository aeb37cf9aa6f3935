// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
package import CommandLineInterface
package import Toolkit

/// Turns the words of a script into a request of blectl's command line.
package struct StepRequest {
    /// The limit of a command without one: a step must not block a script for ever.
    static let longestCommand = Duration.seconds(600)

    package let context: CommandContext
    package let variables: ScriptVariables
    package let environment: [String: String]

    /// The request of a command's step.
    ///
    /// - Parameters:
    ///   - device: The device of the step; `nil` for one that the words name.
    ///   - identifiers: The replacements for the names of declared devices among the arguments.
    ///   - isEndless: Whether the command runs in the background until it is stopped.
    package func request(
        _ command: CommandName,
        on device: ScriptDevice?,
        _ words: [ScriptWord],
        calling identifiers: [String: String] = [:],
        isEndless: Bool = false
    ) throws(BlectlError) -> CommandRequest {
        var texts = [command.rawValue] + radioWords + command.type.stepOptions
        // In simulated time, a command without a deadline ends when nothing comes for a while. A pause of the script
        // must not end the stream, so that it gets the longest deadline, a year.
        if isEndless { texts.append("--deadline=8760h") }
        if let device, command.spec.groups.contains(.device) {
            texts += try self.texts(device.options, of: command)
        }
        let own = try self.texts(words, of: command)
        let names = namedDevices(command, words, own, among: Array(identifiers.keys))
        texts += own.indices.map { index in names[index].flatMap { identifiers[$0] } ?? own[index] }
        return try parsed(texts)
    }

    /// The words of a command that are names of devices, by their indices. Only arguments can be, and quoted words are
    /// not: for `diff`, these are files.
    func namedDevices(
        _ command: CommandName,
        _ words: [ScriptWord],
        _ texts: [String],
        among names: [String]
    ) -> [Int: String] {
        guard command.has(.namesDevices) else { return [:] }
        var found: [Int: String] = [:]
        for (index, text) in texts.enumerated() where !words[index].isQuoted && names.contains(text) {
            func operands(_ end: Int) -> Int {
                ArgumentScanner([command.rawValue] + texts[..<end], context.commands.table).operands.count
            }
            // Otherwise it is the value of an option.
            if operands(index + 1) > operands(index) { found[index] = text }
        }
        return found
    }

    /// The declared devices that a command's arguments name.
    package func devices(
        namedBy command: CommandName,
        _ words: [ScriptWord],
        among names: [String]
    ) throws(BlectlError) -> Set<String> {
        guard command.has(.namesDevices) else { return [] }
        return Set(namedDevices(command, words, try texts(words, of: command), among: names).values)
    }

    /// The options of a device, by the parser of `inspect`, so that a script accepts the same options as a command
    /// line; and the adapters that it may use, if they are its own.
    package func options(
        of device: ScriptDevice,
        mustBeOnlyOne: Bool
    ) throws(BlectlError) -> (DeviceOptions, AdapterSelection?) {
        let command = context.commands.deviceCommand
        let texts = [command.rawValue] + radioWords + (try texts(device.options, of: command))
        let request = try parsed(texts)
        guard var options = request.command.device else {
            throw BlectlError(.internalError, "the options of a device are not those of '\(command.rawValue)'")
        }
        options.mustBeOnlyOne = mustBeOnlyOne
        // 'inspect' raises nothing, but the other steps on the same link do.
        options.connection.security.raisesOnDemand = !options.connection.leavesSecurity
        return (options, request.global.adapters == .first ? nil : request.global.adapters)
    }

    /// The option by which the parser knows that the device is at the other end of a socket.
    private var radioWords: [String] {
        if case .socket(let path) = context.options.radio { ["--radio=unix:\(path)"] } else { [] }
    }

    private func texts(_ words: [ScriptWord], of command: CommandName) throws(BlectlError) -> [String] {
        try StepCommandLine.texts(words, of: command, in: context.commands.table) { word throws(BlectlError) in
            try variables.text(word)
        }
    }

    private func parsed(_ texts: [String]) throws(BlectlError) -> CommandRequest {
        do throws(UsageError) {
            guard
                let arguments = try ParsedArguments(texts, of: context.commands.table, environment: { environment[$0] })
            else { throw UsageError(.impossible("this is not a step", hint: nil), command: nil) }
            return try CommandRequest(arguments, of: context.commands, formats: context.options.formats)
        } catch {
            // A value that a variable has brought is bad data; the reader has checked all others.
            throw BlectlError(.badData, error.message, hint: error.hint)
        }
    }
}

extension Script {
    /// Whether a step changes the device, so that no other one may be taken for it.
    package func changes(_ device: String) -> Bool {
        (setup + cleanup + tests.flatMap { $0.steps + $0.cleanup }).contains { changes(device, $0) }
    }

    private func changes(_ device: String, _ step: ScriptStep) -> Bool {
        switch step.action {
        case .command(let command, let name, _):
            command.has(.changesDevice) && (name ?? devices.first?.name) == device
        case .repeat(_, _, let steps): steps.contains { changes(device, $0) }
        default: false
        }
    }
}
