// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A file that is locked by this process, until the last reference to it goes.
final class LockedFile: Sendable {
    private let file: StateDescriptor
    private let name: String
    private let folder: StateDescriptor

    init(_ file: StateDescriptor, _ name: String, _ folder: StateDescriptor) {
        self.file = file
        self.name = name
        self.folder = folder
    }

    /// What it holds, up to `limit` octets; empty where that cannot be read.
    func contents(limit: Int = 4_096) -> [UInt8] {
        (try? file.contents(limit: limit, name))?.bytes ?? []
    }

    /// Writes it anew, in place: for a few octets that readers may find incomplete.
    func write(_ bytes: [UInt8]) {
        try? overwrite(bytes)
    }

    /// Removes it. The lock goes with the last reference.
    func remove() {
        unlinkat(folder.number, name, 0)
    }

    /// Writes it and gives it the name of the file that it replaces. It is gone where that fails.
    ///
    /// Not synchronised with the disk: a crash of the machine may cost the file, which is a convenience, and its reader finds
    /// that out.
    func become(_ other: String, with bytes: [UInt8]) throws(StateFolder.Failure) {
        do throws(StateFolder.Failure) {
            try overwrite(bytes)
            guard renameat(folder.number, name, folder.number, other) == 0 else {
                throw StateFolder.Failure("rename", name)
            }
        } catch {
            remove()
            throw error
        }
    }

    private func overwrite(_ bytes: [UInt8]) throws(StateFolder.Failure) {
        guard ftruncate(file.number, 0) == 0 else { throw StateFolder.Failure("write", name) }
        var count = 0
        while count < bytes.count {
            let step = bytes[count...].withUnsafeBytes {
                pwrite(file.number, $0.baseAddress, $0.count, off_t(count))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw StateFolder.Failure("write", name) }
            count += step
        }
    }
}
