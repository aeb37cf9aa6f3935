// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost
import FoundationEssentials

/// The GATT cache: what was discovered of each device, a file for each.
///
/// `f0f1f2f3f4f5-random.json` in the cache folder. A file is a convenience: one that is missing, damaged, of another device or
/// of another version is as good as none, and one that cannot be written is not worth a message. Whether it still holds is
/// asked of the device, each time. What a device can have written here is of itself only, and has a limit.
public struct DatabaseFiles: DatabaseStore {
    /// How many devices are kept: those that changed last.
    private static let fileLimit = 500
    /// How large a file is at most, in octets: fifty times what a sports watch needs.
    private static let sizeLimit = 512 << 10
    /// How large all files are together, in octets.
    private static let totalLimit = 16 << 20
    /// For how long a device that has no Database Hash is not asked for it again.
    private static let absenceLasts = Duration.seconds(24 * 3_600)

    private let folder: StateFolder
    private let time: any TimeSource

    /// The cache in a folder, which need not exist.
    public init(folder: StateFolder, time: any TimeSource) {
        self.folder = folder
        self.time = time
    }

    public func load(_ device: DeviceAddress) -> StoredDatabase? {
        guard let name = Self.name(of: device),
            let bytes = folder.contents(of: name, limit: Self.sizeLimit).bytes,
            let file = try? JSONDecoder().decode(DatabaseFile.self, from: Data(bytes)), file.isOf(device)
        else { return nil }
        if file.isOfAbsence, time.wallClock < file.written || file.written + Self.absenceLasts < time.wallClock {
            return nil
        }
        return file.stored
    }

    public func save(_ stored: StoredDatabase, of device: DeviceAddress) {
        guard let name = Self.name(of: device) else { return }
        // What is too much to be kept is not worth being encoded either, and what was kept is out of date.
        guard DatabaseFile.leastSize(of: stored.database) <= Self.sizeLimit,
            let data = DatabaseFile(stored, of: device, written: time.wallClock).encoded, data.count <= Self.sizeLimit
        else { return folder.remove(name) }
        folder.replace(name, with: [UInt8](data))
        removeOldest()
    }

    /// A file's name: of devices whose address changes nothing is kept.
    private static func name(of device: DeviceAddress) -> String? {
        guard device.kind == .public || device.kind == .randomStatic else { return nil }
        return "\(device.address.description.lowercased().filter { $0 != ":" })-\(device.type.connectionType).json"
    }

    /// Removes what was written longest ago, until there are no more files than may be, and no more octets in them.
    private func removeOldest() {
        let entries = folder.entries()
        var total = entries.reduce(0) { $0 + $1.size }
        guard entries.count > Self.fileLimit || total > Self.totalLimit else { return }
        var count = entries.count
        for entry in entries.sorted(by: { $0.modified < $1.modified }) {
            guard count > Self.fileLimit || total > Self.totalLimit else { return }
            folder.remove(entry.name)
            count -= 1
            total -= entry.size
        }
    }
}
