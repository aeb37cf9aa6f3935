// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The octets that were typed before an editor had the terminal, and that the editor reads.
///
/// A terminal that edits lines itself removes the key that ends the input, Ctrl-D, and keeps a zero in its place. An
/// editor that takes the terminal over gets this zero as if it had been typed, so that Ctrl-D that was typed while a
/// command ran would be lost. (Linux, line discipline N_TTY.)
struct TypedAhead {
    /// The number of these octets that are not read yet.
    private var count = 0
    /// The key that ended the input; 0 if none did.
    private var endKey: UInt8 = 0

    /// There are none.
    init() {}

    /// Gives a terminal another mode, and counts the octets that it has from before.
    ///
    /// - Parameters:
    ///   - terminal: The descriptor of the terminal.
    ///   - change: Changes the mode, so that the terminal no longer edits lines itself.
    init(on terminal: Int32, changingMode change: () -> Void) {
        var before = termios()
        let isKnown = tcgetattr(terminal, &before) == 0
        change()
        // A terminal that did not edit lines has replaced no key.
        guard isKnown, before.c_lflag & tcflag_t(ICANON) != 0 else { return }
        var waiting: Int32 = 0
        guard ioctl(terminal, UInt(FIONREAD), &waiting) == 0 else { return }
        count = Int(waiting)
        endKey = withUnsafeBytes(of: before.c_cc) { $0[Int(VEOF)] }
    }

    /// The key for the next octet that is read.
    mutating func key(_ octet: UInt8) -> UInt8 {
        guard count > 0 else { return octet }
        count -= 1
        return octet == 0 ? endKey : octet
    }
}
