// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal

/// The commands that only the shell has.
enum ShellBuiltin: String, CaseIterable, Sendable {
    case connect
    case disconnect
    case use
    case links
    case jobs
    case stop
    case wait
    case clear
    case help
    case exit

    /// The command of a first word. Other shells have other words for two of them.
    init?(word: String) {
        self.init(rawValue: word == "quit" ? "exit" : word == "kill" ? "stop" : word)
    }

    var synopsis: String {
        switch self {
        case .connect: "connect [DEVICE]"
        case .disconnect: "disconnect [DEVICE]"
        case .use: "use DEVICE"
        case .links: "links"
        case .jobs: "jobs"
        case .stop: "stop NUMBER|all"
        case .wait: "wait [NUMBER]"
        case .clear: "clear"
        case .help: "help [COMMAND]"
        case .exit: "exit [STATUS]"
        }
    }

    /// The effect, as one line in lower case without a full stop.
    var summary: String {
        switch self {
        case .connect: "connect, and use that device from now on"
        case .disconnect: "close the link; the next command makes it again"
        case .use: "use another device of those that 'links' shows"
        case .links: "the devices of this shell, and whether they are connected"
        case .jobs: "the commands that run in the background"
        case .stop: "end a command in the background, or all"
        case .wait: "wait for a command in the background, or for all, and take the status"
        case .clear: "clear the screen, like Ctrl-L"
        case .help: "the commands, or one of them"
        case .exit: "leave the shell, like Ctrl-D"
        }
    }

    var argumentLimit: Int {
        switch self {
        case .links, .jobs, .clear: 0
        case .connect, .disconnect, .use, .stop, .wait, .help, .exit: 1
        }
    }

    var takesDevice: Bool {
        switch self {
        case .connect, .disconnect, .use: true
        case .links, .jobs, .stop, .wait, .clear, .help, .exit: false
        }
    }

    /// The text of `help`.
    static func overview(_ table: CommandTable) -> String {
        let own = allCases.map { ($0.synopsis, $0.summary) }
        let commands = table.names.filter { !$0.has(.notForShells) }.map { ($0.rawValue, $0.spec.summary) }
        func lines(_ rows: [(String, String)]) -> String {
            let width = (rows.map(\.0.count).max() ?? 0) + 2
            return rows.map { "  \(TerminalText.padded($0.0, columns: width))\($0.1)" }.joined(separator: "\n")
        }
        return """
            commands of the shell:
            \(lines(own))
            commands of blectl, as on the command line ('help COMMAND' explains them):
            \(lines(commands))
            A line that ends with & runs in the background: notify battery-level &
            """
    }
}
