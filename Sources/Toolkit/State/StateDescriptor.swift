// SPDX-License-Identifier: GPL-2.0-or-later

package import Glibc

/// open(2)'s `O_PATH`, declared here because glibc shows it only with `_GNU_SOURCE`. The value is the same on every
/// architecture on which Linux supports Bluetooth.
let openPath: Int32 = 0o10_000_000

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

    /// Throws why names cannot be made in this folder: no right to, or a read-only file system.
    func checkIsWritable(_ doing: String, _ name: String) throws(StateFolder.Failure) {
        guard faccessat(number, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw StateFolder.Failure(doing, name) }
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
