// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

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
