// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

extension OwnedFileDescriptor {
    /// The process at the other end of a Unix socket, the one that listens or the one that has connected: unix(7),
    /// SO_PEERCRED. `nil` if the kernel does not know it.
    borrowing func peerCredentials() -> blectl_credentials? {
        var credentials = blectl_credentials()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_PEERCRED, into: &credentials)
            return credentials
        } catch {
            return nil
        }
    }

    /// Whether the process at the other end belongs to this user.
    var isOfThisUser: Bool { peerCredentials()?.user == geteuid() }
}
