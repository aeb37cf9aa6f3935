// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// HCI packets by name, for scripts.
enum HCIPackets {
    /// Command Complete with a status only.
    static func complete(_ opcode: String, _ status: String = "00") -> String { "04 0e 04 01 \(opcode) \(status)" }

    static let readCommands = "01 0210 00"
    static let readVersion = "01 0110 00"
    static let setExtended = "01 4120 08 00 00 01 01 6000 6000"
    static let extendedOn = "01 4220 06 01 00 0000 0000"
    static let extendedOff = "01 4220 06 00 00 0000 0000"
    static let setLegacy = "01 0b20 07 01 6000 6000 00 00"
    static let legacyOn = "01 0c20 02 01 00"
    static let legacyOff = "01 0c20 02 00 00"

    /// The answer to `readCommands`. Octet 37 contains the bits of the extended scan commands.
    static func commands(extended: Bool) -> String {
        "04 0e 44 01 0210 00 " + String(repeating: "ff", count: 37) + (extended ? "60" : "00")
            + String(repeating: "00", count: 26)
    }

    /// A legacy advertising report of `F0:F1:F2:F3:F4:F5` with flags.
    static let report = "04 3e 0f 02 01 00 01 f5f4f3f2f1f0 03 020106 c8"
    /// LE Connection Complete of another program's connection.
    static let connected = "04 3e 13 01 00 4000 00 01 f5f4f3f2f1f0 1800 0000 2a00 00"

    /// A script of commands, each with the status of its answer.
    static func played(_ commands: (command: String, status: String)...) -> Script {
        Script(
            commands.map { command, status in
                turn(command, complete(String(command.dropFirst(3).prefix(4)), status))
            }
        )
    }

    static let hasExtended: Script = [turn(readCommands, commands(extended: true))]
    static let hasLegacyOnly: Script = [turn(readCommands, commands(extended: false))]
}
