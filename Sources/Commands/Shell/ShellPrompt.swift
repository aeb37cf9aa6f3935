// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// The text before the line that is typed: the device, and whether it is connected.
enum ShellPrompt {
    /// The maximum number of columns of a device's name.
    private static let nameLimit = 24

    /// The prompt.
    ///
    /// - Parameters:
    ///   - name: The name or the address of the device, which may be of a stranger's choice; `nil` for none.
    ///   - isConnected: Whether there is a link.
    ///   - usesUnicode: Whether the terminal shows more than ASCII.
    static func text(_ name: String?, isConnected: Bool, usesUnicode: Bool = true) -> String {
        guard let name else { return "blectl> " }
        let safe = TerminalText.escaped(name)
        let ellipsis = usesUnicode ? "…" : "~"
        let shown = TerminalText.fitted(
            usesUnicode ? safe : TerminalText.ascii(safe),
            columns: nameLimit,
            ellipsis: ellipsis
        )
        return isConnected ? "\(shown)> " : "\(shown) (not connected)> "
    }
}
