// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl devices`: lists the devices with stored data.
struct DevicesCommand: Command {
    static var commandName: CommandName { .devices }
    static let recordSchemas: [RecordSchema] = [KnownDeviceResult.record.schema]
    static let foreignNames = ["known-devices"]

    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .forItsOutput],
        summary: "list the devices that blectl knows",
        discussion: [
            """
            Prints each device of which something is kept on this machine: when it was last heard and connected to, \
            whether its attributes and keys are kept, and the session that has a link to it. Nothing is sent.
            """,
            """
            Devices with a link of any program come first, with the link's adapter: the kernel's list needs \
            `CAP_NET_ADMIN`.
            """,
            """
            A known device that is named by its address is connected to without a scan. Devices with changing \
            addresses are remembered only with keys. Of simulated devices, only attributes and keys are kept.
            """,
        ],
        groups: [.global],
        examples: [
            "blectl devices": "what is known",
            "blectl devices --format '{device.address}'": "the addresses, for a script",
        ],
        seeAlso: ["forget", "bonds", "session", "scan"]
    )

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "list devices" }

    func run(in context: CommandContext) async throws {
        let links = await context.kernelLinks()
        let devices = try await context.inventory(doing: "list devices", links: links).devices
        let results = devices.map { KnownDeviceResult(device: $0, timestamp: Timestamp(context.time)) }
        if results.isEmpty { context.diagnostics.remark("no device is known") }
        try await context.output.emit(list: results)
    }
}

extension CommandName {
    static var devices: CommandName { CommandName("devices", DevicesCommand.self) }
}

extension CommandContext {
    func inventory(doing action: String, links: [KernelLink] = []) async throws -> DeviceInventory {
        let bonds = try await keptBonds(doing: action)
        return DeviceInventory(
            known: KnownDevices(in: stores.state),
            cached: (stores.databases as? DatabaseFiles)?.devices ?? [],
            bonds: bonds,
            sessions: await sessions(inOwnWorld: true).map(\.description),
            declaredNames: await simulation.declaredNames(),
            links: links
        )
    }

    /// The links of all adapters that are up, as the kernel lists them. Without Bluetooth there are none; without the
    /// capability a remark says that they are missing.
    fileprivate func kernelLinks() async -> [KernelLink] {
        // An adapter that is down has no links, and the kernel answers with an error.
        let adapters = ((try? await system.adapters()) ?? []).filter { $0.state == .up }
        guard !adapters.isEmpty,
            let manager = try? AdapterManager.open(system, scope: scope, time: time)
        else { return [] }
        var links: [KernelLink] = []
        // Reported once, however many adapters there are.
        var isDenied = false
        for adapter in adapters {
            do throws(RadioError) {
                let answer = try await manager.perform(GetConnections(), on: ManagementIndex(adapter.index))
                links += answer.devices.compactMap(\.device).map { KernelLink(device: $0, adapter: adapter.name) }
            } catch {
                if case .permissionDenied = error.cause { isDenied = true }
                // The list is complete without links, so that no failure here ends the command.
                diagnostics.detail("the links of \(adapter.name) are not known: \(error.reason)")
            }
        }
        await manager.close()
        if isDenied { diagnostics.remark("links are not listed: the capability CAP_NET_ADMIN is missing") }
        return links
    }
}
