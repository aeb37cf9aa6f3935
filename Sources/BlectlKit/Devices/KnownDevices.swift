// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import FoundationEssentials

/// The address types of devices that were seen before, kept between runs: a remembered device is connected to without a scan.
///
/// `$XDG_STATE_HOME/blectl/devices.json`. The file is a convenience: one that is missing, damaged or unwritable is as good as
/// empty. It is written as a whole and renamed into place, and holds the thousand devices seen last.
public struct KnownDevices: Sendable {
    /// What is remembered of a device.
    public struct Entry: Codable, Sendable, Equatable {
        /// `public` or `random`
        public var type: String
        /// The name it advertised, if any.
        public var name: String?
        /// When it was seen last, in RFC 3339.
        public var seen: String
    }

    private struct File: Codable {
        var version = 1
        var devices: [String: Entry]
    }

    private static let limit = 1_000

    private let path: String?
    private var devices: [String: Entry]

    /// Reads the file; without a path nothing is remembered, as in a simulation.
    public init(path: String?) {
        self.path = path
        guard
            let path,
            let data = try? Data(contentsOf: URL(filePath: path)),
            let file = try? JSONDecoder().decode(File.self, from: data),
            file.version == 1
        else {
            devices = [:]
            return
        }
        devices = file.devices
    }

    /// The file's place according to the environment; `nil` where there is no home directory.
    public static func defaultPath(environment: (String) -> String?) -> String? {
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/blectl/devices.json" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/blectl/devices.json"
    }

    /// The type of an address, if it is remembered.
    public func type(of address: BluetoothAddress) -> AddressType? {
        devices[address.description].flatMap { AddressType(name: $0.type) }
    }

    /// The name that a device had, if it is remembered.
    public func name(of address: BluetoothAddress) -> String? {
        devices[address.description]?.name
    }

    /// Remembers a device, unless its address is one that changes.
    public mutating func remember(_ device: DeviceAddress, name: String?, seen: String) {
        guard device.kind == .public || device.kind == .randomStatic else { return }
        let key = device.address.description
        devices[key] = Entry(
            type: device.type.connectionType.description,
            name: name ?? devices[key]?.name,
            seen: seen
        )
    }

    /// Writes the file; a failure is not worth a message.
    public func save() {
        guard let path else { return }
        let kept =
            devices.count <= Self.limit
            ? devices
            : Dictionary(
                uniqueKeysWithValues: devices.sorted { $0.value.seen > $1.value.seen }.prefix(Self.limit).map {
                    ($0.key, $0.value)
                }
            )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(File(devices: kept)) else { return }
        let url = URL(filePath: path)
        try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? data.write(to: url, options: .atomic)
    }
}
