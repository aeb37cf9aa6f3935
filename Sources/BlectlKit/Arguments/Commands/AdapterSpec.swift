// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl adapter`.
public enum AdapterSpec {
    /// `ACTION`
    static let action = Argument(
        required: .choice("ACTION", of: AdapterAction.self),
        summary: "what to do with the adapter"
    )

    /// `SETTING`
    static let setting = Argument(
        optional: .choice("SETTING", of: AdapterSetting.self),
        summary: "whether it is to be on or off",
        details: "For `power` and `le`."
    )

    static let command = CommandSpec(
        .adapter,
        summary: "switch a Bluetooth adapter, or its Low Energy part, on or off",
        discussion: [
            """
            Does for one adapter what a daemon does where one runs: the one of `--adapter`, or the first. What it \
            is set to afterwards is printed as `adapters` prints it.
            """,
            """
            On an adapter that has Bluetooth of both kinds the kernel keeps Low Energy off until a program asks \
            for it. Commands that connect do so where they may; `le on` does it for those that may not. It lasts until the \
            adapter is pulled out, or the machine is started again.
            """,
            """
            To switch takes the capability `CAP_NET_ADMIN`: run it with sudo, or grant it with `make setcap`. To show takes \
            none. A daemon that runs, such as bluetoothd, is told by the kernel, and may switch back.
            """,
        ],
        arguments: [action.spec, setting.spec],
        examples: [
            CommandExample("sudo blectl adapter power on", "power the first adapter"),
            CommandExample("sudo blectl adapter le on --adapter hci1", "switch Low Energy on"),
            CommandExample("sudo blectl adapter reset", "switch it off and on again, which ends its links"),
            CommandExample("blectl adapter show --json", "what it is and what it is set to"),
        ],
        seeAlso: [.adapters]
    )

    /// The command line for an action, for hints. Without `--adapter` for `hci0`, which is the default.
    static func commandLine(_ action: String, adapter: String?) -> String {
        let option = adapter.flatMap { $0 == "hci0" ? nil : " --adapter \($0)" } ?? ""
        return "sudo blectl adapter \(action)\(option)"
    }
}

/// The values of `ACTION`.
public enum AdapterAction: String, OptionChoice {
    /// Shows the adapter.
    case show
    /// Switches its power on or off.
    case power
    /// Switches Low Energy on or off.
    case lowEnergy = "le"
    /// Switches its power off and on.
    case reset

    /// The meaning of the word.
    public var summary: String {
        switch self {
        case .show: "print what it is and what it is set to"
        case .power: "switch it on or off"
        case .lowEnergy: "switch its Low Energy part on or off"
        case .reset: "switch it off and on again"
        }
    }
}

/// The values of `SETTING`.
public enum AdapterSetting: String, OptionChoice {
    /// On.
    case on
    /// Off.
    case off

    /// The meaning of the word.
    public var summary: String {
        switch self {
        case .on: "switch it on"
        case .off: "switch it off"
        }
    }
}
