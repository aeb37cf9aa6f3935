// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

struct SessionOptions: Sendable, Equatable {
    /// How a link is held.
    struct Start: Sendable, Equatable {
        /// The name of the session; `nil` for one that is made of the device's.
        var label: SessionLabel?
        /// The time without a client after which it ends; `nil` for none.
        var idle: Duration?
        /// The maximum number of values of a characteristic that are kept.
        var buffer = 0
        /// Whether this process holds the link.
        var isForeground = false
    }

    enum Action: Sendable, Equatable {
        case start(Start, DeviceOptions)
        case list(SessionSelection)
        case stop(SessionSelection)
    }

    var action: Action
}

extension SessionOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        let action = arguments[SessionCommand.action]
        let session = arguments[SessionCommand.session]
        if arguments[GlobalSpec.simulate] != nil, arguments[GlobalSpec.simulateTime] == .virtual {
            throw arguments.impossible(
                "'--simulate-time virtual' is for a world of one command, which has no sessions",
                hint: "share one: blectl simulate serve --simulate-time virtual --socket PATH"
            )
        }
        if action != .start {
            let isForStart =
                arguments.isGiven(SessionCommand.label) || arguments.isGiven(SessionCommand.idle)
                || arguments.isGiven(SessionCommand.buffer) || arguments.isGiven(SessionCommand.foreground)
            guard !isForStart else {
                throw arguments.impossible("'--label', '--idle', '--buffer' and '--foreground' are for 'start'")
            }
        }
        guard action == .start || !arguments[GlobalSpec.privacy] else {
            throw arguments.impossible("'--privacy' is for 'session start', which makes the link")
        }
        guard action == .start || !arguments[GlobalSpec.timing] else {
            throw arguments.impossible(
                "'--timing' is for 'session start', which makes the link",
                hint: "blectl session start -d DEVICE --timing"
            )
        }
        guard action == .stop || !arguments[SessionCommand.all] else {
            throw arguments.impossible("'--all' is for 'stop'")
        }
        guard action != .start || session == nil else {
            throw arguments.impossible("'start' takes no more", hint: "name the device with -d")
        }
        let label = try SessionLabel(arguments)
        switch action {
        // All of them, also where a variable names the device of commands.
        case .list: self.action = .list(try SessionSelection(arguments, arguments.isTyped(DeviceSpec.device)) ?? .all)
        case .stop: self.action = .stop(try SessionSelection(arguments, arguments.isGiven(DeviceSpec.device)) ?? .only)
        case .start:
            var device = try DeviceOptions(arguments)
            if let missing = device.missing {
                throw arguments.impossible(missing.message, hint: missing.hint)
            }
            device.usesSessions = false
            device.connection.observesLink = true
            let start = Start(
                label: label,
                idle: arguments[SessionCommand.idle],
                buffer: arguments[SessionCommand.buffer],
                isForeground: arguments[SessionCommand.foreground]
            )
            self.action = .start(start, device)
        }
    }
}

extension SessionSelection {
    /// Reads the session that a command line names; `nil` for none.
    ///
    /// - Parameter hasDevice: Whether `--device` counts.
    fileprivate init?(_ arguments: ParsedArguments, _ hasDevice: Bool) throws(UsageError) {
        if arguments[SessionCommand.all] {
            self = .all
        } else if let session = arguments[SessionCommand.session] {
            self = .named(session)
        } else if arguments.isGiven(DeviceSpec.name) || arguments.isGiven(DeviceSpec.service),
            let selector = try DeviceOptions(arguments, isNeeded: false).selector
        {
            self = .fitting(selector)
        } else if hasDevice, let device = arguments[DeviceSpec.device] {
            self = .named(device.description)
        } else {
            return nil
        }
    }
}

extension SessionLabel {
    /// Reads `--label`. Throws for `--name` beside `--device`, which other commands refuse.
    fileprivate init?(_ arguments: ParsedArguments) throws(UsageError) {
        if arguments.isGiven(DeviceSpec.device), let name = arguments[DeviceSpec.name] {
            throw arguments.impossible(
                "'--device' and '--name' cannot be used together: both say which device is meant",
                hint: "the name of the session: --label \(Prose.word(name))"
            )
        }
        guard let text = arguments[SessionCommand.label] else { return nil }
        guard let label = SessionLabel(text) else {
            throw arguments.invalid(
                SessionCommand.label,
                text,
                "expected 1 to 32 letters, digits, dots, dashes or underscores"
            )
        }
        self = label
    }
}

extension SessionOptions {
    func text(_ found: String?) -> String {
        switch action {
        case .start(_, let device): "start a session with \(device.text(found))"
        case .list: "list sessions"
        case .stop(.all): "stop all sessions"
        case .stop(.named(let name)): "stop the session \(Prose.quoted(name))"
        case .stop(.fitting), .stop(.only): "stop the session"
        }
    }
}
