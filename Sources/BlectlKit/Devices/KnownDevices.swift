// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost
import FoundationEssentials

/// The address types of devices that were seen before, kept between runs: a remembered device is connected to without a scan.
///
/// `devices.json` in the state folder. The file is a convenience: one that is missing, damaged or unwritable is as good as
/// empty. It holds a thousand devices. What stands in it comes from the air, where anybody can say anything: an advertisement
/// changes nothing of the type by which a device was connected to, and takes no such device's place.
public struct KnownDevices: Sendable {
    /// What is remembered of a device.
    public struct Entry: Codable, Sendable, Equatable {
        /// `public` or `random`
        public var type: String
        /// The name it advertised, if any.
        public var name: String?
        /// When it was seen last, in RFC 3339.
        public var seen: String
        /// When it was connected to last, in RFC 3339; `nil`: never, all that is known is an advertisement.
        public var connected: String?
    }

    private struct File: Codable {
        var version = 1
        var devices: [String: Entry]
    }

    /// Something that was learned in this run.
    private struct Sighting: Sendable {
        let key: String
        let entry: Entry
    }

    private static let fileName = "devices.json"
    /// How many devices are remembered.
    private static let deviceLimit = 1_000
    /// No file that blectl writes is larger, in octets.
    private static let sizeLimit = 512 << 10
    /// The longest name that an attribute can hold, and far more than an advertisement can, in octets.
    private static let nameLimit = 248

    private let folder: StateFolder?
    private var devices: [String: Entry] = [:]
    private var news: [Sighting] = []

    /// Reads the file; without a folder nothing is remembered, as in a simulation.
    public init(in folder: StateFolder?) {
        self.folder = folder
        devices = (folder?.contents(of: Self.fileName, limit: Self.sizeLimit)).map(Self.devices) ?? [:]
    }

    /// The type of an address, if it is remembered.
    public func type(of address: BluetoothAddress) -> AddressType? {
        devices[address.description].flatMap { AddressType(name: $0.type) }
    }

    /// The name that a device had, if it is remembered.
    public func name(of address: BluetoothAddress) -> String? {
        devices[address.description]?.name
    }

    /// Whether a device was connected to by that type of address on that day, or later.
    func wasConnected(to device: DeviceAddress, on day: WallTime) -> Bool {
        guard let entry = devices[device.address.description], entry.type == device.type.connectionType.description,
            let connected = entry.connected
        else { return false }
        return connected >= "\(day)".prefix(10)
    }

    /// Remembers a device, unless its address is one that changes.
    ///
    /// - Parameters:
    ///   - name: What it calls itself; `nil` leaves the name that is known.
    ///   - seen: When, in RFC 3339.
    ///   - isConnected: Whether there is a connection, which proves the type of the address.
    public mutating func remember(_ device: DeviceAddress, name: String?, seen: String, isConnected: Bool = false) {
        guard device.kind == .public || device.kind == .randomStatic else { return }
        let sighting = Sighting(
            key: device.address.description,
            entry: Entry(
                type: device.type.connectionType.description,
                name: name.flatMap { $0.utf8.count <= Self.nameLimit ? $0 : nil },
                seen: seen,
                connected: isConnected ? seen : nil
            )
        )
        Self.add(sighting, to: &devices)
        news.append(sighting)
    }

    /// Adds what was learned to what the file holds by now. A failure is not worth a message.
    public mutating func save(time: any TimeSource) async {
        guard let folder, !news.isEmpty else { return }
        let news = news
        self.news = []
        await folder.update(Self.fileName, limit: Self.sizeLimit, time: time) { contents in
            if contents == .tooLarge {
                folder.tell(.init("\(Self.fileName) is larger than any that blectl writes; it is written anew"))
            }
            var devices = Self.devices(contents)
            for sighting in news { Self.add(sighting, to: &devices) }
            return Self.encode(devices)
        }
    }

    /// Remembers that a device was connected to just now. Once a day is enough: the file is not written for each command.
    static func rememberConnection(
        to device: DeviceReference,
        in folder: StateFolder?,
        time: any TimeSource
    ) async {
        var known = KnownDevices(in: folder)
        let now = time.wallClock
        guard !known.wasConnected(to: device.address, on: now) else { return }
        known.remember(device.address, name: device.name, seen: now.description, isConnected: true)
        await known.save(time: time)
    }

    private static func add(_ sighting: Sighting, to devices: inout [String: Entry]) {
        var entry = sighting.entry
        if let old = devices[sighting.key] {
            let isSame = old.type == entry.type
            // Somebody advertises with the address of a device that is known better.
            if !isSame, old.connected != nil, entry.connected == nil { return }
            if isSame {
                entry.name = entry.name ?? old.name
                entry.seen = max(entry.seen, old.seen)
                entry.connected = [entry.connected, old.connected].compactMap(\.self).max()
            }
        }
        devices[sighting.key] = entry
    }

    private static func devices(_ contents: StateFolder.Contents) -> [String: Entry] {
        guard let bytes = contents.bytes, let file = try? JSONDecoder().decode(File.self, from: Data(bytes)),
            file.version == 1
        else { return [:] }
        return file.devices
    }

    /// The file, of as many devices as it may have: those that were connected to before those that were only seen, and the
    /// latest of each. `nil` where it cannot be.
    private static func encode(_ devices: [String: Entry]) -> [UInt8]? {
        var kept: [String: Entry] = [:]
        var room = sizeLimit - 64
        for (key, entry) in devices.sorted(by: isWorthMore) {
            // A character becomes at most six: \u001b. And what stands around: indents, names, quotation marks.
            room -= 6 * (entry.name ?? "").utf8.count + entry.seen.utf8.count + (entry.connected ?? "").utf8.count + 160
            guard kept.count < deviceLimit, room >= 0 else { break }
            guard BluetoothAddress(key) != nil, AddressType(name: entry.type) != nil else { continue }
            kept[key] = entry
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return (try? encoder.encode(File(devices: kept))).map { [UInt8]($0) }
    }

    private static func isWorthMore(_ left: (key: String, value: Entry), than right: (key: String, value: Entry))
        -> Bool
    {
        let (first, second) = (left.value, right.value)
        guard (first.connected == nil) == (second.connected == nil) else { return first.connected != nil }
        return (first.connected ?? first.seen, left.key) > (second.connected ?? second.seen, right.key)
    }
}
