// SPDX-License-Identifier: GPL-2.0-or-later

/// Turns the words of a script into what blectl's own command line means by them.
struct StepRequest {
    /// The limit of a command that has none of its own: no step may hold up a script for ever.
    static let longestCommand = Duration.seconds(600)

    let context: CommandContext
    let variables: ScriptVariables
    let environment: [String: String]

    /// The request of a command's step.
    ///
    /// - Parameters:
    ///   - device: The device of the step; `nil` for one that the words name.
    ///   - isEndless: Whether the command runs in the background until it is stopped.
    func request(
        _ command: CommandName,
        on device: ScriptDevice?,
        _ words: [ScriptWord],
        isEndless: Bool = false
    ) throws(BlectlError) -> CommandRequest {
        var texts = [command.rawValue] + radioWords
        // Only a limit of the world ends it: it must not take the pauses of the script for the end.
        if isEndless { texts.append("--deadline=8760h") }
        if let device, command.spec.groups.contains(.device) {
            texts += try self.texts(device.options)
        }
        texts += try self.texts(words)
        return try parsed(texts)
    }

    /// The options of a device, by the parser of `inspect`, so that a script accepts the same options as a command
    /// line; and the adapters that it may use, if they are its own.
    func options(
        of device: ScriptDevice,
        mustBeOnlyOne: Bool
    ) throws(BlectlError) -> (DeviceOptions, AdapterSelection?) {
        let texts = [CommandName.inspect.rawValue] + radioWords + (try texts(device.options))
        let request = try parsed(texts)
        guard case .inspect(_, var options) = request.command else {
            throw BlectlError(.internalError, "the options of a device are not those of 'inspect'")
        }
        options.mustBeOnlyOne = mustBeOnlyOne
        return (options, request.global.adapters == .first ? nil : request.global.adapters)
    }

    /// The option that tells the parser that the device is at the other end of a socket.
    private var radioWords: [String] {
        if case .socket(let path) = context.options.radio { ["--radio=unix:\(path)"] } else { [] }
    }

    private func texts(_ words: [ScriptWord]) throws(BlectlError) -> [String] {
        try StepCommandLine.texts(words) { word throws(BlectlError) in try variables.text(word) }
    }

    private func parsed(_ texts: [String]) throws(BlectlError) -> CommandRequest {
        do throws(UsageError) {
            guard case .run(let arguments) = try Invocation(texts, environment: { environment[$0] }) else {
                throw UsageError(.impossible("this is no step", hint: nil), command: nil)
            }
            return try CommandRequest(arguments, formats: context.options.formats)
        } catch {
            // A value that a variable has brought is bad data; the reader has checked all others.
            throw BlectlError(.badData, error.message, hint: error.hint)
        }
    }
}

extension CommandName {
    /// Whether the command can run in the background of a script.
    var canStream: Bool { self == .notify || self == .watch || self == .scan }

    /// Whether its step has a device.
    var hasDevice: Bool { spec.groups.contains(.device) }
}

extension Script {
    /// Whether a step changes the device, so that no other one may be taken for it.
    func changes(_ device: String) -> Bool {
        (setup + cleanup + tests.flatMap { $0.steps + $0.cleanup }).contains { changes(device, $0) }
    }

    private func changes(_ device: String, _ step: ScriptStep) -> Bool {
        switch step.action {
        case .command(.write, let name, _), .command(.profile, let name, _): (name ?? devices.first?.name) == device
        case .repeat(_, _, let steps): steps.contains { changes(device, $0) }
        default: false
        }
    }
}
