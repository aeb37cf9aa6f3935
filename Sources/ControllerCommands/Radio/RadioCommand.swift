// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
package import CommandLineInterface
package import Records
import Terminal
package import Toolkit

/// `blectl radio`: lends a controller that only one process can have.
package struct RadioCommand: Command {
    package static var commandName: CommandName { .radio }
    package static let recordSchemas: [RecordSchema] = [RadioResult.record.schema]
    package static let stepRefusal: String? = "'radio' lends a controller to other commands; it runs beside the script"

    static let action = Argument(optional: .choice("ACTION", of: RadioAction.self), summary: "what to do with it")

    static let socket = Option(value: "socket", .socketPath, summary: "the socket for other commands")

    static let stdio = Option(
        flag: "stdio",
        excludes: ["socket"],
        summary: "lend an adapter through standard input and output",
        details: "For `-i ssh:HOST`, which runs this on the other machine. Adapters of the kernel can be lent, too."
    )

    package static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter],
        summary: "lend a controller to several processes",
        discussion: [
            """
            `blectl radio serve` is the one host of a controller at a socket or serial port: it brings it up once, and \
            lends it until it is interrupted. Other commands use it with `-i unix:PATH`, or `$BLECTL_RADIO`, side by \
            side and without resetting it. As on an adapter of the kernel, they take turns where only one can have \
            something, such as the link to a device.
            """,
            """
            Links, scan and advertising of a command end with it, also if it is killed. If the controller is lost, \
            this command and all on it end with status 75.
            """,
            """
            Only programs of the same user can use the socket (mode 0600). The socket of a killed program is replaced.
            """,
        ],
        arguments: [action.spec],
        options: [socket.spec, stdio.spec],
        groups: [.global],
        examples: [
            "blectl radio serve -i serial:/dev/ttyACM0 --socket /tmp/radio": "lend the controller on a board",
            "blectl -i unix:/tmp/radio scan --duration 5": "use it",
        ]
    )

    /// The path of the socket; `nil` for standard input and output.
    private let socket: String?

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments[Self.stdio] else {
            socket = nil
            return
        }
        guard let adapter = (arguments[GlobalSpec.adapter] ?? .first).name, ControllerPlace(adapter) != nil else {
            throw arguments.impossible(
                "'radio' lends a controller that is not the kernel's, and '--adapter' names none",
                hint: "blectl radio serve -i tcp:localhost:6402 --socket /tmp/radio; see 'blectl help controllers'"
            )
        }
        guard !arguments.isGiven(GlobalSpec.simulate), !arguments.isGiven(GlobalSpec.radio) else {
            throw arguments.impossible("'radio' lends a controller, and '--simulate' and '--radio' use none")
        }
        guard let socket = arguments[Self.socket] else {
            throw arguments.impossible("no socket is given", hint: "--socket PATH, or --stdio for ssh")
        }
        self.socket = socket
    }

    package func action(on found: String?) -> String { "lend the controller at \(socket ?? "standard output")" }

    /// The controller is lent until the command is interrupted.
    package var limits: StopLimits? { StopLimits() }

    /// Brings the controller up, and lends it until it is lost or the task is cancelled.
    package func run(in context: CommandContext) async throws {
        let (output, time) = (context.output, context.time)
        do {
            guard let lend = context.process.lend else { throw RadioError(.unsupported, during: "radio") }
            guard let socket else { return try await lend(context.system, nil) {} }
            let adapters = try await context.system.adapters()
            guard let adapter = adapters.first else { throw RadioError(.noAdapter, during: "radio") }
            try await lend(context.system, socket) {
                try await output.announce(
                    RadioResult(socket: socket, adapter: adapter, timestamp: Timestamp(time))
                )
            }
        } catch let error as RadioError {
            throw BlectlError(error, doing: action)
        }
    }
}

extension CommandName {
    package static var radio: CommandName { CommandName("radio", RadioCommand.self) }
}

package enum RadioAction: String, OptionChoice {
    case serve

    package var summary: String {
        switch self {
        case .serve: "lend it until interrupted"
        }
    }
}

/// Other processes can use a controller.
struct RadioResult: RecordedResult {
    let socket: String
    let adapter: AdapterDescription
    let timestamp: Timestamp

    static let record = RecordKind<Self>("radio", "a controller that is lent to other commands") {
        RecordField("socket", .string, "path of its socket") { $0.socket }
        RecordField("adapter", .string, "controller, as `--adapter` names it") { $0.adapter.name }
        RecordField("address", orNull: .string, "its public address, if it has one") {
            $0.adapter.address.rawValue == 0 ? nil : $0.adapter.address.description
        }
    }

    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.escaped(adapter.name)
        return "lending \(name) at \(style.paint(TerminalText.escaped("unix:\(socket)"), .bold))"
    }
}
