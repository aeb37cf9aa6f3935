// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl unpair`: forgets the keys of devices.
struct UnpairCommand: Command {
    static var commandName: CommandName { .unpair }
    static let recordSchemas: [RecordSchema] = [UnpairedResult.record.schema]
    static let foreignNames = ["remove", "untrust", "unbond"]

    static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that blectl has the keys of",
        details: """
            Of the used adapter and, without `--adapter`, of adapters that are gone. Those of other adapters are \
            named, and stay.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .namesDevices, .endsLinks],
        summary: "forget the keys of a device",
        discussion: [
            """
            Takes the keys from the kernel, ends the link, and removes them from the file of bonds. Nothing is sent: \
            the device has to forget the pairing, too, before it pairs again.
            """,
            """
            A bond with a missing adapter, whose address `--adapter` takes, is removed from the file. If some bonds \
            cannot be removed, the others are, and the error names those that are left.
            """,
            """
            Needs `CAP_NET_ADMIN`. Another program that keeps the keys, such as bluetoothd, is told by the kernel, and \
            forgets them as well.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        groups: [.global],
        examples: [
            "sudo blectl unpair --all": "forget all pairings"
        ],
        seeAlso: ["bonds", "pair"]
    )

    let chosen: DeviceOrAll

    init(_ arguments: ParsedArguments) throws(UsageError) {
        chosen = try DeviceOrAll(arguments, Self.device, Self.all)
    }

    func action(on found: String?) -> String { "unpair \(chosen.text)" }

    var givenNames: [String] { chosen.givenNames }

    func run(in context: CommandContext) async throws {
        try await UnpairRun(chosen: chosen, context: context).run()
    }
}

extension CommandName {
    static var unpair: CommandName { CommandName("unpair", UnpairCommand.self) }
}
