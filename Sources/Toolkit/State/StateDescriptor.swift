// SPDX-License-Identifier: GPL-2.0-or-later

package import Glibc

/// open(2)'s `O_PATH`, declared here because glibc shows it only with `_GNU_SOURCE`. The value is the same on every
/// architecture on which Linux supports Bluetooth.
let openPath: Int32 = 0o10_000_000

/// open(2)'s `O_TMPFILE`, for the same reason.
let openUnnamed: Int32 = 0o20_000_000 | O_DIRECTORY

/// An open file or folder. Closed with its last reference.
package final class StateDescriptor: Sendable {
    package let number: Int32

    /// Takes over the result of open(2); `nil` if it is a failure, with the reason in `errno`.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    // Errors of close(2) are of no use: the descriptor is gone in any case.
    deinit { close(number) }

    /// The owner, the mode, the size and the links. The name is for the message only.
    package func status(_ name: String) throws(StateFolder.Failure) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw StateFolder.Failure("stat", name) }
        return status
    }

    /// Throws why files cannot be kept in this folder: no right to, a read-only file system, or no room, also by a quota.
    /// Writes to a file without a name, which leaves nothing. A file system without such files is asked for the right
    /// only.
    func checkIsWritable(_ doing: String, _ name: String) throws(StateFolder.Failure) {
        guard faccessat(number, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw StateFolder.Failure(doing, name) }
        guard let file = StateDescriptor(openat(number, ".", openUnnamed | O_WRONLY | O_CLOEXEC, 0o600)) else {
            guard errno == ENOSPC || errno == EDQUOT else { return }
            throw StateFolder.Failure(doing, name)
        }
        try file.write([UInt8](repeating: 0, count: StateFolder.probeSize), doing, name)
    }

    /// Writes octets at the beginning, all of them. The other two are for the message only.
    func write(_ bytes: [UInt8], _ doing: String, _ name: String) throws(StateFolder.Failure) {
        var count = 0
        while count < bytes.count {
            let step = bytes[count...].withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, off_t(count)) }
            // An interrupted call has written nothing.
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw StateFolder.Failure(doing, name) }
            count += step
        }
    }

    /// Sets the mode if it differs. Uses /proc if fchmod(2) fails, because a descriptor with `O_PATH` has no right to
    /// change the file.
    func setMode(_ mode: mode_t, of status: stat, _ name: String) throws(StateFolder.Failure) {
        guard status.st_mode & 0o7777 != mode else { return }
        guard fchmod(number, mode) == 0 || chmod("/proc/self/fd/\(number)", mode) == 0 else {
            throw StateFolder.Failure("change the mode of", name)
        }
    }
}
