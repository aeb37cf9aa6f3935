// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Toolkit

/// The words that begin a statement, besides the commands of blectl.
enum ScriptKeyword: String, CaseIterable, Sendable {
    case language, device, include, test, cleanup
    case `repeat`, `for`, end
    case set, connect, disconnect
    case await, never, count, order, stop
    case expect, check, pause
    case world

    /// The statement as the manual has it.
    package var form: String {
        switch self {
        case .language: "language 1"
        case .device: "device NAME [DEVICE-OPTION]..."
        case .include: "include FILE"
        case .test: "test NAME"
        case .cleanup: "cleanup [all]"
        case .repeat: "repeat NUMBER [as NAME]"
        case .for: "for NAME in VALUE..."
        case .end: "end"
        case .set: "set NAME VALUE"
        case .connect: "connect [DEVICE] [within TIME]"
        case .disconnect: "disconnect [DEVICE]"
        case .await: "await STREAM [NUMBER] [where CONDITION] [within TIME] [expect CONDITION]... [as NAME]"
        case .never: "never STREAM [where CONDITION] for TIME"
        case .count: "count STREAM RANGE [where CONDITION] for TIME [as NAME]"
        case .order: "order STREAM CONDITION then CONDITION [then CONDITION]... [within TIME] [as NAME]"
        case .stop: "stop STREAM"
        case .expect: "expect VALUE CONDITION"
        case .check: "check [DEVICE] CONDITION"
        case .pause: "pause TIME"
        case .world: "world ACTION [ARGUMENT]..."
        }
    }

    /// The clauses that may stand after the statement.
    var clauses: Set<String> {
        switch self {
        case .repeat: ["as"]
        case .connect: ["within"]
        case .order: ["within", "as"]
        case .await: ["where", "within", "expect", "as"]
        case .never: ["where", "for"]
        case .count: ["where", "for", "as"]
        default: []
        }
    }
}

/// The commands of blectl that can be steps.
package enum ScriptCommand {
    /// All of them, in the order of the table.
    package static func all(of table: CommandTable) -> [CommandName] { table.names.filter { refusal($0) == nil } }
    /// The clauses after a command.
    static let clauses: Set<String> = ["expect", "as", "within"]

    /// The remedy for a word after a clause that looks like an option, which a clause cannot have; `nil` for another
    /// word.
    package static func hint(forOption token: ScriptToken) -> String? {
        guard let text = token.bare, text.hasPrefix("-"), text.contains(where: { $0.isLetter }) else { return nil }
        return "options stand before 'expect', 'as' and 'within'"
    }

    /// The reason why the command cannot be a step; `nil` if it can.
    package static func refusal(_ command: CommandName) -> String? { command.type.stepRefusal }

    package static func form(_ command: CommandName) -> String {
        let device = command.spec.groups.contains(.device) ? " [DEVICE]" : ""
        // In a script the device stands before the options, under its declared name.
        let arguments = command.spec.arguments.filter { $0.name != "DEVICE" }.map { " \($0.synopsis)" }.joined()
        return "\(command.type.stepWord ?? command.rawValue)\(device) [OPTION]...\(arguments)"
    }
}
