// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
package import Records
package import Toolkit

/// `blectl extcap`: gives packets to Wireshark.
package struct ExtcapCommand: Command {
    package static var commandName: CommandName { .extcap }
    package static let recordSchemas: [RecordSchema] = [CaptureInterfaceResult.record.schema]

    static let action = Argument(
        required: .choice("ACTION", of: ExtcapAction.self),
        summary: "what Wireshark asks for"
    )

    static let interface = Argument(
        optional: .text("INTERFACE"),
        summary: "the interface, such as `blectl-hci0`, `blectl-session-strap` or `blectl-world`"
    )

    package static let spec = CommandSpec(
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
        seeAlso: ["scan", "trace"]
    )

    let task: ExtcapAction
    /// The interface; `nil` where the action concerns all.
    let interface: CaptureInterface?

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        task = arguments[Self.action]
        let interface = arguments[Self.interface]
        self.interface = interface.map { CaptureInterface($0) }
        guard task.concernsOne == (interface != nil) else {
            throw arguments.impossible(
                task.concernsOne
                    ? "'\(task.rawValue)' needs an interface" : "'\(task.rawValue)' is about all interfaces",
                hint: "what there is: blectl extcap interfaces"
            )
        }
        guard (task == .capture) == (arguments[GlobalSpec.capture] != nil) else {
            throw arguments.impossible(
                task == .capture
                    ? "'capture' needs a file or a pipe for the packets" : "'\(task.rawValue)' has no packets",
                hint: "blectl extcap capture INTERFACE --capture FILE"
            )
        }
    }

    package func action(on found: String?) -> String { "give packets to Wireshark" }

    package static let stepRefusal: String? = forCommandLine

    package var usesRadio: Bool { true }

    /// Wireshark reads pcapng whatever the name of its pipe is, and opens the pipe later.
    package var captureStyle: CaptureStyle { .pipeForWireshark }

    package func run(in context: CommandContext) async throws {
        try await ExtcapRun(command: self, context: context).run()
    }
}

extension ExtcapCommand {
    /// The words of a command line for those with which Wireshark starts its helpers; `nil` for others. A link to the
    /// program in Wireshark's folder needs no script around it.
    ///
    /// ```
    /// --extcap-interfaces                           extcap interfaces
    /// --extcap-interface blectl-hci0 --extcap-dlts  extcap dlts blectl-hci0
    /// --capture --extcap-interface blectl-hci0 --fifo F
    ///                                               extcap capture --capture F blectl-hci0
    /// ```
    ///
    /// Spec: https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
    package static func words(forWireshark arguments: [String]) -> [String]? {
        var action: ExtcapAction?
        var (interface, pipe): (String?, String?)
        var isExtcap = false
        var words = arguments[...]
        if words.first == "extcap" { words = words.dropFirst() }
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var value: String? { parts.count == 2 ? String(parts[1]) : words.popFirst() }
            isExtcap = isExtcap || word.hasPrefix("--extcap-")
            switch parts[0] {
            case "--extcap-interfaces": action = .interfaces
            case "--extcap-interface": interface = value
            case "--extcap-dlts": action = .dlts
            case "--extcap-config": action = .config
            case "--capture": action = .capture
            case "--fifo": pipe = value
            // Its own version, and a filter of packets, which is Wireshark's as well.
            case "--extcap-version", "--extcap-capture-filter": if parts.count == 1 { _ = words.popFirst() }
            default: break
            }
        }
        guard isExtcap else { return nil }
        // A call with a version alone asks for what there is.
        let wanted = action ?? .interfaces
        var line = ["extcap", wanted.rawValue]
        if wanted == .capture, let pipe { line += ["--capture", pipe] }
        // Whatever it begins with, it is no option.
        if wanted.concernsOne, let interface { line += interface.hasPrefix("-") ? ["--", interface] : [interface] }
        return line
    }
}

extension CommandName {
    package static var extcap: CommandName { CommandName("extcap", ExtcapCommand.self) }
}

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
