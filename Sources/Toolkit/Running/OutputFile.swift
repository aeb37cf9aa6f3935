// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Glibc
import Synchronization
import Terminal

/// A file that a command writes at its end. It is opened at the beginning, so that a failure comes before the work. The
/// content of an existing file stays until there is something new.
package final class OutputFile: Sendable {
    package let path: String
    private let descriptor: Int32
    private let isNew: Bool
    private let isWritten = Mutex(false)

    /// - Parameters:
    ///   - isPrivate: Whether a regular file is for this user only, whatever the umask is.
    ///   - waitsForReader: Whether a pipe is waited for, without end, until a process reads it. Otherwise one without a
    ///     reader is an error.
    package init(_ path: String, isPrivate: Bool = false, waitsForReader: Bool = false) throws(BlectlError) {
        self.path = path
        let mode: mode_t = isPrivate ? 0o600 : 0o666
        // O_EXCL shows whether the file is new: only a new one is removed if nothing is written to it.
        let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        isNew = created >= 0
        // Without O_TRUNC, because the old content stays if the command fails.
        let waits = waitsForReader ? 0 : O_NONBLOCK
        descriptor = isNew ? created : open(path, O_WRONLY | O_CREAT | O_NOCTTY | waits | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw BlectlError(uncreated: path, errno, reader: "cat") }
        // What is not a regular file may have no room for a while: `write` waits for it.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
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

    /// The time in milliseconds that a pipe or a terminal may take no octet.
    private static let patience: Int32 = 10_000

    /// Writes the content. If there is no room for it, an old content stays, and a new file is removed. Blocks while the
    /// reader of a pipe is slow; throws if it takes nothing for 10 s.
    package func write(_ bytes: [UInt8]) throws(BlectlError) {
        try reserve(bytes.count)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count >= 0 {
                start += count
            } else if errno == EAGAIN {
                try awaitRoom()
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                throw BlectlError(.ioError, cannot: "write to \(path)", reason)
            }
        }
        // Only now, because cutting an old content first would give its room away. A pipe or a terminal cannot be cut.
        _ = ftruncate(descriptor, off_t(bytes.count))
        isWritten.withLock { $0 = true }
    }

    private func awaitRoom() throws(BlectlError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, Self.patience) == 0 else { return }
        throw BlectlError(.ioError, cannot: "write to \(path)", "its reader does not read")
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

extension BlectlError {
    /// The error for a file that cannot be created.
    ///
    /// - Parameters:
    ///   - number: The error number of the system.
    ///   - reader: A command that reads a pipe, for the hint.
    package init(uncreated path: String, _ number: Int32, reader: String) {
        let hasNoReader = number == ENXIO
        self.init(
            .cannotCreateOutput,
            cannot: "create \(path)",
            hasNoReader ? "no process reads the pipe" : String(cString: strerror(number)),
            hint: hasNoReader ? "start the reader first: \(reader) \(Prose.word(path))" : nil
        )
    }
}
