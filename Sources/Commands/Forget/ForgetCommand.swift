// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl forget`: removes the stored findings about devices.
///
/// The keys stay: they are secrets that two devices share, and only `unpair` removes them, from the kernel and from
/// blectl.
struct ForgetCommand: Command {
    static var commandName: CommandName { .forget }
    static let recordSchemas: [RecordSchema] = [ForgottenResult.record.schema]
    static let foreignNames = ["clear-cache"]

    static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that 'blectl devices' lists"
    )

    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .namesDevices, .endsLinks],
        summary: "forget what was found out about a device",
        discussion: [
            """
            Removes the cached attributes of the device, the note that it takes no exchange of the MTU, and its name, \
            address type and times from the list of devices. The next command scans for it, and discovers its \
            attributes.
            """,
            """
            Keys are kept, because the device has its half of them; `blectl unpair` removes them. A session goes on; \
            `blectl session stop` ends it.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        groups: [.global],
        examples: [
            "blectl forget --all": "begin anew"
        ],
        seeAlso: ["devices", "unpair", "session"]
    )

    let chosen: DeviceOrAll

    init(_ arguments: ParsedArguments) throws(UsageError) {
        chosen = try DeviceOrAll(arguments, Self.device, Self.all)
    }

    func action(on found: String?) -> String { "forget \(chosen.text)" }

    var givenNames: [String] { chosen.givenNames }

    func run(in context: CommandContext) async throws {
        let inventory = try await context.inventory(doing: "forget")
        let devices: [KeptDevice]
        switch chosen {
        case .all: devices = inventory.devices
        case .device(let identifier):
            devices = inventory.devices(identifier)
            guard !devices.isEmpty else {
                throw BlectlError(
                    .notFound,
                    cannot: "forget \(identifier)",
                    "nothing is known of it",
                    hint: "blectl devices"
                )
            }
        }
        // Only the store on disk has something to forget.
        if let files = context.stores.databases as? DatabaseFiles {
            for device in devices { files.forget(device.address) }
        }
        await KnownDevices.forget(Set(devices.map(\.address.address)), in: context.stores.state, time: context.time)
        for device in devices {
            try await context.output.emit(ForgottenResult(device: device, timestamp: Timestamp(context.time)))
        }
        if devices.isEmpty { context.diagnostics.remark("no device is known") }
    }
}

extension CommandName {
    static var forget: CommandName { CommandName("forget", ForgetCommand.self) }
}
