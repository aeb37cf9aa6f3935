// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Finds the device that is meant: without a scan where its address and type are known, by a scan otherwise.
///
/// A connected device does not advertise. If this machine has the link, through any of its programs, the kernel and the
/// controller's events tell the type of the address.
struct DeviceFinder: Sendable {
    /// How long a scan continues after the first match to find a second one, and how long it looks for an advertiser of a
    /// service that is rarely advertised.
    private static let choiceWindow = Duration.seconds(2)

    /// Services that most devices have and few advertise.
    private static let rarelyAdvertised: Set<BluetoothUUID> = [0x1800, 0x1801, 0x180A, 0x180F]

    /// The wanted device; `nil` for the one at the other end of a wire.
    let wish: DeviceWish?
    /// Whether exactly one device must match, because the command changes it.
    let mustBeOnlyOne: Bool
    let radio: any Radio
    /// The time limit of a search.
    let timeout: Duration
    /// The folder of remembered devices and scan leases; `nil` for none.
    let state: StateFolder?
    /// The GATT cache, which tells the services of devices; `nil`: there is none.
    let databases: (any DatabaseStore)?
    let scope: TaskScope
    let time: any TimeSource
    let notes: any NoteSink

    /// Finds the device. Throws a `BlectlError` if there is none.
    func find() async throws -> DeviceReference {
        if let peer = radio.onlyPeer { return onlyDevice(peer) }
        guard let wish else { throw BlectlError(.usage, "no device is named") }
        if case .address(let address, let given) = wish {
            let known = KnownDevices(in: state)
            if let type = given ?? known.type(of: address) {
                return DeviceReference(address: DeviceAddress(address, type), name: known.name(of: address))
            }
        }
        // First, because it needs no privilege; a scan does.
        if isCertain(wish), let device = connectedDevices(wish).first { return device }
        notes.progress("looking for a device \(wish.text) …")
        defer { notes.clearProgress() }
        do {
            return try await search(wish)
        } catch let error as RadioError {
            let described = BlectlError(error, doing: "look for the device")
            guard described.status == .permissionDenied, wish.isAddress else { throw described }
            throw described.with(hint: "\(described.hint ?? ""); with --address-type public|random, no scan is needed")
        }
    }

    /// The device at the other end of a wire. It has no address: results carry the address that was given, so that a script
    /// gets the same results from a socket as from the air.
    private func onlyDevice(_ peer: DeviceAddress) -> DeviceReference {
        let socket = radio.adapter.name
        guard case .address(let address, let type)? = wish else {
            return DeviceReference(address: peer, name: nil, socket: socket)
        }
        return DeviceReference(
            address: DeviceAddress(address, type ?? .public),
            name: nil,
            socket: socket,
            isTypeKnown: type != nil
        )
    }

    private func search(_ wish: DeviceWish) async throws -> DeviceReference {
        let controller = try HCIController.open(radio, scope: scope, time: time)
        let search = DeviceSearch(wish: wish)
        try await withCleanup {
            let parameters = ScanParameters(phys: [.le1M])
            try await controller.withLeasedScan(parameters, in: state, time: time, notes: notes) { scan in
                try await run(search, scan, wish)
            }
        } cleanup: {
            await controller.close()
        }
        return try await search.outcome(mustBeOnlyOne: mustBeOnlyOne, isGuessAllowed: isRare(wish), patience: timeout)
    }

    /// Scans until the device is found or the time is up.
    private func run(_ search: DeviceSearch, _ scan: Scan, _ wish: DeviceWish) async throws {
        // Asked again, because the scan's events tell of connections only from now on.
        let connected = connectedDevices(wish)
        await search.recordConnected(connected)
        if isCertain(wish), !connected.isEmpty { return }
        let isBrief = isRare(wish) || !connected.isEmpty
        try await untilDeadline(time.now + (isBrief ? min(Self.choiceWindow, timeout) : timeout), time) {
            try await scan.forEach { device in
                let known = KnownDevices(in: state)
                guard isCertain(wish), fits(device.address, wish, known) else { return .goOn }
                await search.recordConnected([DeviceReference(address: device, name: known.name(of: device.address))])
                return .stop
            } _: {
                await search.add($0) ? .stop : .goOn
            }
        }
        // A command that changes a device must not guess: it looks a little longer, for a second match.
        guard mustBeOnlyOne, !wish.isAddress, await search.hasAdvertiser else { return }
        try await untilDeadline(time.now + Self.choiceWindow, time) {
            try await scan.forEach { report in
                _ = await search.add(report)
                return .goOn
            }
        }
    }

    /// Whether a connected device that fits is the one that is meant, without a look at those that advertise.
    private func isCertain(_ wish: DeviceWish) -> Bool {
        switch wish {
        case .address: true
        case .name: !mustBeOnlyOne
        case .advertising, .likely: false
        }
    }

    /// The devices that fit and that this machine is connected to. Their names are known from earlier runs, and their
    /// services from the GATT cache.
    private func connectedDevices(_ wish: DeviceWish) -> [DeviceReference] {
        let known = KnownDevices(in: state)
        let addresses: [BluetoothAddress]
        if case .address(let address, _) = wish {
            addresses = [address]
        } else {
            addresses = radio.connectedAddresses().filter { fits($0, wish, known) }.sorted { $0.rawValue < $1.rawValue }
        }
        return addresses.compactMap { address in
            radio.connectedDevice(address).map { DeviceReference(address: $0, name: known.name(of: address)) }
        }
    }

    private func fits(_ address: BluetoothAddress, _ wish: DeviceWish, _ known: KnownDevices) -> Bool {
        switch wish {
        case .address(let wished, _): return address == wished
        case .name(let name): return known.name(of: address) == name
        case .advertising(let name, let services):
            guard name.map({ $0.matches(known.name(of: address) ?? "") }) ?? true else { return false }
            return services.allSatisfy { has($0, address, known) }
        case .likely(let service): return has(service, address, known)
        }
    }

    private func has(_ service: BluetoothUUID, _ address: BluetoothAddress, _ known: KnownDevices) -> Bool {
        guard let type = known.type(of: address), let cached = databases?.load(DeviceAddress(address, type)) else {
            return false
        }
        return cached.database.services.contains { $0.isPrimary && $0.uuid == service }
    }

    private func isRare(_ wish: DeviceWish) -> Bool {
        guard case .likely(let service) = wish else { return false }
        return Self.rarelyAdvertised.contains(service)
    }
}

/// The devices that a search has seen so far.
private actor DeviceSearch {
    /// The most devices that are kept, so that a flood of changing addresses cannot fill the memory.
    private static let limit = 2_000

    private let wish: DeviceWish
    private var table = AdvertiserTable(limit: limit)
    private var matches: [AdvertiserInfo] = []
    /// The devices that were found by their links rather than by advertisements.
    private var connected: [DeviceReference] = []

    init(wish: DeviceWish) { self.wish = wish }

    var hasAdvertiser: Bool { !matches.isEmpty }

    /// Records the devices that fit and that the machine is connected to.
    func recordConnected(_ devices: [DeviceReference]) { connected = devices }

    /// Adds a report. `true` if it completes the description of a connectable device that matches.
    func add(_ report: ScanReport) -> Bool {
        guard report.report.address.type != .anonymous else { return false }
        let device = table.received(report.report, report.data, now: report.instant)
        guard device.isConnectable, fits(device) else { return false }
        // A scan response adds to a match, the name above all.
        if let index = matches.firstIndex(where: { $0.address == device.address }) {
            matches[index] = device
        } else {
            matches.append(device)
        }
        // The name is often in the scan response, which follows at once, so it is waited for, but not for long.
        return device.name != nil || !device.isScannable || device.hasScanResponse || device.reportCount > 1
    }

    private func fits(_ device: AdvertiserInfo) -> Bool {
        switch wish {
        case .address(let address, _): device.address.address == address
        case .name(let name): device.name?.text == name
        case .advertising(let name, let services):
            (name.map { $0.matches(device.name?.text ?? "") } ?? true) && services.allSatisfy(device.advertises)
        case .likely(let service): device.advertises(service)
        }
    }

    /// The device to connect to. Throws if there is none, or more than one where one is required.
    func outcome(mustBeOnlyOne: Bool, isGuessAllowed: Bool, patience: Duration) throws -> DeviceReference {
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
        let connectable = table.advertisers.filter(\.isConnectable).sorted(by: .seen)
        if isGuessAllowed, let only = connectable.first {
            guard connectable.count == 1 else {
                throw BlectlError(
                    .notFound,
                    "no device \(wish.text), and several accept connections: \(list(connectable.map(reference)))",
                    hint: "name the device: -d \(only.address.address)"
                )
            }
            return reference(only)
        }
        if case .address(let address, _) = wish,
            table.advertisers.contains(where: { $0.address.address == address })
        {
            throw BlectlError(
                .temporaryFailure,
                "\(address) is there, but accepts no connection",
                hint: "it may be a beacon, or already connected to another device"
            )
        }
        throw BlectlError(
            .notFound,
            "no device \(wish.text) was found in \(patience)",
            hint: "is it switched on, near, and not connected to something else? see blectl scan"
        )
    }

    private func reference(_ device: AdvertiserInfo) -> DeviceReference {
        DeviceReference(address: device.address, name: device.name?.text)
    }

    private func list(_ devices: [DeviceReference]) -> String {
        let shown = devices.prefix(5).map(\.text).joined(separator: ", ")
        return devices.count > 5 ? "\(shown) and \(devices.count - 5) more" : shown
    }
}
