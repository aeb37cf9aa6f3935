// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Toolkit

extension RadioCommand {
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
}

package enum RadioAction: String, OptionChoice {
    case serve

    package var summary: String {
        switch self {
        case .serve: "lend it until interrupted"
        }
    }
}
