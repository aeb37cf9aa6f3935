// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Glibc
import Synchronization

/// A file that a command writes at its end. It is opened at the beginning, so that a failure comes before the work. The
/// content of an existing file stays until there is something new.
package final class OutputFile: Sendable {
    package let path: String
    private let descriptor: Int32
    private let isNew: Bool
    private let isWritten = Mutex(false)

    /// - Parameters:
    ///   - isPrivate: Whether a regular file is for this user only, whatever the umask is.
    package init(_ path: String, isPrivate: Bool = false) throws(BlectlError) {
        self.path = path
        let mode: mode_t = isPrivate ? 0o600 : 0o666
        // O_EXCL shows whether the file is new: only a new one is removed if nothing is written to it.
        let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        isNew = created >= 0
        // Without O_TRUNC, because the old content stays if the command fails.
        descriptor = isNew ? created : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw BlectlError(.cannotCreateOutput, cannot: "create \(path)", reason)
        }
        var status = stat()
        guard isPrivate, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        // open(2) sets the mode of a new file only. An existing file may be readable for everybody.
        guard fchmod(descriptor, mode) == 0 else {
            let reason = String(cString: strerror(errno))
            throw BlectlError(.cannotCreateOutput, cannot: "make \(path) private", reason)
        }
    }

    deinit {
        close(descriptor)
        if isNew, !isWritten.withLock({ $0 }) { unlink(path) }
    }

    /// Writes the content. If there is no room for it, an old content stays, and a new file is removed.
    package func write(_ bytes: [UInt8]) throws(BlectlError) {
        try reserve(bytes.count)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                throw BlectlError(.ioError, cannot: "write to \(path)", reason)
            }
        }
        // Only now, because cutting an old content first would give its room away. A pipe or a terminal cannot be cut.
        _ = ftruncate(descriptor, off_t(bytes.count))
        isWritten.withLock { $0 = true }
    }

    /// Throws if a regular file has no room for that many octets. Other files, and some file systems, cannot tell.
    private func reserve(_ count: Int) throws(BlectlError) {
        var status = stat()
        guard count > 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let failure = posix_fallocate(descriptor, 0, off_t(count))
        guard [ENOSPC, EDQUOT, EFBIG].contains(failure) else { return }
        // What was reserved before the failure.
        _ = ftruncate(descriptor, status.st_size)
        throw BlectlError(.ioError, cannot: "write to \(path)", String(cString: strerror(failure)))
    }
}
