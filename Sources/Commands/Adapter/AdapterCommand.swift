// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl adapter`: shows and changes the settings of an adapter.
struct AdapterCommand: Command {
    static var commandName: CommandName { .adapter }
    static let recordSchemas: [RecordSchema] = [AdapterResult.record.schema]

    static let action = Argument(
        required: .adapterAction,
        summary: "what to do with the adapter"
    )

    static let setting = Argument(
        optional: .choice("SETTING", of: AdapterSetting.self),
        summary: "on or off",
        details: "For `power` and `le`."
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .endsLinks],
        summary: "switch a Bluetooth adapter or its Low Energy part",
        discussion: [
            """
            Switches one adapter, that of `--adapter` or the first, as a daemon would, or only prints its settings, as \
            `adapters` does.
            """,
            """
            On an adapter that also has Basic Rate, the kernel keeps Low Energy off until a program switches it on. \
            Commands that connect do so if permitted; `le on` does it for the others. It lasts until the adapter is \
            unplugged or the machine restarts.
            """,
            """
            Switching needs `CAP_NET_ADMIN`, by sudo or `make setcap`; showing does not. A running daemon, such as \
            bluetoothd, hears of it from the kernel and may switch the adapter back.
            """,
        ],
        arguments: [action.spec, setting.spec],
        groups: [.global],
        examples: [
            "sudo blectl adapter power on": "power the first adapter",
            "sudo blectl adapter le on --adapter hci0": "switch Low Energy on",
            "sudo blectl adapter reset": "switch it off and on again, which ends its links",
            "blectl adapter show --json": "the adapter and its settings, as JSON",
        ],
        seeAlso: ["adapters", "doctor"]
    )

    let options: AdapterOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try AdapterOptions(arguments)
    }

    func action(on found: String?) -> String {
        switch options {
        case .show: "show the settings of the adapter"
        case .power: "switch the adapter on or off"
        case .lowEnergy: "switch Low Energy on or off"
        case .reset: "reset the adapter"
        }
    }

    func run(in context: CommandContext) async throws {
        try await AdapterRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var adapter: CommandName { CommandName("adapter", AdapterCommand.self) }
}

extension ValueSyntax where Value == AdapterAction {
    /// An action. A setting alone is meant for the power.
    fileprivate static var adapterAction: ValueSyntax {
        let choice = choice("ACTION", of: AdapterAction.self)
        return ValueSyntax(name: choice.name, choices: choice.choices) { text throws(ValueProblem) in
            do throws(ValueProblem) {
                return try choice.parse(text)
            } catch {
                let hint =
                    switch text {
                    case "on", "off": "blectl adapter power \(text)"
                    case "up", "down": "blectl adapter power \(text == "up" ? "on" : "off")"
                    case "list", "ls": "all adapters: blectl adapters"
                    default:
                        text.hasPrefix("hci")
                            ? "--adapter \(text) names it, as in blectl adapter show --adapter \(text)" : error.hint
                    }
                throw ValueProblem(expectation: error.expectation, suggestion: error.suggestion, hint: hint)
            }
        }
    }
}

package enum AdapterAction: String, OptionChoice {
    case show
    case power
    case lowEnergy = "le"
    case reset

    package var summary: String {
        switch self {
        case .show: "print the adapter and its settings"
        case .power: "switch it on or off"
        case .lowEnergy: "switch its Low Energy part on or off"
        case .reset: "switch it off and on again"
        }
    }
}

package enum AdapterSetting: String, OptionChoice {
    case on
    case off

    package var summary: String {
        switch self {
        case .on: "switch it on"
        case .off: "switch it off"
        }
    }
}

enum AdapterOptions: Sendable, Equatable {
    case show
    case power(AdapterSetting)
    case lowEnergy(AdapterSetting)
    /// Switches it off and on.
    case reset
}

extension AdapterOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        let action = arguments[AdapterCommand.action]
        switch (action, arguments[AdapterCommand.setting]) {
        case (.show, nil): self = .show
        case (.reset, nil): self = .reset
        case (.power, let setting?): self = .power(setting)
        case (.lowEnergy, let setting?): self = .lowEnergy(setting)
        case (.power, nil), (.lowEnergy, nil):
            throw arguments.impossible(
                "'\(action.rawValue)' needs 'on' or 'off'",
                hint: "blectl adapter \(action.rawValue) on|off"
            )
        case (.show, _?), (.reset, _?):
            throw arguments.impossible("'\(action.rawValue)' takes neither 'on' nor 'off'")
        }
    }
}
