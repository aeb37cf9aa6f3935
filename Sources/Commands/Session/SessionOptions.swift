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

    enum Selection: Sendable, Equatable {
        case all
        /// By its name, or its device's name or address.
        case named(String)
        case only
    }

    enum Action: Sendable, Equatable {
        case start(Start, DeviceOptions)
        case list
        case stop(Selection)
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
        guard action == .stop || session == nil && !arguments[SessionCommand.all] else {
            throw arguments.impossible(
                session == nil ? "'--all' is for 'stop'" : "'\(action.rawValue)' takes no more",
                hint: action == .start ? "name the device with -d" : nil
            )
        }
        switch action {
        case .list: self.action = .list
        case .stop:
            let named = session ?? arguments[DeviceSpec.device]?.description ?? arguments[DeviceSpec.name]
            self.action = .stop(arguments[SessionCommand.all] ? .all : named.map { .named($0) } ?? .only)
        case .start:
            var device = try DeviceOptions(arguments)
            if let missing = device.missing {
                throw arguments.impossible(missing.message, hint: missing.hint)
            }
            device.usesSessions = false
            device.connection.observesLink = true
            let start = Start(
                label: try SessionLabel(arguments),
                idle: arguments[SessionCommand.idle],
                buffer: arguments[SessionCommand.buffer],
                isForeground: arguments[SessionCommand.foreground]
            )
            self.action = .start(start, device)
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
        case .stop(.only): "stop the session"
        }
    }
}
