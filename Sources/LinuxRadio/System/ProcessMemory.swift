// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ

package enum ProcessMemory {
    /// Keeps the memory out of core files, and from debuggers of the same user, from now on. For a process that has
    /// keys in its memory: a limit of the size of core files would not do, because it does not hold for a program that
    /// gets them.
    package static func hide() { _ = blectl_hide_memory() }
}
