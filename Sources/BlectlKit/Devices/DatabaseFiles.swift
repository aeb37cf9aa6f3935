// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost
import FoundationEssentials

/// The GATT cache: what was discovered of each device, a file for each.
///
/// `$XDG_CACHE_HOME/blectl/gatt/f0f1f2f3f4f5-random.json`. A file is a convenience: one that is missing, damaged, of another
/// device or of another version is as good as none, and one that cannot be written is not worth a message. It is written as a
/// whole and renamed into place. Whether it still holds is asked of the device, each time.
public struct DatabaseFiles: DatabaseStore {
    /// How many devices are kept: those that changed last.
    private static let fileLimit = 500
    /// No file that blectl writes is larger, not even of a device with an attribute at each handle.
    private static let sizeLimit = 16 << 20
    /// For how long a device that has no Database Hash is not asked for it again.
    private static let absenceLasts = Duration.seconds(24 * 3_600)

    private let folder: String
    private let time: any TimeSource

    /// The cache in a folder, which need not exist.
    public init(folder: String, time: any TimeSource) {
        self.folder = folder
        self.time = time
    }

    /// The folder's place according to the environment; `nil` where there is no home directory.
    public static func defaultFolder(environment: (String) -> String?) -> String? {
        if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") { return "\(cache)/blectl/gatt" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.cache/blectl/gatt"
    }

    public func load(_ device: DeviceAddress) -> StoredDatabase? {
        guard let name = Self.name(of: device), let data = read("\(folder)/\(name)"),
            let file = try? JSONDecoder().decode(DatabaseFile.self, from: data), file.isOf(device)
        else { return nil }
        if file.isOfAbsence, time.wallClock < file.written || file.written + Self.absenceLasts < time.wallClock {
            return nil
        }
        return file.stored
    }

    public func save(_ stored: StoredDatabase, of device: DeviceAddress) {
        guard let name = Self.name(of: device) else { return }
        guard let data = DatabaseFile(stored, of: device, written: time.wallClock).encoded else { return }
        let url = URL(filePath: folder)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try? data.write(to: url.appending(component: name), options: .atomic)
        removeOldest()
    }

    /// A file's name: of devices whose address changes nothing is kept.
    private static func name(of device: DeviceAddress) -> String? {
        guard device.kind == .public || device.kind == .randomStatic else { return nil }
        return "\(device.address.description.lowercased().filter { $0 != ":" })-\(device.type.connectionType).json"
    }

    /// What a file holds, where it is one and of a size that can be.
    private func read(_ path: String) -> Data? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            // A UInt without the rest of Foundation, a number that can be any with it.
            let size = attributes[.size] as? UInt, size <= Self.sizeLimit
        else { return nil }
        return try? Data(contentsOf: URL(filePath: path))
    }

    private func removeOldest() {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: folder), names.count > Self.fileLimit else { return }
        let dated = names.filter { $0.hasSuffix(".json") }.map { name in
            let date = (try? manager.attributesOfItem(atPath: "\(folder)/\(name)"))?[.modificationDate] as? Date
            return (name, date ?? .distantPast)
        }
        for (name, _) in dated.sorted(by: { $0.1 > $1.1 }).dropFirst(Self.fileLimit) {
            try? manager.removeItem(atPath: "\(folder)/\(name)")
        }
    }
}
