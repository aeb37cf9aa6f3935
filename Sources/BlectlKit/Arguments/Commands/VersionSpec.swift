// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl version`.
public enum VersionSpec {
    static let command = CommandSpec(
        .version,
        summary: "print the version",
        discussion: ["Prints the version of blectl and the library that it is linked with, as `--version` does."],
        examples: [CommandExample("blectl version", "the version")]
    )
}
