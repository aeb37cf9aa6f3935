// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Records

/// The address types of devices seen before, kept between runs, so that a remembered device is connected to without a
/// scan.
///
/// They are in `devices.json` in the state folder, a thousand devices at most. A file that is missing, damaged or
/// unwritable counts as empty. Advertisements can be forged: they neither change the address type of a device that was
/// connected to nor displace such a device.
package struct KnownDevices: Sendable {
    package struct Entry: Codable, Sendable, Equatable {
        /// `public` or `random`
        package var type: String
        package var name: String?
        /// The time of the last sighting, in RFC 3339.
        package var seen: String
        /// The time of the last connection, in RFC 3339; `nil` if only advertisements are known.
        package var connected: String?
        /// `true` if the last advertisement was one on LE Coded, and there was no connection yet. A machine that has
        /// connected does so on that PHY, too.
        package var coded: Bool?
    }

    private struct File: Codable {
        var version = 1
        var devices: [String: Entry]
    }

    /// A device that was seen or connected to in this run.
    private struct Sighting: Sendable {
        let key: String
        let entry: Entry
    }

    private static let fileName = "devices.json"
    private static let deviceLimit = 1_000
    /// The size limit of the file, in octets. Each command reads all of it, so that a larger one would cost time and
    /// memory.
    private static let sizeLimit = 512 << 10
    /// The longest name that a Device Name characteristic can hold, in octets. Advertised names are shorter.
    private static let nameLimit = 248

    private let folder: StateFolder?
    private var devices: [String: Entry] = [:]
    private var news: [Sighting] = []

    /// Reads the file. Without a folder, as in a simulation, nothing is remembered.
    package init(in folder: StateFolder?) {
        self.folder = folder
        devices = (folder?.contents(of: Self.fileName, limit: Self.sizeLimit)).map(Self.devices) ?? [:]
    }

    package func type(of address: BluetoothAddress) -> AddressType? {
        devices[address.description].flatMap { AddressType(name: $0.type) }
    }

    /// All remembered devices: those that were connected to before those that were only seen, later ones before earlier
    /// ones.
    package var all: [DeviceReference] {
        devices.sorted(by: Self.isWorthMore).compactMap { key, entry in
            guard let address = BluetoothAddress(key), let type = AddressType(name: entry.type) else { return nil }
            return DeviceReference(address: DeviceAddress(address, type), name: entry.name)
        }
    }

    package var entries: [(device: DeviceAddress, entry: Entry)] {
        devices.compactMap { key, entry in
            guard let address = BluetoothAddress(key), let type = AddressType(name: entry.type) else { return nil }
            return (DeviceAddress(address, type), entry)
        }
    }

    package static func forget(_ devices: Set<BluetoothAddress>, in folder: StateFolder?, time: any TimeSource) async {
        await folder?.update(fileName, limit: sizeLimit, time: time) { contents in
            let kept = Self.devices(contents)
            let rest = kept.filter { key, _ in BluetoothAddress(key).map { !devices.contains($0) } ?? false }
            return rest.count < kept.count ? encode(rest) : nil
        }
    }

    package func name(of address: BluetoothAddress) -> String? {
        devices[address.description]?.name
    }

    package func reference(to device: DeviceAddress) -> DeviceReference {
        let entry = devices[device.address.description]
        var reference = DeviceReference(address: device, name: entry?.name)
        reference.wasHeardOnCoded = entry?.coded ?? false
        if entry?.type == device.type.connectionType.description { reference.connected = entry?.connected }
        return reference
    }

    /// Remembers a device, unless its address changes with time.
    ///
    /// - Parameters:
    ///   - name: The advertised name; `nil` keeps the known one.
    ///   - seen: The time, in RFC 3339.
    ///   - isConnected: Whether it was connected to, which proves the type of the address.
    ///   - isCoded: Whether it was heard on LE Coded.
    package mutating func remember(
        _ device: DeviceAddress,
        name: String?,
        seen: String,
        isConnected: Bool = false,
        isCoded: Bool = false
    ) {
        guard device.kind == .public || device.kind == .randomStatic else { return }
        let sighting = Sighting(
            key: device.address.description,
            entry: Entry(
                type: device.type.connectionType.description,
                name: name.flatMap { $0.utf8.count <= Self.nameLimit ? $0 : nil },
                seen: seen,
                connected: isConnected ? seen : nil,
                coded: isCoded && !isConnected ? true : nil
            )
        )
        Self.add(sighting, to: &devices)
        news.append(sighting)
    }

    /// Merges the sightings of this run into the file, which may have changed meanwhile. A failure is not reported.
    package mutating func save(time: any TimeSource) async {
        guard let folder, !news.isEmpty else { return }
        let news = news
        self.news = []
        await folder.update(Self.fileName, limit: Self.sizeLimit, time: time) { contents in
            if contents == .tooLarge {
                folder.reportFailure(.init("\(Self.fileName) is larger than any that blectl writes, and is replaced"))
            }
            var devices = Self.devices(contents)
            for sighting in news { Self.add(sighting, to: &devices) }
            return Self.encode(devices)
        }
    }

    /// Records a connection. Once a day suffices, so that not every command writes the file.
    package static func rememberConnection(
        to device: DeviceReference,
        in folder: StateFolder?,
        time: any TimeSource
    ) async {
        let now = time.wallClock
        // The search may have read the file already.
        guard !device.wasConnected(on: now) else { return }
        var known = KnownDevices(in: folder)
        guard !known.reference(to: device.address).wasConnected(on: now) else { return }
        known.remember(device.address, name: device.name, seen: now.description, isConnected: true)
        await known.save(time: time)
    }

    private static func add(_ sighting: Sighting, to devices: inout [String: Entry]) {
        var entry = sighting.entry
        if let old = devices[sighting.key] {
            let isSame = old.type == entry.type
            // An advertisement does not overrule a connection.
            if !isSame, old.connected != nil, entry.connected == nil { return }
            if isSame {
                entry.name = entry.name ?? old.name
                // Another program may have saved a later time meanwhile.
                entry.seen = max(entry.seen, old.seen)
                entry.connected = [entry.connected, old.connected].compactMap(\.self).max()
                if entry.connected != nil { entry.coded = nil }
            }
        }
        devices[sighting.key] = entry
    }

    private static func devices(_ contents: StateFolder.Contents) -> [String: Entry] {
        guard let bytes = contents.bytes, let file = try? JSONCoding.decode(File.self, from: bytes),
            file.version == 1
        else { return [:] }
        return file.devices
    }

    /// The contents of the file within its limits: devices that were connected to come before those that were only
    /// seen, and later ones before earlier ones. `nil` if they cannot be encoded.
    private static func encode(_ devices: [String: Entry]) -> [UInt8]? {
        var kept: [String: Entry] = [:]
        // 64 octets are for the version and the braces around the devices.
        var room = sizeLimit - 64
        for (key, entry) in devices.sorted(by: isWorthMore) {
            // A character becomes at most six octets, \u001b; 160 octets are for indents, keys and quotation marks.
            room -= 6 * (entry.name ?? "").utf8.count + entry.seen.utf8.count + (entry.connected ?? "").utf8.count + 160
            guard kept.count < deviceLimit, room >= 0 else { break }
            // An entry that cannot be read would take room for ever.
            guard BluetoothAddress(key) != nil, AddressType(name: entry.type) != nil else { continue }
            kept[key] = entry
        }
        return try? JSONCoding.encodeForPeople(File(devices: kept))
    }

    private static func isWorthMore(_ left: (key: String, value: Entry), than right: (key: String, value: Entry))
        -> Bool
    {
        let (first, second) = (left.value, right.value)
        guard (first.connected == nil) == (second.connected == nil) else { return first.connected != nil }
        return (first.connected ?? first.seen, left.key) > (second.connected ?? second.seen, right.key)
    }
}
