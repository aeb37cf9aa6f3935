// SPDX-License-Identifier: GPL-2.0-or-later

extension StateFolder {
    /// The folder for data that are kept between runs: `$XDG_STATE_HOME/blectl`, by default `~/.local/state/blectl`.
    /// `nil` if the environment names no place.
    ///
    /// Spec: XDG Base Directory Specification 0.8
    package static func state(
        environment: (String) -> String?,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) -> StateFolder? {
        place("XDG_STATE_HOME", [".local", "state"], ["blectl"], environment, report)
    }

    /// The folder of the GATT cache: `$XDG_CACHE_HOME/blectl/gatt`, by default `~/.cache/blectl/gatt`. `nil` if the
    /// environment names no place.
    ///
    /// Spec: XDG Base Directory Specification 0.8
    package static func cache(
        environment: (String) -> String?,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) -> StateFolder? {
        place("XDG_CACHE_HOME", [".cache"], ["blectl", "gatt"], environment, report)
    }

    /// The folder below the one that a variable names, or else below the home.
    private static func place(
        _ variable: String,
        _ standard: [String],
        _ own: [String],
        _ environment: (String) -> String?,
        _ report: @escaping @Sendable (String) -> Void
    ) -> StateFolder? {
        // The specification declares relative paths invalid. A folder that the variable names is created, but a home is
        // not.
        if let named = environment(variable), named.hasPrefix("/") {
            return StateFolder(base: "/", shared: folders(named), own: own, report: report)
        }
        if let home = environment("HOME"), home.hasPrefix("/") {
            return StateFolder(base: home, shared: standard, own: own, report: report)
        }
        return nil
    }

    private static func folders(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }
}
