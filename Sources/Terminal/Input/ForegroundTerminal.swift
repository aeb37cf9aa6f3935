// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The terminal whose keys are meant for this process.
package enum ForegroundTerminal {
    /// Whether keys that were typed on a terminal are meant for this process. A job in the background must not take
    /// what is typed for the program in the foreground. The kernel stops such a job only if it does not block SIGTTOU
    /// and SIGTTIN, which threads of a program may do.
    package static func isOurs(_ terminal: Int32) -> Bool {
        let foreground = tcgetpgrp(terminal)
        // A terminal that does not control the session has no foreground.
        return foreground < 0 || foreground == getpgrp()
    }
}
