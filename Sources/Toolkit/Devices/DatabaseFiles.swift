// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Records

/// The GATT cache: the discovered database of each device in a separate file, `f0f1f2f3f4f5-random.json`.
///
/// A file only saves requests. A missing or damaged file, or one of another device or version, is ignored, and a
/// failure to write one is not reported. On each connection the device confirms that its file is still valid. A device
/// can only influence its own file, whose size is limited.
///
/// A second file, `f0f1f2f3f4f5-random.mtu`, is there for a device that does not take an exchange of the MTU; it
/// contains the time at which that was noticed.
package struct DatabaseFiles: DatabaseStore {
    /// The maximum number of devices that are kept. Those whose files changed last stay.
    private static let fileLimit = 500
    /// The size limit of a file, in octets: fifty times the need of a sports watch.
    private static let sizeLimit = 512 << 10
    /// The size limit of all files together, in octets.
    private static let totalLimit = 16 << 20
    /// How long the absence of a Database Hash is remembered. Afterwards the device is asked again.
    private static let absenceLasts = Duration.seconds(24 * 3_600)
    /// How long it is remembered that a device does not take an exchange of the MTU. Afterwards the exchange is tried
    /// again.
    private static let refusalLasts = Duration.seconds(7 * 24 * 3_600)

    private let folder: StateFolder
    private let time: any TimeSource

    /// A cache in a folder, which need not exist.
    package init(folder: StateFolder, time: any TimeSource) {
        self.folder = folder
        self.time = time
    }

    /// The folder, the outermost one that belongs to blectl, the reason why nothing can be kept there, and the number
    /// of devices in it. Creates nothing.
    package var state: (path: String, root: String, obstacle: String?, count: Int) {
        (folder.path, folder.rootPath, folder.obstacle?.text, devices.count)
    }

    package func load(_ device: DeviceAddress) -> StoredDatabase? {
        guard let name = Self.name(of: device) else { return nil }
        return stored(folder.contents(of: name, limit: Self.sizeLimit), of: device)
    }

    private func stored(_ contents: StateFolder.Contents, of device: DeviceAddress) -> StoredDatabase? {
        guard let bytes = contents.bytes,
            let file = try? JSONCoding.decode(DatabaseFile.self, from: bytes), file.isOf(device)
        else { return nil }
        // A time of writing in the future says nothing about the age: the clock was set back.
        if file.isOfAbsence, time.wallClock < file.written || file.written + Self.absenceLasts < time.wallClock {
            return nil
        }
        return file.stored
    }

    package var devices: [DeviceAddress] {
        folder.entries().compactMap { entry in
            for type in [AddressType.public, .random] {
                let ending = "-\(type).json"
                guard entry.name.hasSuffix(ending) else { continue }
                let digits = Array(entry.name.dropLast(ending.count))
                guard digits.count == 12 else { return nil }
                let pairs = stride(from: 0, to: 12, by: 2).map { String(digits[$0..<$0 + 2]) }
                return BluetoothAddress(pairs.joined(separator: ":")).map { DeviceAddress($0, type) }
            }
            return nil
        }
    }

    /// Removes the database of a device. The next command discovers it again.
    package func forget(_ device: DeviceAddress) {
        if let name = Self.name(of: device) { folder.remove(name) }
        if let name = Self.refusalName(of: device) { folder.remove(name) }
    }

    package func refusesMTUExchange(_ device: DeviceAddress) -> Bool {
        guard let name = Self.refusalName(of: device), let bytes = folder.contents(of: name, limit: 64).bytes,
            let written = Int64(String(decoding: bytes, as: UTF8.self)).map({ WallTime(nanosecondsSince1970: $0) })
        else { return false }
        // A time in the future says nothing about the age: the clock was set back.
        return written <= time.wallClock && time.wallClock <= written + Self.refusalLasts
    }

    package func saveMTUExchangeRefusal(of device: DeviceAddress) async {
        guard let name = Self.refusalName(of: device) else { return }
        let now = [UInt8]("\(time.wallClock.nanoseconds)".utf8)
        await folder.update(name, limit: 64, time: time) { _ in now }
        removeOldest()
    }

    /// If several programs write at once, each adds to the result of the previous one.
    package func save(_ stored: StoredDatabase, of device: DeviceAddress) async {
        guard let name = Self.name(of: device) else { return }
        // The old file is out of date even if the new one is too large to keep.
        guard let alone = encoded(stored, of: device) else { return folder.remove(name) }
        await folder.update(name, limit: Self.sizeLimit, time: time) { contents in
            guard let older = self.stored(contents, of: device) else { return alone }
            // Both findings together may exceed the limit.
            return encoded(stored.merging(older), of: device) ?? alone
        }
        removeOldest()
    }

    /// A file's content; `nil` if it would be too large. The least size comes first, because encoding a large database
    /// takes time.
    private func encoded(_ stored: StoredDatabase, of device: DeviceAddress) -> [UInt8]? {
        guard DatabaseFile.leastSize(of: stored.database) <= Self.sizeLimit,
            let data = DatabaseFile(stored, of: device, written: time.wallClock).encoded, data.count <= Self.sizeLimit
        else { return nil }
        return data
    }

    /// The name of a device's file; `nil` for a device whose address changes.
    private static func name(of device: DeviceAddress) -> String? { stem(of: device).map { "\($0).json" } }

    /// The name of the file that is there if a device does not take an exchange of the MTU.
    private static func refusalName(of device: DeviceAddress) -> String? { stem(of: device).map { "\($0).mtu" } }

    private static func stem(of device: DeviceAddress) -> String? {
        guard device.kind == .public || device.kind == .randomStatic else { return nil }
        // The type is a part of the name, because the same digits can be a public and a random address of two devices.
        return "\(device.address.description.lowercased().filter { $0 != ":" })-\(device.type.connectionType)"
    }

    /// Removes the oldest files until the number of files and their total size are within the limits.
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
