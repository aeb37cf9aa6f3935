// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
package import Terminal

/// Finds the device that is meant: without a scan where its address and type are known, by a scan otherwise.
///
/// A connected device does not advertise. If this machine has the link, through any of its programs, the type of the
/// address is known from the kernel and from the controller's events.
package struct DeviceFinder: Sendable {
    /// How long a scan continues after the first match to find a second one, and how long it looks for an advertiser of
    /// a service that is rarely advertised.
    static let choiceWindow = Duration.seconds(2)

    /// How long a search keeps those of other programs waiting for a device that may not be there, and how long they wait.
    private static let turnLimits = (held: Duration.seconds(1), awaited: Duration.seconds(3))

    /// Services that most devices have and few advertise.
    private static let rarelyAdvertised: Set<BluetoothUUID> = [0x1800, 0x1801, 0x180A, 0x180F]

    /// The wanted device; `nil` for the one at the other end of a wire.
    package let selector: DeviceSelector?
    /// Whether exactly one device must match, because the command changes it.
    package let mustBeOnlyOne: Bool
    package let central: Central
    package var timeout: Duration
    /// The folder of remembered devices and scan leases; `nil` for none.
    package let state: StateFolder?
    /// The GATT cache, which contains the services of devices; `nil` without a cache.
    package let databases: (any DatabaseStore)?
    package let notes: any NoteSink
    /// The bonds of the adapter, by which devices with private addresses are recognised.
    package var bonds: [Bond] = []
    /// The private addresses with which it scans; `nil` for the adapter's own.
    package var privacy: PrivateAddresses?
    /// Takes the time of the scan; `nil` for nothing.
    package var timing: RunTiming?

    /// Whether the world is that of `--simulate` alone, which lacks some devices of blectl.
    package var isInBuiltInWorld = false

    private var radio: any Radio { central.radio }
    private var time: any TimeSource { central.time }

    /// Finds the device. Throws a `BlectlError` if there is none.
    ///
    /// - Parameter turn: Gets the turn among the programs that search, if there was a search. The caller keeps it until the
    ///   link is made, and ends it.
    package func find(_ turn: inout (any Turn)?) async throws -> DeviceReference {
        if let peer = radio.onlyPeer { return onlyDevice(peer) }
        guard let selector else { throw BlectlError(.usage, "no device is named") }
        if let bonded = bondedDevice(selector) { return bonded }
        try refuseOtherType(selector)
        if let device = deviceWithoutSearch(selector) { return device }
        notes.progress("looking for a device \(selector.text) …")
        defer { notes.clearProgress() }
        turn = await searchTurn(by: searchTurnDeadline)
        // The program that had the turn before may have connected to the same device.
        if turn != nil, let device = deviceWithoutSearch(selector) {
            turn?.end()
            return device
        }
        do {
            async let _: Void = wait(thenEnding: turn.map { [$0] } ?? [])
            return try await search(selector)
        } catch let error as RadioError {
            throw described(error, selector)
        }
    }

    /// The device that is remembered or connected. The kernel says without a privilege what it is connected to.
    private func deviceWithoutSearch(_ selector: DeviceSelector) -> DeviceReference? {
        knownDevice(selector) ?? (isCertain(selector) ? connectedDevices(selector).first : nil)
    }

    /// How long the turn at searches is awaited that begins now.
    var searchTurnDeadline: Instant { time.now + min(Self.turnLimits.awaited, timeout) }

    /// The turn among the programs that search with the adapter. A program that has waited too long searches without it,
    /// although the kernel may then end one of the scans.
    func searchTurn(by deadline: Instant) async -> (any Turn)? {
        try? await radio.takeTurn(.search, by: deadline) { _ in }
    }

    /// Ends the turns of a search that takes long, so that other programs can search.
    func wait(thenEnding turns: [any Turn]) async {
        let turns = turns.filter { !($0 is FreeTurn) }
        guard !turns.isEmpty, (try? await time.sleep(for: Self.turnLimits.held)) != nil else { return }
        for turn in turns { turn.end() }
    }

    /// The failure of a search, with the way to do without it.
    package func described(_ error: RadioError, _ selector: DeviceSelector) -> BlectlError {
        let described = BlectlError(error, doing: "look for the device")
        guard described.status == .permissionDenied, selector.isAddress else { return described }
        return described.with(hint: "\(described.hint ?? ""); with --address-type public|random, no scan is needed")
    }

    /// The device with an address, if the adapter has a bond with it.
    func bondedDevice(_ selector: DeviceSelector) -> DeviceReference? {
        guard case .address(let address, let given) = selector else { return nil }
        return bond(with: address, given).map { DeviceReference(address: $0.device, name: $0.name) }
    }

    /// Throws a `BlectlError` if the command line gives the address of a bonded device another type: that is another
    /// device, and a mistake is more likely.
    func refuseOtherType(_ selector: DeviceSelector) throws {
        guard case .address(let address, let given?) = selector, bondedDevice(selector) == nil,
            let bond = bonds.first(where: { $0.device.address == address })
        else { return }
        throw BlectlError(
            .usage,
            cannot: "use the \(given) address \(address)",
            "there is a bond with the device that has this address, and it is a \(bond.device.type) one",
            hint: "leave out --address-type; or forget the bond: blectl unpair \(address)"
        )
    }

    /// The device with an address whose type was given or is remembered.
    func knownDevice(_ selector: DeviceSelector) -> DeviceReference? {
        guard case .address(let address, let given) = selector else { return nil }
        let known = KnownDevices(in: state)
        return (given ?? known.type(of: address)).map { known.reference(to: DeviceAddress(address, $0)) }
    }

    /// The bond with the device that has an address, as its identity or as a private one.
    ///
    /// The type of the address is that of the bond, regardless of advertising: an address of the other type belongs to
    /// another, unauthenticated device.
    private func bond(with address: BluetoothAddress, _ type: AddressType?) -> Bond? {
        let types = [type?.connectionType ?? .random, type?.connectionType ?? .public]
        return bonds.first { bond in types.contains { bond.owns(DeviceAddress(address, $0)) } }
    }

    /// The device at the other end of a wire. It has no address: results carry the address that was given, so that a
    /// script gets the same results from a socket as from the air.
    private func onlyDevice(_ peer: DeviceAddress) -> DeviceReference {
        let socket = radio.adapter.name
        switch selector {
        case .name?, .advertising?:
            notes.note("using the only device at \(socket): nobody looks whether it is one \(selector?.text ?? "")")
        case .address?, .likely?, nil: break
        }
        guard case .address(let address, let type)? = selector else {
            return DeviceReference(address: peer, name: nil, socket: socket)
        }
        return DeviceReference(
            address: DeviceAddress(address, type ?? .public),
            name: nil,
            socket: socket,
            isTypeKnown: type != nil
        )
    }

    private func search(_ selector: DeviceSelector) async throws -> DeviceReference {
        let search = DeviceSearch(
            selector: selector,
            identities: BondedIdentities(bonds),
            names: BondedNames(bonds),
            isInBuiltInWorld: isInBuiltInWorld,
            notes: notes
        )
        let start = time.now
        defer { timing?.scanned(for: time.now - start) }
        let lookup = LookupScan(central: central, state: state, privacy: privacy, notes: notes)
        try await lookup.run(for: isRare(selector) ? min(Self.choiceWindow, timeout) : timeout) { scan, end in
            try await listen(search, scan, selector, until: end)
        }
        return try await search.outcome(
            mustBeOnlyOne: mustBeOnlyOne,
            isGuessAllowed: isRare(selector),
            within: timeout
        )
    }

    /// Listens until the device is found or the end has come. Returns whether the search is over.
    private func listen(
        _ search: DeviceSearch,
        _ scan: Scan,
        _ selector: DeviceSelector,
        until end: Instant
    ) async throws -> Bool {
        // Asked again, because the scan's events report only later connections.
        let connected = connectedDevices(selector)
        await search.recordConnected(connected)
        if isCertain(selector), !connected.isEmpty { return true }
        let end = connected.isEmpty ? end : min(end, time.now + Self.choiceWindow)
        let isFound = try await untilDeadline(end, time) { () async throws -> Bool in
            try await scan.forEach { device in
                let known = KnownDevices(in: state)
                let found = DeviceReference(address: device, name: known.name(of: device.address))
                guard isCertain(selector), fits(device.address, selector, known), !isNamesake(found, selector) else {
                    return .goOn
                }
                await search.recordConnected([found])
                return .stop
            } _: {
                await search.add($0) ? .stop : .goOn
            }
            return true
        }
        // A command that changes a device must not guess: it looks a little longer, for a second match.
        if mustBeOnlyOne, !selector.isAddress, await search.hasAdvertiser {
            try await untilDeadline(time.now + Self.choiceWindow, time) {
                try await scan.forEach { report in
                    _ = await search.add(report)
                    return .goOn
                }
            }
            return true
        }
        return isFound == true || !connected.isEmpty
    }

    /// Whether a connected device that fits is the one that is meant, without a look at those that advertise.
    func isCertain(_ selector: DeviceSelector) -> Bool {
        switch selector {
        case .address: true
        case .name: !mustBeOnlyOne
        case .advertising, .likely: false
        }
    }

    /// The devices that fit and that this machine is connected to. Their names are known from earlier runs, and their
    /// services from the GATT cache.
    func connectedDevices(_ selector: DeviceSelector) -> [DeviceReference] {
        let known = KnownDevices(in: state)
        let addresses: [BluetoothAddress]
        if case .address(let address, _) = selector {
            addresses = [address]
        } else {
            addresses = radio.connectedAddresses().filter { fits($0, selector, known) }.sorted {
                $0.rawValue < $1.rawValue
            }
        }
        return addresses.compactMap { address in
            radio.connectedDevice(address).map { DeviceReference(address: $0, name: known.name(of: address)) }
        }
        .filter { !isNamesake($0, selector) }
    }

    /// Whether a device only has the name of a bonded one, or its address with another type.
    private func isNamesake(_ device: DeviceReference, _ selector: DeviceSelector) -> Bool {
        if let bonded = bondedDevice(selector), bonded.address.address == device.address.address {
            return bonded.address.type != device.address.type.connectionType
        }
        return selector.isByName && BondedNames(bonds).bond(withNameOf: device.address, device.name) != nil
    }

    private func fits(_ address: BluetoothAddress, _ selector: DeviceSelector, _ known: KnownDevices) -> Bool {
        switch selector {
        case .address(let wished, _): return address == wished
        case .name(let name): return known.name(of: address).map { DeviceIdentifier.isSameName($0, name) } ?? false
        case .advertising(let name, let services):
            guard name.map({ $0.matches(known.name(of: address) ?? "") }) ?? true else { return false }
            return services.allSatisfy { has($0, address, known) }
        case .likely(let services, let names):
            let name = known.name(of: address)
            return services.contains { has($0, address, known) }
                || names.contains { wanted in name.map { DeviceIdentifier.isSameName($0, wanted) } ?? false }
        }
    }

    private func has(_ service: BluetoothUUID, _ address: BluetoothAddress, _ known: KnownDevices) -> Bool {
        guard let type = known.type(of: address), let cached = databases?.load(DeviceAddress(address, type)) else {
            return false
        }
        return cached.database.services.contains { $0.isPrimary && $0.uuid == service }
    }

    func isRare(_ selector: DeviceSelector) -> Bool {
        guard case .likely(let services, names: []) = selector else { return false }
        return services.allSatisfy { Self.rarelyAdvertised.contains($0) }
    }
}
