// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Synchronization

/// The bonds in a file of the user: `bonds` in the state folder, private to the user, and replaced as a whole.
///
/// Unlike the other files there, it is not a convenience: a damaged file is an error, and is never overwritten.
package struct BondFiles: BondStore {
    /// The file cannot be used.
    struct Failure: Error, Equatable, CustomStringConvertible {
        /// The kinds of problems, which have different statuses.
        enum Kind: Equatable {
            case damaged
            case unreadable
            case unwritable
        }

        let kind: Kind
        /// The path of the file.
        let path: String
        /// The reason, in words.
        let reason: String
        /// Whether the folder of the file cannot be used, so that blectl has never kept a bond there.
        var isOfFolder = false

        var description: String { "\(path): \(reason)" }
    }

    private static let name = "bonds"
    /// The size limit of the file, in octets.
    private static let sizeLimit = 4 << 20

    private let folder: StateFolder
    private let time: any TimeSource

    /// The bonds in a folder.
    package init(folder: StateFolder, time: any TimeSource) {
        self.folder = folder
        self.time = time
    }

    /// The path of the file, for messages.
    var path: String { "\(folder.path)/\(Self.name)" }

    /// The path of the outermost folder that belongs to blectl.
    var root: String { folder.rootPath }

    package func bonds() throws -> [Bond] {
        let bytes: [UInt8]?
        do throws(StateFolder.Failure) {
            bytes = try folder.requiredContents(of: Self.name, limit: Self.sizeLimit)
        } catch {
            throw Failure(kind: .unreadable, path: path, reason: error.text, isOfFolder: error.isOfFolder)
        }
        return try Self.bonds(in: bytes, path)
    }

    package func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        do {
            try await folder.replaceDurably(Self.name, limit: Self.sizeLimit, time: time) { [path] old in
                try BondFile(change(try Self.bonds(in: old, path))).encoded()
            }
        } catch let error as StateFolder.Failure {
            throw Failure(kind: .unwritable, path: path, reason: error.text)
        }
    }

    private static func bonds(in bytes: [UInt8]?, _ path: String) throws -> [Bond] {
        guard let bytes else { return [] }
        do throws(BondFile.Damage) {
            return try BondFile.bonds(in: bytes)
        } catch {
            throw Failure(kind: .damaged, path: path, reason: error.text)
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
    /// The message for a file of bonds that cannot be used.
    init(_ failure: BondFiles.Failure, doing action: String) {
        switch failure.kind {
        case .damaged:
            self.init(
                .badData,
                cannot: action,
                "the file of bonds \(failure.path) is damaged: \(failure.reason); it was left as it is",
                hint: "put a copy in its place, or move it away and pair again"
            )
        case .unreadable:
            self.init(
                .cannotOpenInput,
                cannot: action,
                "the bonds in \(failure.path) cannot be read: \(failure.reason)"
            )
        case .unwritable:
            self.init(
                .cannotCreateOutput,
                cannot: action,
                "the bonds in \(failure.path) cannot be written: \(failure.reason)"
            )
        }
    }
}
