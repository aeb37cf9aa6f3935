// SPDX-License-Identifier: GPL-2.0-or-later

/// Which device `blectl serve` is, and for whom.
struct ServeOptions: Sendable, Equatable {
    /// The name of the device, or the one that it advertises.
    var device: String
    /// After how many connections have ended, and how long after the start.
    var limits = StopLimits()
    /// How many centrals may be connected at once.
    var maximumCentrals = 8
    /// Whether another blectl that serves on the adapter is waited for.
    var waitsForOthers = true
}

extension ServeOptions {
    /// Reads them from a command line, which the parser has checked.
    init(_ arguments: ParsedArguments) {
        device = arguments[ServeSpec.device]
        limits = StopLimits(count: arguments[ServeSpec.count], duration: arguments[ServeSpec.duration])
        maximumCentrals = arguments[ServeSpec.centrals]
        waitsForOthers = !arguments[ServeSpec.noWait]
    }
}
