// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A file with a lock of this process. The lock ends with the last reference.
package final class LockedFile: Sendable {
    private let file: StateDescriptor
    private let name: String
    /// The folder, which stays open so that the name keeps its meaning.
    private let folder: StateDescriptor

    init(_ file: StateDescriptor, _ name: String, _ folder: StateDescriptor) {
        self.file = file
        self.name = name
        self.folder = folder
    }

    /// The file's content, up to `limit` octets; empty if it cannot be read.
    package func contents(limit: Int = 4_096) -> [UInt8] {
        (try? file.contents(limit: limit, name))?.bytes ?? []
    }

    /// Overwrites the file in place. Only for a few octets, because readers may see an incomplete file.
    package func write(_ bytes: [UInt8]) {
        // A convenience: a lease that cannot be written is like none.
        try? overwrite(bytes)
    }

    /// Removes the file. The lock remains until the last reference ends.
    package func remove() {
        unlinkat(folder.number, name, 0)
    }

    /// Writes the file, and renames it so that it replaces another. Removes it if that fails.
    ///
    /// - Parameters:
    ///   - other: The name.
    ///   - bytes: The content.
    ///   - isDurable: Whether it is on the disk when this returns. Most files are a convenience, and readers detect one
    ///     that a crash of the machine has damaged.
    func become(_ other: String, with bytes: [UInt8], isDurable: Bool = false) throws(StateFolder.Failure) {
        do throws(StateFolder.Failure) {
            try overwrite(bytes)
            guard !isDurable || fsync(file.number) == 0 else { throw StateFolder.Failure("write", name) }
            guard renameat(folder.number, name, folder.number, other) == 0 else {
                throw StateFolder.Failure("rename", name)
            }
            // The file is complete under either name; if this fails, only the name may be lost in a crash.
            if isDurable { _ = fsync(folder.number) }
        } catch {
            remove()
            throw error
        }
    }

    /// Writes that many octets, which nobody reads. Throws if there is no room for them.
    package func probe(_ count: Int) throws(StateFolder.Failure) {
        try overwrite([UInt8](repeating: 0, count: count))
    }

    /// Empties the file and writes the octets. A partial write is an error, because the file would be
    /// incomplete.
    private func overwrite(_ bytes: [UInt8]) throws(StateFolder.Failure) {
        guard ftruncate(file.number, 0) == 0 else { throw StateFolder.Failure("write", name) }
        try file.write(bytes, "write", name)
    }
}
