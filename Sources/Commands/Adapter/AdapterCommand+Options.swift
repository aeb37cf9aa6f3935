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
            Shows one adapter, that of `--adapter` or the first, or switches it as a daemon would. Either way, it then \
            prints the settings of the adapter, as `adapters` does.
            """,
            """
            On an adapter with both Basic Rate and Low Energy, the kernel keeps Low Energy off until a program \
            switches it on. Commands that connect do so if they have the permission; `le on` does it for those that \
            have not. The setting lasts until the adapter is unplugged or the machine is restarted.
            """,
            """
            Switching needs the capability `CAP_NET_ADMIN`: run it with sudo, or grant it with `make setcap`. Showing \
            needs none. The kernel informs a running daemon, such as bluetoothd, which may switch the adapter back.
            """,
        ],
        arguments: [action.spec, setting.spec],
        groups: [.global],
        examples: [
            CommandExample("sudo blectl adapter power on", "power the first adapter"),
            CommandExample("sudo blectl adapter le on --adapter hci0", "switch Low Energy on"),
            CommandExample("sudo blectl adapter reset", "switch it off and on again, which ends its links"),
            CommandExample("blectl adapter show --json", "the adapter and its settings, as JSON"),
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
                guard AdapterSetting(rawValue: text) != nil else { throw error }
                throw ValueProblem(expectation: error.expectation, hint: "blectl adapter power \(text)")
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
