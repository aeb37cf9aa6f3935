// SPDX-License-Identifier: GPL-2.0-or-later

/// When a command that could go on for ever ends by itself (`--count`, `--duration`).
struct StopLimits: Sendable, Equatable {
    /// After how many devices, values or connections; `nil`: not for their number. At least 1.
    var count: Int?
    /// After which time; `nil`: not for the time. What it is counted from is for the command to say.
    var duration: Duration?
}
