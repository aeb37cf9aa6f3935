// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// open(2)'s `O_PATH`, the same on every architecture that Linux has Bluetooth for; glibc shows it only with `_GNU_SOURCE`.
let openPath: Int32 = 0o10_000_000

/// An open file or folder, closed when nobody has it any more.
final class StateDescriptor: Sendable {
    let number: Int32

    /// Takes over what open(2) has returned; `nil` where that is a failure, which `errno` then has.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { close(number) }

    func status(_ name: String) throws(StateFolder.Failure) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw StateFolder.Failure("stat", name) }
        return status
    }

    /// Gives it a mode that it does not have. By way of /proc where the descriptor only names it, or its mode keeps it from
    /// being opened.
    func setMode(_ mode: mode_t, of status: stat, _ name: String) throws(StateFolder.Failure) {
        guard status.st_mode & 0o7777 != mode else { return }
        guard fchmod(number, mode) == 0 || chmod("/proc/self/fd/\(number)", mode) == 0 else {
            throw StateFolder.Failure("change the mode of", name)
        }
    }
}
