// SPDX-License-Identifier: GPL-2.0-or-later

/// Hints that lead to `blectl adapter`.
package enum AdapterHint {
    /// The command line for an action, for hints. Without `--adapter` for `hci0`, which is the default.
    package static func commandLine(_ action: String, adapter: String?) -> String {
        let option = adapter.flatMap { $0 == "hci0" ? nil : " --adapter \($0)" } ?? ""
        return "sudo blectl adapter \(action)\(option)"
    }
}
