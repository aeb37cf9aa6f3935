// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Synchronization

/// The bonds in a file of the user: `bonds` in the state folder, private to the user, and replaced as a whole.
///
/// Unlike the other files there, it is not a convenience: a damaged file is an error, and is never overwritten.
package struct BondFiles: BondStore {
    /// The file cannot be used.
    struct Failure: Error, Equatable, CustomStringConvertible {
        /// The files with keys.
        enum Thing: Equatable {
            case bonds
            /// The keys of this machine's own private addresses.
            case identity
        }

        /// The kinds of problems, which have different statuses.
        enum Kind: Equatable {
            case damaged
            case unreadable
            case unwritable
        }

        var thing = Thing.bonds
        let kind: Kind
        let path: String
        /// The reason, in words.
        let reason: String
        /// Whether the folder of the file cannot be used, so that blectl has never kept a bond there.
        var isOfFolder = false

        var description: String { "\(path): \(reason)" }

        init(_ thing: Thing, _ kind: Kind, _ path: String, _ reason: String, isOfFolder: Bool = false) {
            self.thing = thing
            self.kind = kind
            self.path = path
            self.reason = reason
            self.isOfFolder = isOfFolder
        }
    }

    private static let name = "bonds"
    /// The size limit of the file, in octets.
    private static let sizeLimit = 4 << 20

    private let folder: StateFolder
    private let time: any TimeSource
    private let onKeys: @Sendable () -> Void

    /// The bonds in a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - time: The clock of the waits for other processes.
    ///   - onKeys: Called before keys may be in memory: every command that has to do with keys reads the bonds first.
    package init(folder: StateFolder, time: any TimeSource, onKeys: @escaping @Sendable () -> Void = {}) {
        self.folder = folder
        self.time = time
        self.onKeys = onKeys
    }

    /// The path of the file, for messages.
    var path: String { "\(folder.path)/\(Self.name)" }

    /// The path of the outermost folder that belongs to blectl.
    var root: String { folder.rootPath }

    package func bonds() throws -> [Bond] {
        onKeys()
        let bytes: [UInt8]?
        do throws(StateFolder.Failure) {
            bytes = try folder.requiredContents(of: Self.name, limit: Self.sizeLimit)
        } catch {
            throw Failure(.bonds, .unreadable, path, error.text, isOfFolder: error.isOfFolder)
        }
        return try Self.bonds(in: bytes, path)
    }

    package func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        onKeys()
        do {
            try await folder.replaceDurably(Self.name, limit: Self.sizeLimit, time: time) { [path] old in
                try BondFile(change(try Self.bonds(in: old, path))).encoded()
            }
        } catch let error as StateFolder.Failure {
            throw Failure(.bonds, .unwritable, path, error.text)
        }
    }

    private static func bonds(in bytes: [UInt8]?, _ path: String) throws -> [Bond] {
        guard let bytes else { return [] }
        do throws(BondFile.Damage) {
            return try BondFile.bonds(in: bytes)
        } catch {
            throw Failure(.bonds, .damaged, path, error.text)
        }
    }
}

/// The bonds of a simulated machine, which are gone with the process.
package final class MemoryBonds: BondStore {
    private let kept = Mutex<[Bond]>([])

    /// Creates an empty store.
    package init() {}

    package var isLasting: Bool { false }

    package func bonds() throws -> [Bond] { kept.withLock { $0 } }

    package func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        kept.withLock { $0 = change($0) }
    }
}

extension BlectlError {
    /// The message for a file of keys that cannot be used.
    init(_ failure: BondFiles.Failure, doing action: String) {
        let (name, things) =
            switch failure.thing {
            case .bonds: ("file of bonds", "bonds")
            case .identity: ("file of this machine's identity", "keys of private addresses")
            }
        switch failure.kind {
        case .damaged:
            self.init(
                .badData,
                cannot: action,
                "the \(name) \(failure.path) is damaged: \(failure.reason); it was left as it is",
                hint: "put a copy in its place, or move it away and pair again"
            )
        case .unreadable:
            self.init(
                .cannotOpenInput,
                cannot: action,
                "the \(things) in \(failure.path) cannot be read: \(failure.reason)"
            )
        case .unwritable:
            self.init(
                .cannotCreateOutput,
                cannot: action,
                "the \(things) in \(failure.path) cannot be written: \(failure.reason)"
            )
        }
    }
}
