// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// The options of `blectl inspect`.
struct InspectOptions: Sendable, Equatable {
    /// Whether to read the values of all readable attributes.
    var readsValues = false
}

extension InspectOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[InspectCommand.values]
    }
}
