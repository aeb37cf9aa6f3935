// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

struct InspectOptions: Sendable, Equatable {
    /// Whether to read the values of all readable attributes.
    var readsValues = false
}

extension InspectOptions {
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[InspectCommand.values]
    }
}
