// SPDX-License-Identifier: GPL-2.0-or-later

/// What `blectl inspect` looks at.
struct InspectOptions: Sendable, Equatable {
    /// Whether every value is read that can be read.
    var readsValues = false
}

extension InspectOptions {
    /// Reads them from a command line, which the parser has checked.
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[InspectSpec.values]
    }
}
