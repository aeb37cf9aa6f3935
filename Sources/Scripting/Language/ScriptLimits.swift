// SPDX-License-Identifier: GPL-2.0-or-later

/// The bounds of a script, so that a hostile or damaged one costs little time and memory.
package enum ScriptLimits {
    /// The octets of a file.
    package static let fileSize = 1 << 20
    /// The octets of a script with all that it includes.
    package static let totalSize = 8 << 20
    /// The octets of a line with its continuations.
    package static let lineLength = 16_384
    package static let words = 512
    /// The statements of a script with all that it includes.
    package static let statements = 20_000
    /// The depth of `repeat`, and of parentheses in a condition.
    package static let nesting = 16
    /// The depth of `include`.
    package static let includes = 16
    /// The files that are included.
    package static let files = 256
    /// The steps that run, with each round of `repeat`.
    package static let runs = 1_000_000
    /// The values of `for` for which commands are checked before the script runs.
    package static let checks = 100_000
    /// The problems that are reported.
    package static let problems = 20
}
