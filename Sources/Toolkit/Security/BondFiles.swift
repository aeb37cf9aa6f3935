// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Synchronization

/// The bonds in a file of the user: `bonds` in the state folder, private to the user, and replaced as a whole.
///
/// Unlike the other files there, it is not a convenience: a damaged file is an error, and is never overwritten.
package struct BondFiles: BondStore {
    private static let name = "bonds"
    private static let sizeLimit = 4 << 20

    private let folder: StateFolder
    private let time: any TimeSource
    private let onKeys: @Sendable () -> Void

    /// The bonds in a folder.
    ///
    /// - Parameters:
    ///   - time: The clock of the waits for other processes.
    ///   - onKeys: Called before keys may be in memory: every command that has to do with keys reads the bonds first.
    package init(folder: StateFolder, time: any TimeSource, onKeys: @escaping @Sendable () -> Void = {}) {
        self.folder = folder
        self.time = time
        self.onKeys = onKeys
    }

    package var path: String { "\(folder.path)/\(Self.name)" }

    /// The path of the outermost folder that belongs to blectl.
    package var root: String { folder.rootPath }

    /// The reason why no bond can be kept. Creates nothing.
    package var obstacle: String? { folder.obstacle?.text }

    package func bonds() throws -> [Bond] {
        onKeys()
        let bytes: [UInt8]?
        do throws(StateFolder.Failure) {
            bytes = try folder.requiredContents(of: Self.name, limit: Self.sizeLimit)
        } catch {
            throw KeyFileFailure(.bonds, .unreadable, path, error)
        }
        return try Self.bonds(in: bytes, path)
    }

    package func checkIsWritable() throws {
        do throws(StateFolder.Failure) {
            try folder.checkIsWritable(Self.name)
        } catch {
            throw KeyFileFailure(.bonds, .unwritable, path, error)
        }
    }

    package func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        onKeys()
        do {
            try await folder.replaceDurably(Self.name, limit: Self.sizeLimit, time: time) { [path] old in
                try BondFile(change(try Self.bonds(in: old, path))).encoded()
            }
        } catch let error as StateFolder.Failure {
            throw KeyFileFailure(.bonds, .unwritable, path, error)
        }
    }

    private static func bonds(in bytes: [UInt8]?, _ path: String) throws -> [Bond] {
        guard let bytes else { return [] }
        do throws(BondFile.Damage) {
            return try BondFile.bonds(in: bytes)
        } catch {
            throw KeyFileFailure(.bonds, .damaged, path, error.text)
        }
    }
}

/// The bonds of a simulated machine, which are gone with the process.
package final class MemoryBonds: BondStore {
    private let kept = Mutex<[Bond]>([])

    package init() {}

    package var isLasting: Bool { false }

    package func bonds() throws -> [Bond] { kept.withLock { $0 } }

    package func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        kept.withLock { $0 = change($0) }
    }
}
