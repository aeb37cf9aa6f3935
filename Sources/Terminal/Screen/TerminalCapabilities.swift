// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The abilities of a terminal, from the environment.
///
/// Control sequences are those of ECMA-48 and a few private ones of DEC that every terminal program of today and the
/// console of Linux either obey or ignore. The terminfo database is not used: it would answer with the same octets, but
/// at the price of a library and of files to be found and read at each start. The differences between terminals, which
/// terminfo often gets wrong, come from the environment: whether it moves a cursor at all (`TERM`), its colours
/// (`TERM`, `COLORTERM`, `NO_COLOR`), and its characters (the locale).
package struct TerminalCapabilities: Sendable, Equatable {
    /// Whether the cursor can be moved. A dumb terminal cannot do that, so it counts as a file.
    package var movesCursor: Bool
    /// Whether the user accepts colour (`NO_COLOR`).
    package var mayColor: Bool
    /// Whether there are 256 colours; otherwise there are 16.
    package var hasManyColors: Bool
    /// Whether characters beyond ASCII are shown.
    package var usesUnicode: Bool

    package init(environment: (String) -> String?) {
        let terminal = environment("TERM") ?? ""
        movesCursor = terminal != "dumb"
        mayColor = (environment("NO_COLOR") ?? "").isEmpty
        hasManyColors =
            terminal.contains(text: "256color") || terminal.contains(text: "direct")
            || !(environment("COLORTERM") ?? "").isEmpty
        // The first one that is set and not empty decides: setlocale(3).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let letters = locale.lowercased().filter { $0 != "-" }
        usesUnicode = letters.contains(text: "utf8")
    }
}
