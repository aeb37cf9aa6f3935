// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl bonds`: lists the devices whose keys are kept.
struct BondsCommand: Command {
    static var commandName: CommandName { .bonds }
    static let recordSchemas: [RecordSchema] = [BondResult.record.schema]
    static let foreignNames = ["paired-devices", "keys"]

    static let revealKeys = Option(
        flag: "reveal-keys",
        summary: "print the keys themselves",
        details: "With them, anyone can decrypt the links to the device and impersonate it."
    )

    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .forItsOutput],
        summary: "list the devices that blectl has the keys of",
        discussion: [
            """
            Prints the identity address of each device, the kinds of its keys, the level of a link with them, and the \
            time of the pairing, without keys that bluetoothd or another manager keeps.
            """,
            """
            Keys are in `bonds` of `$XDG_STATE_HOME/blectl`, those of simulated devices in `simulated/bonds` there. \
            The error for a damaged file names it, and leaves it as it is.
            """,
        ],
        options: [revealKeys.spec],
        groups: [.global],
        examples: [
            "blectl bonds": "the devices, and what is kept of each",
            "blectl bonds --json": "the same for a program",
        ],
        seeAlso: ["pair", "unpair"]
    )

    /// Whether the keys are printed (`--reveal-keys`). They are secret, and never part of the table.
    let isRevealed: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isRevealed = arguments[Self.revealKeys]
    }

    func action(on found: String?) -> String { "list bonds" }

    func run(in context: CommandContext) async throws {
        // The oldest first, so that the list keeps its order when a device is added.
        let results = try await context.keptBonds(doing: "list bonds").sorted { $0.since < $1.since }.map {
            BondResult(bond: $0, isRevealed: isRevealed, timestamp: Timestamp(context.time))
        }
        if isRevealed {
            for result in results { try await context.output.emit(result) }
        } else {
            try await context.output.emit(list: results)
        }
        // A remark and not an error: no bonds is a valid answer.
        if results.isEmpty { context.diagnostics.remark("no bonds") }
    }
}

extension CommandName {
    static var bonds: CommandName { CommandName("bonds", BondsCommand.self) }
}

extension CommandContext {
    /// The stored bonds; none if they have no folder, or one that cannot be used, about which there is a remark. One
    /// without a name has that of the simulated device.
    func keptBonds(doing action: String) async throws -> [Bond] {
        var bonds: [Bond]
        do {
            bonds = try stores.bonds?.bonds() ?? []
        } catch let error as KeyFileFailure {
            // Nothing can have been kept there, as in the home of another user.
            guard error.isOfFolder else { throw BlectlError(error, doing: action) }
            diagnostics.note("no bonds are read from \(error.path): \(error.reason)")
            return []
        }
        guard bonds.contains(where: { $0.name == nil }) else { return bonds }
        let names = await simulation.declaredNames()
        for index in bonds.indices where bonds[index].name == nil { bonds[index].name = names[bonds[index].device] }
        return bonds
    }
}
