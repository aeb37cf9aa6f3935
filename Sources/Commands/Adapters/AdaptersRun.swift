// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Terminal
import Toolkit

/// `blectl adapters`: lists the adapters, their states, and the reasons why they cannot be used.
struct AdaptersRun {
    let context: CommandContext

    /// Prints a table on a terminal, and a line or a record for each adapter otherwise. No adapter at all is an
    /// error, because a script would take an empty list for success.
    func run() async throws {
        if context.options.adapters.names.isEmpty {
            for device in context.process.machine?.facts().driverless ?? [] {
                let name = "usb:\(device.place)"
                context.diagnostics.note("\(device.identifiers) has no driver; -i \(name) uses it without")
            }
        }
        let adapters: [AdapterDescription]
        do throws(RadioError) {
            let survey = AdapterSurvey(context.system, scope: context.scope, time: context.time)
            let all = try await survey.adapters()
            let wanted = context.options.adapters
            // On a machine without any adapter, that is the error for every name.
            let missing = wanted.names.first { name in !all.contains { $0.isMeant(by: name) } }
            if let missing, !all.isEmpty {
                // Among several, one elsewhere that cannot be reached has a reason of its own.
                _ = try context.system.radio(named: missing)
                throw RadioError(.adapterNotFound(missing), during: missing)
            }
            adapters = all.filter { wanted.contains($0) }
        } catch {
            throw BlectlError(error, doing: "list adapters")
        }
        guard !adapters.isEmpty else {
            throw BlectlError(RadioError(.noAdapter, during: "list"), doing: "list adapters")
        }
        let timestamp = Timestamp(context.time)
        try await context.output.emit(list: adapters.map { AdapterResult(adapter: $0, timestamp: timestamp) })
    }
}

/// An adapter in the output of `adapters` and `adapter`.
struct AdapterResult: TabledResult {
    static let headings = ["ADAPTER", "ADDRESS", "STATE", "LE", "BUS", "HCI", "MANAGER", "MANUFACTURER"]

    let adapter: AdapterDescription
    let timestamp: Timestamp

    static let record = RecordKind<Self>("adapter", "a Bluetooth adapter") {
        RecordField("name", .string, "`hci0` and so on") { $0.adapter.name }
        RecordField("index", .integer, "number in that name") { $0.adapter.index }
        RecordField("address", orNull: .string, "its address") { $0.adapter.address.description }
        RecordField("state", .string, "`up`, `down`, `starting`, `blocked` or `in-use`") { $0.state }
        RecordField("usable", .boolean, "whether blectl can use it") { $0.adapter.state == .up }
        RecordField("reason", orNull: .string, "why it cannot be used, and the remedy") { $0.reason }
        RecordField("powered", .boolean, "whether it is on") {
            $0.adapter.state == .up || $0.adapter.state == .inUse
        }
        RecordField("blocked", orNull: .string, "`software` or `hardware` where a switch keeps it off") { $0.block }
        RecordField("low_energy", orNull: .boolean, "whether Low Energy is switched on, if that is known") {
            $0.adapter.isLowEnergyOn
        }
        RecordField("basic_rate", orNull: .boolean, "whether it has Basic Rate, too, if that is known") {
            $0.adapter.isLowEnergyOnly.map { !$0 }
        }
        RecordField(
            "manager",
            orNull: .string,
            "program that manages the adapters, by a running process: `bluetoothd`"
        ) { $0.adapter.manager }
        RecordField("bus", orNull: .string, "its connection to the machine") { $0.adapter.bus }
        RecordField("manufacturer", orNull: .string, "maker of the controller") { $0.manufacturer }
        RecordField("manufacturer_id", orNull: .integer, "its assigned number") { $0.adapter.manufacturer }
        RecordField("hci_version", orNull: .string, "version of the specification") { $0.version }
        RecordField("features", .array(of: .string), "its Low Energy features") { $0.features }
    }

    func text(_ style: TextStyle) -> String? {
        var line = columns.joined(separator: "  ")
        if let reason { line += "  (\(reason))" }
        return line
    }

    var columns: [String] {
        [
            adapter.name, adapter.address.description, state, lowEnergy, adapter.bus, version ?? "-",
            adapter.manager ?? "unmanaged", TerminalText.escaped(manufacturer ?? "-"),
        ]
    }

    /// The company's name, or its number if the table of assigned numbers is older than the adapter.
    private var manufacturer: String? {
        adapter.manufacturer.map { AssignedNumbers.companyName($0) ?? "company 0x\(Hex.string($0, minimumDigits: 4))" }
    }

    /// The state as a word that scripts compare. It is part of the record schema.
    private var state: String {
        switch adapter.state {
        case .up: "up"
        case .down: "down"
        case .starting: "starting"
        case .blocked: "blocked"
        case .inUse: "in-use"
        }
    }

    /// Why the adapter cannot be used as it is, with the command that helps if there is one; `nil` if it can be
    /// used.
    private var reason: String? {
        switch adapter.state {
        case .up where adapter.isLowEnergyOn == false:
            "Low Energy is off: \(AdapterHint.commandLine("le on", adapter: adapter.name))"
        case .up: nil
        case .down: "not powered: \(AdapterHint.commandLine("power on", adapter: adapter.name))"
        case .starting: "not powered yet: \(AdapterHint.commandLine("power on", adapter: adapter.name))"
        case .blocked(byHardware: true): "blocked by a switch or key of the machine"
        case .blocked(byHardware: false): "blocked by software: sudo rfkill unblock bluetooth"
        case .inUse: "another program uses it exclusively"
        }
    }

    /// The kind of switch that blocks the radio. No command can undo `hardware`, a physical switch or key.
    private var block: String? {
        guard case .blocked(let byHardware) = adapter.state else { return nil }
        return byHardware ? "hardware" : "software"
    }

    private var lowEnergy: String { adapter.isLowEnergyOn.map { $0 ? "le" : "le-off" } ?? "-" }

    private var version: String? { adapter.hciVersion?.description }

    /// The features that matter to a user of BLE, from the LMP features (page 0) and the LE features.
    ///
    /// Spec: Core 5.4, Vol 2, Part C, 3.3 and Vol 6, Part B, 4.6
    private var features: [String] {
        // Bit numbers count from octet 0, bit 0 of the feature mask.
        let lmp: [(bit: UInt64, name: String)] = [(38, "le"), (37, "le-only")]
        let le: [(bit: UInt64, name: String)] = [
            (0, "le-encryption"), (5, "data-length-extension"), (6, "le-privacy"), (8, "2m-phy"), (11, "coded-phy"),
            (12, "extended-advertising"), (13, "periodic-advertising"),
        ]
        return Self.names(lmp, adapter.lmpFeatures) + Self.names(le, adapter.leFeatures?.rawValue)
    }

    /// The names of the bits that are set; none if the kernel did not report the features.
    private static func names(_ table: [(bit: UInt64, name: String)], _ features: UInt64?) -> [String] {
        guard let features else { return [] }
        return table.filter { features >> $0.bit & 1 == 1 }.map(\.name)
    }
}
