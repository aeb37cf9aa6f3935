// SPDX-License-Identifier: GPL-2.0-or-later

/// The limits at which an endless command stops (`--count`, `--duration`).
struct StopLimits: Sendable, Equatable {
    /// The number of devices, values or connections, at least 1; `nil` for no limit.
    var count: Int?
    /// The time, from a moment that the command defines; `nil` for no limit.
    var duration: Duration?
}
