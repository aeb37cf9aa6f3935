// SPDX-License-Identifier: GPL-2.0-or-later

/// The options that print a text in place of running a command.
package enum HelpOptions {
    /// `-h` prints short help, `--help` prints long help.
    package static let help = Option(
        flag: "help",
        short: "h",
        summary: "print help: one screen with -h, all with --help"
    )

    package static let version = Option(
        flag: "version",
        short: "V",
        summary: "print the version"
    )
}
