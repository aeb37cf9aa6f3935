// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl session`: holds a link for other commands.
struct SessionCommand: Command {
    static var commandName: CommandName { .session }
    static let recordSchemas: [RecordSchema] = [SessionResult.record.schema]

    static let action = Argument(
        required: .choice("ACTION", of: SessionAction.self),
        summary: "what to do"
    )

    static let session = Argument(
        optional: .text("SESSION", completion: .device),
        excludes: ["all"],
        summary: "the session, by its name, or its device's name or address"
    )

    static let label = Option(
        value: "label",
        .text("NAME"),
        summary: "the name of the session",
        details: """
            At most 32 letters, digits, dots, dashes and underscores; beside `--device`, `--name` is the same. Without \
            it, it is made from the device's name.
            """
    )

    static let idle = Option(
        value: "idle",
        .duration,
        summary: "end the session when no command has used it that long"
    )

    static let buffer = Option(
        value: "buffer",
        .integer("NUMBER", in: 0...1000),
        default: "0",
        summary: "keep so many values of a characteristic while no command listens",
        details: """
            A subscription then lasts until the session ends, also over lost links, and the next command that listens \
            first gets what came meanwhile. The oldest make room for new ones.
            """
    )

    static let foreground = Option(
        flag: "foreground",
        summary: "hold the link in this process, until it is interrupted",
        details: "For a service manager. Without it, a background process holds the link."
    )

    static let all = Option(
        flag: "all",
        summary: "stop all sessions"
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .showsAddress, .timesRecords, .holdsLink],
        summary: "hold a connection that later commands share",
        discussion: [
            """
            `blectl session start` connects, or fails, as other commands do, and leaves a background process that \
            holds the link. Then every command of the same user that means the device runs on that link, any number at \
            a time.
            """,
            """
            A command means the device of a session if `--device` names it, or the session; if `--name` or `--service` \
            fits it; or, without these, if it is the only session, unless its device is known to lack the service of \
            the command. Several that fit are an error. `--no-session` makes a connection of its own. In a simulated \
            world, only sessions of that world count; one in virtual time of a single command has none.
            """,
            """
            The device sees one client. Requests of several commands take turns, a subscription lasts as long as any \
            command listens, and long writes are not mixed. A lost link is made again; a running command fails as on a \
            link of its own, and one that begins meanwhile waits within `--connect-timeout`. The session ends if the \
            device refuses the key of its bond.
            """,
            """
            Each session has a socket in `$XDG_RUNTIME_DIR/blectl`, or `/tmp/blectl-UID`. The folder has mode 0700, \
            and other users' processes are refused. The next command removes the socket of a killed session; a session \
            whose socket is removed ends.
            """,
        ],
        arguments: [action.spec, session.spec],
        options: [label.spec, idle.spec, buffer.spec, foreground.spec, all.spec],
        groups: [.device, .link, .global],
        compatible: ["device", "name"],
        examples: [
            "blectl session start -d 'Pulse HR' --idle 10m": "hold a link until it is not used",
            "blectl read battery-level": "read on the link",
            "blectl session start -d 'Thermo 1' --buffer 100": "keep values for the next 'notify'",
            "blectl session list --json": "the sessions and who uses them",
            "blectl session stop --all": "end them",
        ],
        seeAlso: ["read", "write", "notify"]
    )

    let options: SessionOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try SessionOptions(arguments)
    }

    func action(on found: String?) -> String { options.text(found) }

    /// Only the process that holds the link uses an adapter.
    var usesRadio: Bool { holdsLink }

    var limits: StopLimits? {
        if case .start(let start, _) = options.action, start.isForeground, start.idle == nil {
            StopLimits()
        } else {
            nil
        }
    }

    private var holdsLink: Bool {
        if case .start(let start, _) = options.action { start.isForeground } else { false }
    }

    /// A session may be meant by the name of its device.
    var givenNames: [String] {
        switch options.action {
        case .start(_, let device): [device.selector?.givenName].compactMap(\.self)
        case .stop(let selection), .list(let selection): [selection.givenName].compactMap(\.self)
        }
    }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await SessionRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var session: CommandName { CommandName("session", SessionCommand.self) }
}

package enum SessionAction: String, OptionChoice {
    case start
    case list
    case stop

    package var summary: String {
        switch self {
        case .start: "connect to a device, and hold the link"
        case .list: "[SESSION]: print one, or all"
        case .stop: "[SESSION]: end one, or the only one"
        }
    }
}
