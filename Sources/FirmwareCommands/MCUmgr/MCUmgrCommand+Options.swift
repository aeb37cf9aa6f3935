// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Toolkit

extension MCUmgrCommand {
    static let action = Argument(
        required: .choice("ACTION", of: MCUmgrAction.self),
        summary: "what to ask of the device"
    )

    static let words = Argument(
        any: .text("WORD", completion: .file),
        summary: "what belongs to the action",
        details: """
            `echo TEXT`; `images [confirm|erase]`; `stats [GROUP]`; `settings get NAME`, `settings set NAME HEX` or \
            `settings delete NAME`; `fs get PATH` or `fs put PATH FILE`; `shell WORD...`; `datetime [TIME]`.
            """
    )

    package static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .changesDevice],
        summary: "manage a device with MCUmgr (SMP)",
        discussion: [
            """
            For firmware with a server of MCUmgr over Bluetooth, as Zephyr's and Mynewt's. A device whose firmware was \
            built without a group of commands answers "not supported": status 76. A setting, file or group of \
            statistics that it does not have is status 68.
            """,
            """
            `images` lists the images in the slots; `confirm` keeps the running one, `erase` erases the other's slot. \
            `fs get` writes a file's octets to standard output. The status of `shell` is 1 if the device's is not 0. \
            `blectl update` updates firmware.
            """,
        ],
        arguments: [action.spec, words.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl --simulate=mcuboot-board mcumgr images": "which images there are, and which one runs",
            "blectl --simulate=mcuboot-board mcumgr shell kernel uptime -d Board": "a command of the device's shell",
            "blectl --simulate=mcuboot-board mcumgr stats --json": "the names of its statistics, as JSON",
        ],
        seeAlso: ["update"]
    )
}

/// The groups of commands, and what belongs to all devices.
enum MCUmgrAction: String, OptionChoice {
    case echo
    case info
    case reset
    case images
    case stats
    case settings
    case fs
    case shell
    case tasks
    case datetime

    var summary: String {
        switch self {
        case .echo: "have a text sent back"
        case .info: "what the device runs, and its boot loader and buffers"
        case .reset: "have the device start anew"
        case .images: "list the images in its slots, or confirm or erase one"
        case .stats: "list the groups of statistics, or the counters of one"
        case .settings: "read, write or delete a setting"
        case .fs: "read or write a file"
        case .shell: "run a command of the device's shell"
        case .tasks: "list the tasks that run"
        case .datetime: "read or set the time"
        }
    }
}
