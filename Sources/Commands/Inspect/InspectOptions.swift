// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

struct InspectOptions: Sendable, Equatable {
    var readsValues = false
}

extension InspectOptions {
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[InspectCommand.values]
    }
}
