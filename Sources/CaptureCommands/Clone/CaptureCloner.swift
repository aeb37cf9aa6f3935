// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Captures
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Makes a device definition of what a capture tells of a device (`clone --from`).
struct CaptureCloner {
    /// The capture; `-` for standard input.
    let file: String
    /// The device; `nil` for the only one that the capture has links to.
    let selector: DeviceSelector?
    /// The file that tells what handles are; `nil` for none.
    let hint: String?
    let context: CommandContext

    private var reading: CaptureReading { CaptureReading([file], in: context) }

    /// The clone. A failure to read the capture to its end is returned with it.
    func clone() async throws -> (result: CloneResult, failure: (any Error)?) {
        let (device, identities) = try await device()
        var knowledge: CapturedGATT.Knowledge?
        if let hint { knowledge = try await CapturedGATT.knowledge(in: hint, of: [device.address], context) }
        var gatt = CapturedGATT(knowing: knowledge)
        gatt.identities = identities
        var operations = CapturedOperations()
        var findings = CapturedFindings(of: device)
        let failure = try await reading.forEach(&gatt) { event, _ in
            findings.add(event)
            for operation in operations.add(event) { findings.add(operation) }
        }
        for operation in operations.finish() { findings.add(operation) }
        return (try result(findings, gatt, device), failure)
    }

    private func result(
        _ captured: CapturedFindings,
        _ gatt: CapturedGATT,
        _ device: DeviceAddress
    ) throws(BlectlError) -> CloneResult {
        let known = gatt.database(of: device.address) ?? DiscoveredDatabase()
        let completed = CompletedDatabase(known) { captured.properties(ofValueAt: $0) }
        let tree = AttributeTree(known: completed.database)
        let name = gatt.name(of: device.address)
        let database = ClonedDatabase(tree, captured.findings(for: tree, name: name))
        var definition = DeviceDefinition(
            label: DeviceDefinition.label(fromName: name, address: device),
            summary: "cloned from a capture of \(device.address)",
            name: name,
            appearance: captured.appearance,
            address: device,
            advertising: captured.sets(name: name),
            services: database.services,
            hasStandardServices: false
        )
        if let mtu = captured.mtu { definition.limits.maximumMTU = mtu }
        if let interval = captured.interval { definition.limits.connectionInterval = interval }
        definition.pairing = captured.pairing
        definition.faults = captured.faults(for: tree).filter { $0.target.map(database.has) ?? true }
        try definition.leaveHashToServer("clone \(device.address) from \(DeviceFiles.name(of: file))")
        return CloneResult(
            device: DeviceReference(address: device, name: name),
            definition: definition,
            remarks: captured.remarks(on: tree, name: name) + completed.remarks + captured.advertising.remarks
                + database.remarks,
            values: captured.valueCount,
            recorded: captured.recordedCount,
            timestamp: Timestamp(context.time)
        )
    }

    /// The address of the device, and the identities of private ones, from the whole capture: a name and a pairing may come
    /// late. Standard input can be read only once.
    private func device() async throws -> (DeviceAddress, CapturedIdentities) {
        guard reading.isRepeatable else {
            if case .address(let address, let type?)? = selector {
                return (DeviceAddress(address, type), CapturedIdentities())
            }
            throw BlectlError(
                .usage,
                "a capture in a pipe is read once, so that the device must be known before",
                hint: "give -d ADDRESS and --address-type TYPE"
            )
        }
        var gatt = CapturedGATT()
        var summary = CaptureSummary()
        let failure = try await reading.forEach(&gatt, isFirst: true) { event, _ in summary.add(event) }
        summary.finish(gatt)
        var identities = gatt.identities
        if case .address(let address, let type?)? = selector {
            let device = DeviceAddress(address, type)
            return (identities.identity(of: device) ?? device, identities)
        }
        let found = summary.devices.filter { device in
            switch selector {
            case nil: !device.links.isEmpty
            case .address(let address, _)?:
                device.address.address == address || identities.identity(of: device.address)?.address == address
            case .name(let name)?: device.name.map { DeviceIdentifier.isSameName($0, name) } ?? false
            case .advertising(let name, let services)?:
                services.isEmpty && name?.matches(device.name ?? "") ?? false
            case .likely?: false
            }
        }
        // A device that was only heard has no services, so that one with a link is meant.
        let linked = found.filter { !$0.links.isEmpty }
        let chosen = linked.isEmpty ? found : linked
        guard let device = chosen.first else {
            // What cannot be read may have it, or is no capture at all.
            if let failure { throw failure }
            throw BlectlError(
                .notFound,
                cannot: "clone from \(DeviceFiles.name(of: file))",
                selector.map { "it has no device \($0.text)" } ?? "it has no link to a device",
                hint: "what it has: blectl trace --summary \(Prose.word(file))"
            )
        }
        guard chosen.count == 1 else {
            throw BlectlError(
                .usage,
                cannot: "clone from \(DeviceFiles.name(of: file))",
                "it has several devices: \(chosen.map { "\($0.address.address)" }.joined(separator: ", "))",
                hint: "-d ADDRESS chooses one"
            )
        }
        return (identities.identity(of: device.address) ?? device.address, identities)
    }
}
