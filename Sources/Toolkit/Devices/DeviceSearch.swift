// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Terminal

/// The devices that a search has seen so far.
actor DeviceSearch {
    /// The maximum number of devices that are kept, so that a flood of changing addresses cannot fill the memory.
    private static let limit = 2_000

    private let selector: DeviceSelector
    /// Takes the names of devices that errors contain.
    private let notes: any NoteSink
    private let adapterCount: Int
    /// Whether the world is that of `--simulate` alone.
    private let isInBuiltInWorld: Bool
    private var identities: BondedIdentities
    private var table = AdvertiserTable(limit: limit)
    private var matches: [AdvertiserInfo] = []
    /// The devices that were found by their links rather than by advertisements.
    private var connected: [DeviceReference] = []
    private let names: BondedNames
    /// The first device that has the name of a bonded device without being that device.
    private var namesake: (device: DeviceReference, bond: Bond)?

    init(
        selector: DeviceSelector,
        identities: BondedIdentities = BondedIdentities(),
        names: BondedNames = BondedNames(),
        adapterCount: Int = 1,
        isInBuiltInWorld: Bool = false,
        notes: any NoteSink
    ) {
        self.notes = notes
        self.adapterCount = adapterCount
        self.isInBuiltInWorld = isInBuiltInWorld
        self.names = names
        self.selector = selector
        self.identities = identities
    }

    var hasAdvertiser: Bool { !matches.isEmpty }

    /// Records the devices that fit and that the machine is connected to.
    func recordConnected(_ devices: [DeviceReference]) { connected = devices }

    /// Adds a report. `true` if it completes the description of a connectable device that matches.
    package func add(_ report: ScanReport) -> Bool {
        // An anonymous advertisement has no address to connect to.
        guard report.report.address.type != .anonymous else { return false }
        let report = identities.resolved(report)
        let device = table.received(report.report, report.data, now: report.instant)
        guard device.isConnectable, selector.accepts(device), !isNamesake(device) else { return false }
        // A scan response adds to a match, the name above all.
        if let index = matches.firstIndex(where: { $0.address == device.address }) {
            matches[index] = device
        } else {
            matches.append(device)
        }
        // The name is often in the scan response, which follows at once, so it is waited for, but not for long.
        return device.name != nil || device.hasAnswered(at: adapterCount)
    }

    /// Whether an advertiser only has the name of a bonded device. Anybody can send a name.
    private func isNamesake(_ device: AdvertiserInfo) -> Bool {
        guard selector.isByName, let bond = names.bond(withNameOf: device.address, device.name?.text) else {
            return false
        }
        // The name may have come after a report that a pattern has accepted without it.
        matches.removeAll { $0.address == device.address }
        if namesake == nil { namesake = (reference(device), bond) }
        return true
    }

    /// The device to connect to. Throws if there is none, or more than one where one is required.
    package func outcome(mustBeOnlyOne: Bool, isGuessAllowed: Bool, within limit: Duration) throws -> DeviceReference {
        // A device that accepts several links may be connected and advertise.
        let found =
            matches.map(reference) + connected.filter { device in !matches.contains { $0.address == device.address } }
        if let first = found.first {
            guard !mustBeOnlyOne || found.count == 1 else {
                throw BlectlError(
                    .notFound,
                    "several devices match, and this would change one of them: \(list(found))",
                    hint: "name the device: -d \(first.address.address)"
                )
            }
            return first
        }
        if let namesake { throw unproven(namesake.device, namesake.bond, after: limit) }
        let connectable = table.advertisers.filter(\.isConnectable).sorted(by: .seen)
        if isGuessAllowed, let only = connectable.first {
            guard connectable.count == 1 else {
                throw BlectlError(
                    .notFound,
                    "no device \(selector.text), and several accept connections: \(list(connectable.map(reference)))",
                    hint: "name the device: -d \(only.address.address)"
                )
            }
            return reference(only)
        }
        let refusing = table.advertisers.filter { !$0.isConnectable && selector.accepts($0) }.sorted(by: .seen)
        guard refusing.isEmpty else { throw notConnectable(refusing) }
        throw missing(connectable, after: limit)
    }

    /// The error for a device that was not heard, while another one has its name.
    private func unproven(_ device: DeviceReference, _ bond: Bond, after limit: Duration) -> BlectlError {
        notes.conceal(device.name)
        return BlectlError(
            .notFound,
            "no device \(selector.text) was found in \(limit.text) that is the bonded one "
                + "(\(bond.device.address)): \(device.address.address) has the name, and is another device",
            hint:
                "to use that one: -d \(device.address.address); to forget the bond: blectl unpair \(bond.device.address)"
        )
        .about(device: device)
    }

    /// The error for devices that are meant, but whose advertisements accept no connection.
    private func notConnectable(_ devices: [AdvertiserInfo]) -> BlectlError {
        BlectlError(
            .protocolError,
            cannot: "connect to \(list(devices.map(reference)))",
            "it advertises, but accepts no connection",
            hint: "it may be a beacon, which 'blectl scan' shows, or connected to another machine"
        ).about(device: devices.count == 1 ? devices.first.map(reference) : nil)
    }

    /// The error for a device that was not heard, with the nearest name among the devices that were.
    private func missing(_ heard: [AdvertiserInfo], after limit: Duration) -> BlectlError {
        let message = "no device \(selector.text) was found in \(limit.text)"
        if isInBuiltInWorld, let device = selector.deviceApart {
            let hint = "\(device.label) has a world of its own: --simulate=\(device.label)"
            return BlectlError(.notFound, message, hint: hint)
        }
        if let wanted = selector.givenName {
            let names = heard.compactMap { $0.name?.text }
            if isInBuiltInWorld, let name = (try? BuiltInDevice.named(wanted)?.definition())?.name, names.contains(name)
            {
                return BlectlError(
                    .notFound,
                    message,
                    hint: "\(wanted) advertises another name: -d \(Prose.quoted(name))"
                )
            }
            if let near = Suggestion.name(closestTo: wanted, among: names) {
                notes.conceal(near)
                // A user cannot type a name with invisible characters, so the hint has the address instead.
                let isTyped = Prose.quoted(near) == "'\(near)'"
                let device = isTyped ? nil : heard.first { $0.name?.text == near }
                let option = "-d \(device?.address.address.description ?? Prose.quoted(near))"
                return BlectlError(.notFound, "\(message); did you mean '\(near)'?", hint: option)
            }
            if case .name = selector, wanted.contains(where: { "?[".contains($0) }) {
                return BlectlError(.notFound, message, hint: "a pattern is given as --name \(Prose.quoted(wanted))")
            }
        }
        guard table.count > 0 else {
            return BlectlError(
                .notFound,
                "\(message), nor any other",
                hint: "is it switched on and near? 'blectl doctor' checks the adapter"
            )
        }
        return BlectlError(
            .notFound,
            message,
            hint: selector.mayBePrivate
                ? "is it switched on, near, and free? a private address changes every few minutes: see blectl scan"
                : "is it switched on, near, and not connected to something else? see blectl scan"
        )
    }

    private func reference(_ device: AdvertiserInfo) -> DeviceReference {
        var reference = DeviceReference(address: device.address, name: device.name?.text)
        reference.wasHeardOnCoded = device.primaryPHY == .coded
        return reference
    }

    /// The first devices in words. Their names are not for messages that are redacted.
    private func list(_ devices: [DeviceReference]) -> String {
        let shown = devices.prefix(5)
        for device in shown { notes.conceal(device.name) }
        let text = shown.map(\.text).joined(separator: ", ")
        return devices.count > 5 ? "\(text) and \(devices.count - 5) more" : text
    }
}
