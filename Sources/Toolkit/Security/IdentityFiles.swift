// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothDevices
package import BluetoothHost
import Records
import Synchronization

/// The keys of this machine's private addresses in a file of the user: `identity` beside the bonds, and kept like them.
///
/// A new key would make this machine a stranger to the devices that it is bonded with, so that a damaged file is an
/// error.
package struct IdentityFiles: IdentityKeyStore {
    /// The JSON form. Keys are hexadecimal, most significant octet first.
    private struct File: Codable {
        struct Entry: Codable {
            var adapter: String
            var irk: String
        }

        var schema = IdentityFiles.schema
        var identities: [Entry] = []
    }

    private static let schema = "blectl-identity/1"
    private static let name = "identity"
    private static let sizeLimit = 1 << 16

    private let folder: StateFolder
    private let time: any TimeSource
    private let onKeys: @Sendable () -> Void

    /// The keys in a folder.
    ///
    /// - Parameters:
    ///   - time: The clock of the waits for other processes.
    ///   - onKeys: Called before a key is in memory.
    package init(folder: StateFolder, time: any TimeSource, onKeys: @escaping @Sendable () -> Void = {}) {
        self.folder = folder
        self.time = time
        self.onKeys = onKeys
    }

    private var path: String { "\(folder.path)/\(Self.name)" }

    package func key(of adapter: BluetoothAddress) async throws -> SecurityKey {
        onKeys()
        // First without the lock for a change, because usually the key is there.
        let old: [UInt8]?
        do throws(StateFolder.Failure) {
            old = try folder.requiredContents(of: Self.name, limit: Self.sizeLimit)
        } catch {
            throw KeyFileFailure(.identity, error.isOfFolder ? .unwritable : .unreadable, path, error)
        }
        if let key = try Self.key(of: adapter, in: try Self.file(in: old, path), path) { return key }
        let made = Mutex<SecurityKey?>(nil)
        do {
            try await folder.replaceDurably(Self.name, limit: Self.sizeLimit, time: time) { [path] old in
                var file = try Self.file(in: old, path)
                // Another process may have been faster.
                let key = try Self.key(of: adapter, in: file, path) ?? SecurityKey(UInt128.random(in: 1...UInt128.max))
                file.identities.removeAll { $0.adapter == adapter.description }
                file.identities.append(File.Entry(adapter: adapter.description, irk: Hex.string(key.octets)))
                made.withLock { $0 = key }
                return try JSONCoding.encodeForPeople(file)
            }
        } catch let error as StateFolder.Failure {
            throw KeyFileFailure(.identity, .unwritable, path, error)
        }
        guard let key = made.withLock({ $0 }) else { throw Self.damage(path, "no key was made") }
        return key
    }

    private static func file(in bytes: [UInt8]?, _ path: String) throws -> File {
        guard let bytes else { return File() }
        guard let file = try? JSONCoding.decode(File.self, from: bytes) else {
            // The decoder's own words may contain the text of a key.
            throw damage(path, "it is not JSON with the members of a file of identities")
        }
        guard file.schema == schema else { throw damage(path, "its schema is not \(schema)") }
        return file
    }

    private static func key(of adapter: BluetoothAddress, in file: File, _ path: String) throws -> SecurityKey? {
        guard let entry = file.identities.first(where: { BluetoothAddress($0.adapter) == adapter }) else { return nil }
        guard let key = SecurityKey(hex: entry.irk), key != .zero else {
            throw damage(path, "the key of \(adapter) is not valid")
        }
        return key
    }

    private static func damage(_ path: String, _ reason: String) -> KeyFileFailure {
        KeyFileFailure(.identity, .damaged, path, reason)
    }
}

/// The keys of a simulated machine, which follow from a seed, so that each run is the same.
package final class MemoryIdentities: IdentityKeyStore {
    private let state: Mutex<(generator: SeededGenerator, keys: [BluetoothAddress: SecurityKey])>

    package init(seed: UInt64) {
        // A stream of its own, so that other random numbers of the same seed do not depend on the use of keys.
        state = Mutex((SeededGenerator(seed: seed, stream: 0x6964_656E), [:]))
    }

    package func key(of adapter: BluetoothAddress) async throws -> SecurityKey {
        state.withLock { state in
            if let key = state.keys[adapter] { return key }
            // The lowest bit is set, because a key of zeros is not valid.
            let key = SecurityKey(UInt128(state.generator.next()) << 64 | UInt128(state.generator.next() | 1))
            state.keys[adapter] = key
            return key
        }
    }

    package func random() -> UInt64 { state.withLock { $0.generator.next() } }
}
