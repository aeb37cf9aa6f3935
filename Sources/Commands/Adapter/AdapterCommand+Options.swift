// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension AdapterCommand {
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
        seeAlso: [.adapters, .doctor]
    )
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
                    default: text.hasPrefix("hci") ? "blectl adapter show --adapter \(text)" : error.hint
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
