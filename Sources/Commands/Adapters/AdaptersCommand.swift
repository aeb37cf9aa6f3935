// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl adapters`: lists the adapters.
struct AdaptersCommand: Command {
    static var commandName: CommandName { .adapters }
    static let recordSchemas: [RecordSchema] = [AdapterResult.record.schema]
    static let foreignNames = ["controllers", "hciconfig", "dev", "show"]

    static let spec = CommandSpec(
        commandName,
        [.radio, .forItsOutput],
        summary: "list the Bluetooth adapters and their troubles",
        discussion: [
            """
            Shows each adapter of this machine: address, state, whether Low Energy is on, bus, version, manager, \
            manufacturer and features; if it cannot be used, the reason and the remedy.
            """,
            """
            The kernel does not name the manager of an adapter: a running process with the name of a known one, such \
            as bluetoothd, counts as that of all adapters; `unmanaged` means that none was found. Controllers on USB \
            without a driver are named on standard error.
            """,
        ],
        groups: [.global],
        examples: [
            "blectl adapters": "which adapters there are",
            "blectl adapters --json": "the same for a script",
        ],
        seeAlso: ["adapter", "doctor", "scan"]
    )

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "list adapters" }

    func run(in context: CommandContext) async throws {
        try await AdaptersRun(context: context).run()
    }
}

extension CommandName {
    static var adapters: CommandName { CommandName("adapters", AdaptersCommand.self) }
}
