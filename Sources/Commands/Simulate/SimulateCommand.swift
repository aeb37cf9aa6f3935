// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// `blectl simulate`: keeps a simulated world alive, and changes it.
struct SimulateCommand: Command {
    static var commandName: CommandName { .simulate }
    static let recordSchemas: [RecordSchema] = [
        WorldResult.record.schema,
        WorldDeviceResult.record.schema,
        WorldAdapterResult.record.schema,
        WorldFaultResult.record.schema,
    ]

    static let action = Argument(
        required: .choice("ACTION", of: SimulateAction.self),
        summary: "what to do with the world"
    )

    static let arguments = Argument(
        any: .text("ARGUMENT"),
        summary: "the words in capitals after the action",
        details: "A device goes by its label, its advertised name, or its address."
    )

    static let socket = Option(
        value: "socket",
        .socketPath,
        summary: "the socket of the world",
        details: "Without it, that of `--simulate` or `$BLECTL_SIMULATE`."
    )

    static let seed = Option(
        value: "seed",
        .integer("NUMBER", in: 0...UInt64.max),
        default: "1",
        summary: "the seed of the random numbers, for 'serve'"
    )

    static let spec = CommandSpec(
        commandName,
        [.namesDevices, .keepsWorld],
        summary: "keep a simulated world, and touch it",
        discussion: [
            """
            `blectl simulate serve --socket PATH` keeps a world of simulated devices until it is interrupted, or until \
            `blectl simulate stop`. Commands join it with `--simulate=PATH`, or the path in `$BLECTL_SIMULATE`: what \
            one writes the next one reads, and a device that one serves is found by another's scan. Each command is a \
            machine with one adapter, whose links and advertising end with it. Time passes as in the real world.
            """,
            """
            With `--simulate-time virtual` its clock moves only while all commands in it wait, and then jumps: an hour \
            takes a second, and two runs are the same, octet for octet. The commands need no option for that, and keep \
            nothing outside the world. Endless commands and sessions let time pass until their first line; afterwards \
            they get what happens while others run. A command that stops while it has the turn holds up the others, \
            which name it.
            """,
            """
            The adapter has the first free address in the world. Commands that follow each other are therefore the \
            same machine, and share the keys of pairings.
            """,
            """
            The other actions do what a person does with a real device, and print the device as it is then. `set` \
            changes a value that a client could read, typed as for `blectl write`, and sends it to subscribers. A \
            generated value stays as set until a client writes it.
            """,
            """
            `power off` is for all commands that have joined, and that join until `power on`. `fault` adds a fault to \
            a device, or to all that it can concern; `fault clear` takes all away, also those of device files.
            """,
            """
            In a script, the step `world` does the same: see `blectl-script(5)`.
            """,
            """
            Other simulated commands have a world each: of all devices of blectl (`--simulate`), one of them \
            or a file (`--simulate=FILE`), or devices that pair, and fail to, in every way (`--simulate=security`). Their keys \
            are kept apart: see `blectl-bonds(1)`.
            """,
            """
            Only programs of the same user can use the socket (mode 0600). The socket of a killed program is replaced.
            """,
        ],
        arguments: [action.spec, arguments.spec],
        options: [socket.spec, seed.spec],
        groups: [.global],
        examples: [
            "blectl simulate serve --socket /tmp/world": "keep a world alive",
            "blectl --simulate=/tmp/world read battery-level -d 'Pulse HR'": "join it to read",
            "blectl simulate set 'Pulse HR' battery-level 12 --socket /tmp/world": "change a value, and notify",
            "blectl simulate out-of-range 'Pulse HR' --socket /tmp/world": "carry a device out of range",
            "blectl simulate fault 'Pulse HR' 'read: lose' --socket /tmp/world": "leave reads without an answer",
            "blectl simulate list --json --socket /tmp/world": "the devices and the adapters of the world",
            "blectl simulate stop --socket /tmp/world": "end the world",
        ],
        seeAlso: ["serve", "scan", "write"]
    )

    let options: SimulateOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try SimulateOptions(arguments)
    }

    func action(on found: String?) -> String { options.text }

    var askedWorld: String? { if case .serve = options.action { nil } else { options.socket } }

    /// A world is kept alive until it is interrupted.
    var limits: StopLimits? { if case .serve = options.action { StopLimits() } else { nil } }

    static let stepRefusal: String? = "'world' touches the world of the script; 'blectl simulate serve' runs beside it"
    static let stepWord: String? = "world"
    // The world of a step is that of the run, and needs no socket.
    static let stepOptions = ["--socket=blectl"]

    func stepProblem(isOnAir: Bool) -> String? {
        switch options.action {
        case .serve: "'serve' is not a step: it goes on until it is interrupted, so that it runs beside the script"
        case .ask(.stop): "'stop' is not a step: it would end the world of the run"
        case _ where isOnAir: "there is no world to touch: the run is on air"
        default: nil
        }
    }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await SimulateRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var simulate: CommandName { CommandName("simulate", SimulateCommand.self) }
}

package enum SimulateAction: String, OptionChoice {
    case serve
    case list
    case set
    case disconnect
    case connectable
    case signal
    case outOfRange = "out-of-range"
    case inRange = "in-range"
    case pause
    case release
    case database
    case fault
    case power
    case stop

    package var summary: String {
        switch self {
        case .serve: "[NAME|FILE...]: keep a world alive, of all devices of blectl, of some, or of files"
        case .list: "print its devices and adapters"
        case .set: "DEVICE TARGET VALUE: change a value, and notify"
        case .disconnect: "DEVICE: end its links"
        case .connectable: "DEVICE `on|off`: accept connections, or advertise that it accepts none"
        case .signal: "DEVICE DBM: change the strength of its signal"
        case .outOfRange: "DEVICE: carry it away; its links are lost"
        case .inRange: "DEVICE: bring it back"
        case .pause: "DEVICE: hold its answers back"
        case .release: "DEVICE: send them, and hold no more back"
        case .database: "DEVICE [NAME]: put another of its databases in place, or the first"
        case .fault:
            "[`add`] [DEVICE] FAULT, `list` [DEVICE] or `clear` [DEVICE]: add a fault, list them, or take them away"
        case .power: "`on|off`: power all adapters on or off"
        case .stop: "end the world"
        }
    }

    /// The words after the action as they are typed, with a space before them.
    var synopsis: String {
        // The summary of an action with words begins with these and a colon.
        let parts = Markup.plain(summary).split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? " \(parts[0])" : ""
    }
}
