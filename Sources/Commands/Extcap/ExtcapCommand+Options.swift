// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

/// What Wireshark asks of a helper.
package enum ExtcapAction: String, OptionChoice {
    case interfaces
    case dlts
    case config
    case capture

    package var summary: String {
        switch self {
        case .interfaces: "list the interfaces"
        case .dlts: "INTERFACE: tell the link type of its packets"
        case .config: "INTERFACE: tell its options, of which there are none"
        case .capture: "INTERFACE: write its packets to the file of `--capture`"
        }
    }

    var concernsOne: Bool { self != .interfaces }
}

extension ExtcapCommand {
    static let action = Argument(
        required: .choice("ACTION", of: ExtcapAction.self),
        summary: "what Wireshark asks for"
    )

    static let interface = Argument(
        optional: .text("INTERFACE"),
        summary: "the interface, such as `blectl-hci0`, `blectl-session-strap` or `blectl-world`"
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .showsAddress, .notForShells],
        summary: "give packets to Wireshark, as one of its interfaces",
        discussion: [
            """
            Wireshark and tshark start helpers for interfaces that they cannot capture. A link makes blectl one: \
            `mkdir -p ~/.config/wireshark/extcap; ln -s $(command -v blectl) ~/.config/wireshark/extcap/`. `tshark -i \
            blectl-hci0` then shows what is around.
            """,
            """
            Each adapter is an interface, such as `blectl-hci0`: while Wireshark captures, blectl scans with it, and \
            shows the commands of the scan and the advertisements. So is each session, such as `blectl-session-strap`: \
            all that its process exchanges with device and adapter, also for commands on its link. For the packets of \
            one command, see CAPTURES in `blectl(1)`. Wireshark's `bluetooth-monitor` has those of all programs.
            """,
            """
            With a world's socket in `$BLECTL_SIMULATE` (`blectl-simulate(1)`), `blectl-world` has the packets of all \
            programs in that world, each with an adapter of its own.
            """,
            """
            Wireshark's own words are understood without a command: `--extcap-interfaces`, `--extcap-interface`, \
            `--extcap-dlts`, `--extcap-config`, `--capture` and `--fifo`.
            """,
        ],
        arguments: [action.spec, interface.spec],
        groups: [.global],
        examples: [
            "blectl extcap interfaces": "what Wireshark lists",
            "blectl extcap capture blectl-hci0 --capture air.pcapng": "what Wireshark reads",
        ],
        seeAlso: [.scan, .trace]
    )
}
